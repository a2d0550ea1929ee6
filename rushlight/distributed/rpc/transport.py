"""Messages between workers over MPI: sent by any thread, received by a single one.

A message is a pickled head, and buffers that are sent without copies. Heads from one worker to another arrive in the
order in which they were sent; buffers arrive in parallel.
"""

import pickle
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from rushlight.core.locks import lock
from rushlight.distributed import mpi
from rushlight.distributed.errors import DistNetworkError

__all__ = ["Transport", "reaching"]

HEAD = 0  # the tag of heads; buffers have the tags above
TAGS = 30000  # the most messages with buffers in flight from one worker to another
PATIENCE = 0.001  # the longest pause between two checks for messages, in seconds
SHARE = 0.1  # a pause is this fraction of the time since the last message


class Arriving(NamedTuple):
    """A message whose head has arrived, and whose buffers are arriving."""

    source: int
    head: Any
    buffers: list[np.ndarray]
    requests: list[Any]


class Transport:
    """Sends messages, and calls `receive(source, head, buffers)` for each that arrives, in one thread.

    That thread also calls `notice(head)` for heads in their order, and `attend()` regularly; and `lose(error)` once, if
    MPI can no longer reach the others. `send` then raises that error, a DistNetworkError.
    """

    def __init__(
        self,
        comm: Any,
        notice: Callable[[Any], None],
        receive: Callable[[int, Any, list[Any]], None],
        attend: Callable[[], None],
        lose: Callable[[DistNetworkError], None],
    ):
        self.comm, self.notice, self.receive, self.attend, self.lose = comm, notice, receive, attend, lose
        self.sent = self.received = 0
        self.leaving: list[tuple[Any, Any]] = []  # requests, with the buffers that they need
        self.arriving: list[Arriving] = []
        self.lock: Any = lock()
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.listen, name="rushlight-rpc", daemon=True)

    def start(self) -> None:
        """Starts to receive messages."""
        self.thread.start()

    def stop(self) -> None:
        """Stops receiving, and waits until that has ended."""
        self.stopped.set()
        if threading.current_thread() is not self.thread:
            self.thread.join()

    def send(self, to: int, head: Any, buffers: list[Any]) -> None:
        """Sends a message; its buffers must not change before it has arrived."""
        if to == self.comm.rank:
            self.notice(head)
            self.receive(to, head, [bytearray(memory) for memory in buffers])
            return
        MPI = mpi.load()
        memories = [pickle.PickleBuffer(memory).raw() for memory in buffers]
        with self.lock, reaching():  # heads and buffers are sent in the same order
            self.sent += 1
            tag = 1 + self.sent % TAGS
            data = pickle.dumps((head, tag, [memory.nbytes for memory in memories]))
            leaving: list[tuple[Any, Any]] = [(self.comm.Isend([data, MPI.BYTE], to, HEAD), data)]
            leaving += [(self.comm.Isend([memory, MPI.BYTE], to, tag), memory) for memory in memories]
            self.leaving += leaving

    def listen(self) -> None:
        """Receives until told to stop, or the others are lost; pauses get longer while nothing arrives."""
        last = time.monotonic()
        while not self.stopped.is_set():
            try:
                with reaching():
                    moved = self.take()
                    self.attend()
            except DistNetworkError as error:
                self.lose(error)
                return
            now = time.monotonic()
            if moved:
                last = now
            time.sleep(min(PATIENCE, SHARE * (now - last)))

    def take(self) -> bool:
        """Handles what has arrived, without waiting; returns whether there was anything."""
        moved = False
        status = mpi.load().Status()
        while (message := self.comm.Improbe(tag=HEAD, status=status)) is not None:
            moved = True
            self.begin(message, status)
        arrived = [arriving for arriving in self.arriving if mpi.load().Request.Testall(arriving.requests)]
        self.arriving = [arriving for arriving in self.arriving if not any(arriving is one for one in arrived)]
        for arriving in arrived:
            self.pass_on(arriving)
        with self.lock:
            self.leaving = [(request, memory) for request, memory in self.leaving if not request.Test()]
        return moved or bool(arrived)

    def begin(self, message: Any, status: Any) -> None:
        """Handles a head, and starts to receive its buffers."""
        MPI = mpi.load()
        data = bytearray(status.Get_count(MPI.BYTE))
        message.Recv([data, MPI.BYTE])
        head, tag, sizes = pickle.loads(data)
        self.notice(head)
        buffers = [np.empty(size, np.uint8) for size in sizes]
        requests = [self.comm.Irecv([buffer, MPI.BYTE], status.source, tag) for buffer in buffers]
        arriving = Arriving(status.source, head, buffers, requests)
        if requests:
            self.arriving.append(arriving)
        else:
            self.pass_on(arriving)

    def pass_on(self, arriving: Arriving) -> None:
        """Passes a complete message on."""
        self.receive(arriving.source, arriving.head, arriving.buffers)
        self.received += 1

    def is_idle(self) -> bool:
        """Whether no message is in flight, as far as this worker knows."""
        with self.lock:
            return not self.leaving and not self.arriving


@contextmanager
def reaching() -> Iterator[None]:
    """Turns MPI's errors for unreachable workers into DistNetworkError."""
    try:
        yield
    except mpi.load().Exception as error:
        raise DistNetworkError(
            f"RPC: other workers can no longer be reached, one has ended before ({error})."
        ) from error
