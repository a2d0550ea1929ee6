"""`Work`: a communication in progress, waited for with a timeout.

All communication is non-blocking and waited for here, so a single loop handles timeouts. A process that times out makes
a roll call: other waiting processes answer with what they wait for, and the error names the rest.
"""

import json
import os
import time
from collections.abc import Callable
from datetime import timedelta
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.distributed import mpi
from rushlight.distributed.errors import DistBackendError
from rushlight.futures import Future
from rushlight.launch.place import processes_here
from rushlight.tensors import Tensor

if TYPE_CHECKING:
    from rushlight.distributed.groups import ProcessGroup

__all__ = ["Work"]

YIELD: Callable[[], object] = getattr(os, "sched_yield", partial(time.sleep, 0))
AT_ONCE = 0.0005  # seconds of busy waiting if the process has its own core: even sleep(0) takes 50 µs
EAGER = 0.2  # seconds until which it sleeps for 0
PAUSE = 0.0005  # seconds between two checks after that
ROLL_CALL = 2.0  # seconds to wait for answers
UNLIKE = (
    "Tensors have to have the same size and dtype in the processes that take part; "
    "TORCH_DISTRIBUTED_DEBUG=DETAIL compares all calls before they are made."
)


@cache
def has_a_core() -> bool:
    """Whether this machine has a core for each process."""
    return processes_here() <= (os.cpu_count() or 1)


def nothing() -> None:
    """Does nothing: the end of a communication that changes nothing here."""


DROPPED: list[tuple[list[Any], Callable[[], object]]] = []  # what communications use that nobody has waited for


def let_go() -> None:
    """Forgets dropped communications that are over: MPI no longer uses their buffers."""
    kept = [DROPPED.pop() for _ in range(len(DROPPED))]
    DROPPED.extend([each for each in kept if not all(request.Get_status() for request in each[0])])


class Work:
    """A communication in progress, as `torch.distributed.Work`.

    After `wait()` the tensors hold the result and may be used again.

    >>> import rushlight as torch
    >>> import rushlight.distributed as dist
    >>> work = dist.all_reduce(torch.ones(1), async_op=True)
    >>> work.wait(), work.is_completed()
    (True, True)
    """

    def __init__(
        self,
        group: "ProcessGroup",
        name: str,
        requests: list[Any],
        finish: Callable[[], object] = nothing,
        result: list[Tensor] | None = None,
    ):
        self._done = False
        self._group, self._name, self._requests, self._finish = group, name, requests, finish
        self._result = result or []
        self._future: Future[Any] | None = None
        self._statuses = [mpi.load().Status() for _ in requests]
        self._number = group.next_number()
        if DROPPED:
            let_go()

    def __del__(self) -> None:
        """Keeps the buffers if MPI still uses them."""
        if not self._done:
            DROPPED.append((self._requests, self._finish))

    def is_completed(self) -> bool:
        """Whether the communication is done; makes progress without blocking."""
        if not self._done and self._test():
            self._done = True
            finish, self._finish = self._finish, nothing  # releases what it holds
            finish()
            if self._future is not None:
                self._future.set_result(self._result)
        return self._done

    def _test(self) -> bool:
        """Whether MPI is done. DistBackendError if it failed."""
        MPI = mpi.load()
        try:
            return MPI.Request.Testall(self._requests, self._statuses)
        except MPI.Exception as error:
            codes = [status.Get_error() for status in self._statuses]
            code = next((code for code in codes if code not in (MPI.SUCCESS, MPI.ERR_PENDING)), error.Get_error_code())
            raise DistBackendError(
                f"{self._name} (communication {self._number} of the group): {MPI.Get_error_string(code)}. {UNLIKE}"
            ) from error

    def is_success(self) -> bool:
        """Whether the communication is done; a failed one raises in `wait`."""
        return self._done

    def exception(self) -> None:
        """None: a failed communication raises in `wait`."""
        return None

    def wait(self, timeout: timedelta | None = None) -> bool:
        """Waits until the communication is done; returns True.

        DistBackendError, naming the missing processes, after the group's timeout or the given one.
        """
        if self.is_completed():
            return True
        limit = (timeout or self._group.timeout).total_seconds()
        start = time.monotonic()
        while not self.is_completed():
            waited = time.monotonic() - start
            if waited > limit:
                raise DistBackendError(self._explain(limit))
            if waited > EAGER:
                self._answer()
                time.sleep(PAUSE)
            elif waited < AT_ONCE and has_a_core():
                YIELD()
            else:
                time.sleep(0)
        return True

    synchronize = wait

    def result(self) -> list[Tensor]:
        """The tensors of the communication."""
        return self._result

    def received(self) -> int:
        """The number of bytes of a received message."""
        return self._statuses[0].Get_count(mpi.load().BYTE)

    def source_rank(self) -> int:
        """The rank of the sender of a received message."""
        return self._group.ranks[self._statuses[0].Get_source()]

    def get_future(self) -> Future[Any]:
        """A future of the list of tensors; waiting for it waits for the communication."""
        if self._future is None:
            self._future = Future(wait=self.wait, poll=self.is_completed)
            if self._done:
                self._future.set_result(self._result)
        return self._future

    # roll calls

    def _here(self) -> bytes:
        return json.dumps([self._number, self._name]).encode().ljust(200)

    def _answer(self, taken: dict[int, tuple[int, str]] | None = None) -> None:
        """Answers received roll calls, and records the answers to its own."""
        if self._group.ended:
            return
        comm, tags, status = self._group.comm, mpi.tags(), mpi.load().Status()
        while comm.Iprobe(tag=tags.call, status=status):
            comm.Recv(np.empty(0, np.uint8), status.source, tags.call)
            comm.Send(np.frombuffer(self._here(), np.uint8), status.source, tags.answer)
        while taken is not None and comm.Iprobe(tag=tags.answer, status=status):
            message = np.empty(200, np.uint8)
            comm.Recv(message, status.source, tags.answer)
            taken[status.source] = tuple(json.loads(message.tobytes()))

    def _explain(self, limit: float) -> str:
        """A description of who is missing, and who waits for something else."""
        group = self._group
        others = [rank for rank in range(group.size()) if rank != group.rank()]
        calls = [group.comm.Isend(np.empty(0, np.uint8), rank, mpi.tags().call) for rank in others]
        answers: dict[int, tuple[int, str]] = {}
        end = time.monotonic() + ROLL_CALL
        while time.monotonic() < end and len(answers) < len(others):
            self._answer(answers)
            time.sleep(PAUSE)
        for call in calls:
            call.Free()
        missing = [group.ranks[rank] for rank in others if rank not in answers]
        astray = [
            f"rank {group.ranks[rank]} waits in {name} (communication {number})"
            for rank, (number, name) in sorted(answers.items())
            if (number, name) != (self._number, self._name) and self._is_collective()
        ]
        words = f"{self._name} (communication {self._number} of the group): timed out after {limit:g} seconds."
        if missing:
            words += f" Missing: rank {', '.join(map(str, missing))}: ended, busy elsewhere, or without this call."
        if astray:
            words += f" Out of step: {'; '.join(astray)}. All ranks have to make the same calls in the same order."
        return words

    def _is_collective(self) -> bool:
        return self._name not in ("send", "recv", "isend", "irecv")
