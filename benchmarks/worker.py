"""`python -m benchmarks.worker NAME`: the process of one library, which takes requests through a pipe."""

import ctypes
import gc
import os
import pickle
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.contenders import CONTENDERS

if TYPE_CHECKING:  # a library is loaded before NumPy: rushlight chooses the kernels of NumPy's BLAS
    from benchmarks.workload import Workload

LONG = 0.1  # seconds
TIMED = 30  # calls in which rushlight's compiled functions record, and time replays against eager calls
STATUS, REFERENCES = Path("/proc/self/status"), Path("/proc/self/clear_refs")


class Worker:
    """A contender at work: each public method is a command."""

    def __init__(self, name: str):
        """Loads the contender's library."""
        self.name = name
        self.module = CONTENDERS[name].load()
        self.settle()

    def settle(self) -> None:
        """Spares the collector a whole library: it would look through it again and again for whoever makes objects."""
        gc.collect()
        gc.freeze()

    def describe(self) -> str:
        """What the library says about itself."""
        return CONTENDERS[self.name].describe()

    def prepare(self, workload: "Workload") -> None:
        """Makes a workload's step, and does it as often as the contender needs before it is timed."""
        loaded = len(sys.modules)
        self.make(workload)
        contender, begin = CONTENDERS[self.name], time.perf_counter()
        for _ in range(contender.calls):
            self.step()
            if time.perf_counter() - begin > contender.patience:
                break
        if len(sys.modules) > loaded:  # libraries load some of their modules late
            self.settle()

    def make(self, workload: "Workload") -> None:
        """Makes a workload's step."""
        self.step = None
        self.step = workload.forms[self.name](self.module, *workload.data())

    def time(self, least: float, clock: str = "perf_counter", parts: int = 1) -> float:
        """Seconds of one call: those of the quickest of so many parts of a turn, which fill `least` seconds.

        A call that takes LONG is timed alone, and calls that together took so long are enough. Any other has one before
        it that is not counted: the first after the process was stopped may wait for a thread that shares its CPU, for
        as long as the system's slices of time are. `clock` is a function of Python's `time`: `process_time` does not
        count what other processes take.
        """
        gc.collect()
        now = getattr(time, clock)
        begin = now()
        if (first := self.seconds(1, now)) > LONG:
            return first
        calls, each, found = 1, least / parts, []
        while len(found) < parts and not (found and now() - begin > max(LONG, least)):
            elapsed = self.seconds(calls, now)
            if elapsed >= each:
                found.append(elapsed / calls)
            else:
                calls = 1 + int(calls * each / elapsed)
        return min(found)

    def seconds(self, calls: int, now: Callable[[], float]) -> float:
        """Seconds of some calls."""
        begin = now()
        for _ in range(calls):
            self.step()
        return now() - begin

    def peak(self, small: "Workload", workload: "Workload", steps: int) -> int:
        """Bytes that some steps take at most, beyond what the process had with all arrays that they start from.

        A small one of the kind has run before, so that what a library sets up at first is not counted. Of compiled
        steps those count that are replays, with all that was kept of the recording. Pages of files do not count: the
        code of libraries, which is loaded when it first runs.
        """
        self.prepare(small)
        self.make(workload)
        begin_peak()
        before = status("RssAnon")
        if CONTENDERS[self.name].settles:
            for _ in range(TIMED):
                self.step()
            begin_peak()
        for _ in range(steps):
            self.step()
        return status("VmHWM") - status("RssFile") - before


def begin_peak() -> None:
    """Lets the peak of the memory start again from what is in use: see proc(5)."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    REFERENCES.write_text("5")


def status(field: str) -> int:
    """A size in bytes that Linux tells of this process."""
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) * 1024


def main() -> None:
    """Serves commands, (name, arguments), until the pipe ends; answers (whether it could, the result or the reason)."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is no answer
    warnings.simplefilter("ignore")
    worker = Worker(sys.argv[1])
    while True:
        try:
            command, arguments = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            answer = True, getattr(worker, command)(*arguments)
        except Exception as error:  # whatever a library cannot do is told, and shown in the table
            answer = False, f"{type(error).__name__}: {error}"
        pickle.dump(answer, answers)
        answers.flush()


if __name__ == "__main__":
    main()
