"""Supervises a process started by MPI's launcher: reports how it ended, and makes sure its last output arrives.

A launcher kills all processes as soon as one fails: the last output of that one may be lost, and a death by a signal is
not reported. So a process reports how it ends, and waits until its output has been read, before it ends all
(`say_end`). For a process killed by a signal its keeper reports that: under a launcher `rushlight run` is two
processes, a child that runs the program and a parent that waits for it.
"""

import ctypes
import mmap
import os
import platform
import select
import signal
import stat
import struct
import sys
import time
from contextlib import suppress

from rushlight.launch.place import place_from_launcher

try:
    import fcntl
    import termios
except ImportError:  # Windows
    fcntl = termios = None  # type: ignore[assignment]

__all__ = ["ask_to_end_all", "keep", "say_end"]

KEPT = "RUSHLIGHT_KEPT"  # environment variable: the process has a keeper, and its own children need none
TOLD = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"]  # signals that launchers send to both processes
DIE_WITH_PARENT = 1  # Linux's prctl: PR_SET_PDEATHSIG
PATIENCE = 60.0  # the longest wait for a launcher, in seconds: its terminal may be stopped
PAUSE = 0.5  # seconds given to output if it cannot be known whether it was read


class Kept:
    """Memory shared between a process and its keeper: a byte, 1 once the process has reported its end.

    None if no keeper.
    """

    said: mmap.mmap | None = None


def keep() -> None:
    """Forks a process that a launcher has started; returns in the child, while the parent waits for its end."""
    if place_from_launcher() is None or KEPT in os.environ or not hasattr(os, "fork"):
        return
    said = mmap.mmap(-1, 1)
    child = os.fork()
    if child == 0:
        Kept.said = said
        os.environ[KEPT] = str(os.getppid())
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
        return
    told: list[int] = []
    for name in TOLD:
        signal.signal(getattr(signal, name), lambda received, frame: told.append(received))
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status != 0 and not told:
        if said[0]:
            time.sleep(PATIENCE)  # MPI was asked to end all processes, this one too
        else:
            say_end(status, child)
            ask_to_end_all()
        os._exit(1)  # Open MPI's launcher ends all processes then
    os._exit(status if status >= 0 else 128 - status)


def ask_to_end_all() -> None:
    """Asks the launcher to end all processes, with exit status 1, as `torchrun` has it; returns if it does not.

    MPICH's launcher reads requests from a pipe of each process, whether MPI is initialized in it or not. It then ends
    all processes silently; for a killed process it would print a long report, and ignore a mere exit status.
    """
    pipe = os.environ.get("PMI_FD")
    if pipe is not None:
        with suppress(OSError):
            os.write(int(pipe), b"cmd=abort exitcode=1\n")
            time.sleep(PATIENCE)


def say_end(status: int, process: int) -> None:
    """Reports how a process started by MPI's launcher ends; returns once the report has been read.

    `process` is its id. `status` is its exit status, or the negative number of the signal that killed it.
    """
    place = place_from_launcher()
    where = f"rank {place.rank if place else 0} (process {process} on {platform.node()})"
    how = f"ended with exit status {status}"
    if status < 0:
        how = f"was killed by signal {-status} ({signal.Signals(-status).name})"
    with suppress(OSError):  # nobody reads it
        print(f"rushlight: {where} {how}; this ends all others.", file=sys.stderr, flush=True)
    with suppress(OSError):
        sys.stdout.flush()
    delivered()
    if Kept.said is not None:
        Kept.said[0] = True


def delivered() -> None:
    """Waits until all output of this process has been read, or nobody reads it any more."""
    end = time.monotonic() + PATIENCE
    for stream in (1, 2):
        with suppress(OSError):  # closed
            mode = os.fstat(stream).st_mode
            if stat.S_ISFIFO(mode) and sys.platform == "linux":
                while unread(stream) and is_open(stream) and time.monotonic() < end:
                    time.sleep(0.001)
            elif not stat.S_ISREG(mode):
                time.sleep(PAUSE)


def unread(pipe: int) -> int:
    """The number of unread bytes in a pipe."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0]


def is_open(pipe: int) -> bool:
    """Whether the reading end of a pipe is open."""
    watched = select.poll()
    watched.register(pipe, 0)
    return not watched.poll(0)
