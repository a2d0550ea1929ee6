"""`Work`: a communication under way, waited for with a limit of time.

All communication is non-blocking and waited for here, so one loop knows about timeouts. A process that has waited too
long calls the roll: those that wait too answer with what they wait for, and the error names the others.
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
AT_ONCE = 0.0005  # seconds for which a process with a core of its own looks again at once: a sleep of nothing is 50 µs
EAGER = 0.2  # seconds until which it sleeps for nothing
PAUSE = 0.0005  # seconds between two looks after that
ROLL_CALL = 2.0  # seconds for which answers are waited for
UNLIKE = (
    "Tensors have to have the same size and dtype in the processes that take part; "
    "TORCH_DISTRIBUTED_DEBUG=DETAIL compares all calls before they are made."
)


@cache
def has_a_core() -> bool:
    """Whether there is a core for each process on this machine."""
    return processes_here() <= (os.cpu_count() or 1)


def nothing() -> None:
    """What is left to do when a communication has changed nothing here."""


class Work:
    """A communication under way, as `torch.distributed.Work`.

    `wait()` returns once the tensors may be used again and hold what they should.

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
        self._group, self._name, self._requests, self._finish = group, name, requests, finish
        self._result = result or []
        self._future: Future[Any] | None = None
        self._statuses = [mpi.load().Status() for _ in requests]
        self._number = group.next_number()
        self._done = False

    def is_completed(self) -> bool:
        """Whether the communication is done; moves it on, without waiting."""
        if not self._done and self._test():
            self._done = True
            finish, self._finish = self._finish, nothing  # what it keeps for the end is let go
            finish()
            if self._future is not None:
                self._future.set_result(self._result)
        return self._done

    def _test(self) -> bool:
        """Whether MPI is done. DistBackendError for what it could not do."""
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
        """None: a communication that fails raises where it is waited for."""
        return None

    def wait(self, timeout: timedelta | None = None) -> bool:
        """Waits until the communication is done; True.

        DistBackendError, naming the missing processes, when the timeout of the group, or the one given, is over.
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
        """The tensors that were communicated."""
        return self._result

    def received(self) -> int:
        """The number of bytes of a received message."""
        return self._statuses[0].Get_count(mpi.load().BYTE)

    def source_rank(self) -> int:
        """The rank that a received message came from."""
        return self._group.ranks[self._statuses[0].Get_source()]

    def get_future(self) -> Future[Any]:
        """A future of the list of tensors; waiting for it is waiting for the communication."""
        if self._future is None:
            self._future = Future(wait=self.wait, poll=self.is_completed)
            if self._done:
                self._future.set_result(self._result)
        return self._future

    # roll calls

    def _here(self) -> bytes:
        return json.dumps([self._number, self._name]).encode().ljust(200)

    def _answer(self, taken: dict[int, tuple[int, str]] | None = None) -> None:
        """Answers roll calls that have come in, and takes down the answers to its own."""
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
        """Who is missing, and who waits for something else."""
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
