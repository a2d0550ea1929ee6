"""`spawn`: starts processes that call a function, and waits for them; a failure of one ends all and is raised."""

import multiprocessing
import os
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

__all__ = ["ProcessContext", "ProcessExitedException", "ProcessRaisedException", "spawn", "start_processes"]


class ProcessException(Exception):
    """A process failed."""

    msg: str
    error_index: int
    error_pid: int
    pid: int

    def __init__(self, msg: str, error_index: int, pid: int):
        super().__init__(msg)
        self.msg, self.error_index, self.error_pid, self.pid = msg, error_index, pid, pid


class ProcessRaisedException(ProcessException):
    """A process raised an exception, whose traceback the message holds."""


class ProcessExitedException(ProcessException):
    """A process exited with a status other than 0, or was killed by a signal."""

    exit_code: int
    signal_name: str | None

    def __init__(self, msg: str, error_index: int, error_pid: int, exit_code: int, signal_name: str | None = None):
        super().__init__(msg, error_index, error_pid)
        self.exit_code, self.signal_name = exit_code, signal_name


def run(fn: Callable[..., Any], i: int, args: tuple[Any, ...], report: str) -> None:
    """The body of a process: calls the function, and writes the traceback of an exception to a file."""
    try:
        fn(i, *args)
    except KeyboardInterrupt:
        return  # the parent was interrupted too, and reports it
    except Exception:
        Path(report).write_text(traceback.format_exc())
        sys.exit(1)


class ProcessContext:
    """The processes started by `start_processes`."""

    def __init__(self, processes: list[Any], reports: list[str], folder: tempfile.TemporaryDirectory[str]):
        self.processes = processes
        self.error_files = reports
        self._folder = folder  # holds the reports, and is deleted with this object
        self._running = {process.sentinel: i for i, process in enumerate(processes)}

    def pids(self) -> list[int]:
        """The ids of the processes."""
        return [process.pid for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Waits until one or more processes have ended; True if all have ended without failure.

        If one has failed, ends the others after `grace_period` seconds, and raises ProcessRaisedException or
        ProcessExitedException.
        """
        if not self._running:
            return True
        for sentinel in wait(list(self._running), timeout):
            index = self._running.pop(sentinel)  # sentinels are numbers
            self.processes[index].join()
            if self.processes[index].exitcode != 0:
                self._end_others(grace_period)
                raise self._failure(index)
        return not self._running

    def _end_others(self, grace_period: float | None) -> None:
        end = time.monotonic() + (grace_period or 0)
        for process in self.processes:
            process.join(max(end - time.monotonic(), 0))
            if process.is_alive():
                process.terminate()
        for process in self.processes:
            process.join(30)
            if process.is_alive():
                process.kill()
                process.join()

    def _failure(self, index: int) -> ProcessException:
        """The first failure: an exception in any process, as it explains why the others ended."""
        for i in [index, *range(len(self.processes))]:
            report = Path(self.error_files[i])
            if report.exists() and (words := report.read_text()):
                message = f"\n\n-- Process {i} terminated with the following error:\n{words}"
                return ProcessRaisedException(message, i, self.processes[i].pid)
        process = self.processes[index]
        if process.exitcode < 0:
            name = signal.Signals(-process.exitcode).name
            message = f"process {index} terminated with signal {name}"
            return ProcessExitedException(message, index, process.pid, process.exitcode, name)
        message = f"process {index} terminated with exit code {process.exitcode}"
        return ProcessExitedException(message, index, process.pid, process.exitcode)


def start_processes(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Starts `nprocs` processes that call `fn(i, *args)` for i from 0, by one of Python's start methods.

    Waits for them, and returns None; with `join=False` returns a `ProcessContext` to wait with. If a process fails, the
    others are ended, and ProcessRaisedException (with its traceback) or ProcessExitedException is raised.
    """
    context: Any = multiprocessing.get_context(start_method)
    folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    reports = [os.path.join(folder.name, str(i)) for i in range(nprocs)]
    processes = [
        context.Process(target=run, args=(fn, i, args, report), daemon=daemon) for i, report in enumerate(reports)
    ]
    for process in processes:
        process.start()
    started = ProcessContext(processes, reports, folder)
    if not join:
        return started
    while not started.join():
        pass
    return None


def spawn(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Starts `nprocs` new Python processes that call `fn(i, *args)`; see `start_processes`.

    `fn` must be defined at the top level of a module, and the program's main part must be under `if __name__ ==
    "__main__":`, since each process imports the program again.
    """
    return start_processes(fn, args, nprocs, join, daemon, start_method)
