"""Messages between workers over MPI: sent by any thread, taken in by one of its own.

A message is a head, which is pickled, and memory beside it, which is sent as it lies. Heads from one worker to
another come in the order in which they were sent; memory arrives while others go on.
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

HEAD = 0  # the tag of heads; memory has one of the tags above
TAGS = 30000  # so many messages with memory may be under way from one worker to another
PATIENCE = 0.001  # the longest pause between two looks for messages, in seconds
SHARE = 0.1  # pauses are this share of the time in which nothing has come


class Arriving(NamedTuple):
    """A message whose head is here, while its memory arrives."""

    source: int
    head: Any
    buffers: list[np.ndarray]
    requests: list[Any]


class Transport:
    """Sends messages, and has `receive(source, head, buffers)` called with each that comes, in one thread.

    In that thread `notice(head)` is called too, with heads in their order, and `attend()` again and again;
    `lose(error)` once, when MPI no longer reaches the others. `send` raises that error, a DistNetworkError.
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
        self.leaving: list[tuple[Any, Any]] = []  # requests, and the memory that they need
        self.arriving: list[Arriving] = []
        self.lock = lock()
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.listen, name="rushlight-rpc", daemon=True)

    def start(self) -> None:
        """Begins to take messages in."""
        self.thread.start()

    def stop(self) -> None:
        """Ends that, and returns when it has ended."""
        self.stopped.set()
        if threading.current_thread() is not self.thread:
            self.thread.join()

    def send(self, to: int, head: Any, buffers: list[Any]) -> None:
        """Sends a message; its memory may not change before it has arrived."""
        if to == self.comm.rank:
            self.notice(head)
            self.receive(to, head, [bytearray(memory) for memory in buffers])
            return
        MPI = mpi.load()
        memories = [pickle.PickleBuffer(memory).raw() for memory in buffers]
        with self.lock, reaching():  # heads and memory leave in one order
            self.sent += 1
            tag = 1 + self.sent % TAGS
            data = pickle.dumps((head, tag, [memory.nbytes for memory in memories]))
            leaving: list[tuple[Any, Any]] = [(self.comm.Isend([data, MPI.BYTE], to, HEAD), data)]
            leaving += [(self.comm.Isend([memory, MPI.BYTE], to, tag), memory) for memory in memories]
            self.leaving += leaving

    def listen(self) -> None:
        """Takes messages in until it is told to stop, or loses the others; pauses are longer while nothing comes."""
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
        """Takes what has come, without waiting; tells whether anything has."""
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
        """Takes a head in, and whatever memory belongs to it as it comes."""
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
        """Hands a whole message over."""
        self.receive(arriving.source, arriving.head, arriving.buffers)
        self.received += 1

    def is_idle(self) -> bool:
        """Whether nothing is under way that this worker knows of."""
        with self.lock:
            return not self.leaving and not self.arriving


@contextmanager
def reaching() -> Iterator[None]:
    """DistNetworkError for what MPI says when a worker can no longer be reached."""
    try:
        yield
    except mpi.load().Exception as error:
        raise DistNetworkError(
            f"RPC: other workers can no longer be reached, one has ended before ({error})."
        ) from error
