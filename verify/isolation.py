"""Runs work in separate processes: if one crashes, this is reported, and another process continues with the rest."""

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from typing import NamedTuple

ITEMS = 2000  # that one process takes, so that what they leave behind in memory goes with it


class Ended(NamedTuple):
    """What comes in the place of a result where the process was ended by a signal, or by itself."""

    how: str


def serve(work: Callable, items: Sequence, connection: Connection) -> None:
    """Sends the result of each item as it comes."""
    for item in items:
        connection.send(work(item))


def results(work: Callable, items: Sequence) -> Iterator:
    """Of each item what `work` makes of it in another process, or an `Ended`."""
    done = 0
    context = multiprocessing.get_context("fork")
    while done < len(items):
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=serve, args=(work, items[done : done + ITEMS], sender), daemon=True)
        process.start()
        sender.close()
        last = min(done + ITEMS, len(items))
        try:
            while done < last:
                yield receiver.recv()
                done += 1
        except EOFError:
            process.join()
            yield Ended(ending(process.exitcode))
            done += 1
        finally:
            receiver.close()
        process.join()


def ending(code: int) -> str:
    """The name of the signal that ended a process, or its exit status."""
    return signal.Signals(-code).name if code < 0 else f"exit status {code}"
