"""Watching over a process that MPI's launcher has started: how it ended is said, and what it wrote last arrives.

A launcher ends all processes when one fails, and at once: what that one wrote last may be on its way still, and whom a
signal has killed is not told. So a process says how it ends, and waits until that has been taken, before it ends all
(`say_end`). Of one that is killed its keeper says so: under a launcher `rushlight run` is two processes, a child in
which the program runs, and its parent, which waits for it.
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

KEPT = "RUSHLIGHT_KEPT"  # in the environment of a process with a keeper, whose own children need none
TOLD = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"]  # launchers send them to both processes
DIE_WITH_PARENT = 1  # Linux's prctl: PR_SET_PDEATHSIG
PATIENCE = 60.0  # seconds for which a launcher is waited for: somebody may have stopped its terminal
PAUSE = 0.5  # seconds that output gets where nobody can tell whether it has been taken


class Kept:
    """What a process shares with its keeper: a byte that is 1 once it has said how it ends. None without a keeper."""

    said: mmap.mmap | None = None


def keep() -> None:
    """Divides a process that a launcher has started; returns in the child, whose end the parent awaits."""
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
            time.sleep(PATIENCE)  # MPI has been asked to end all, and this process with them
        else:
            say_end(status, child)
            ask_to_end_all()
        os._exit(1)  # to which Open MPI's launcher pays heed
    os._exit(status if status >= 0 else 128 - status)


def ask_to_end_all() -> None:
    """Asks the launcher to end all processes, with exit status 1, as `torchrun` has it; returns where it does not.

    MPICH's launcher hears that on a pipe which each process has, whether MPI runs in it or not. It ends all without a
    word of its own then; of a process that it finds killed it would say much, and of a mere exit status nothing.
    """
    pipe = os.environ.get("PMI_FD")
    if pipe is not None:
        with suppress(OSError):
            os.write(int(pipe), b"cmd=abort exitcode=1\n")
            time.sleep(PATIENCE)


def say_end(status: int, process: int) -> None:
    """Says how a process that MPI's launcher has started ends, and returns once that has arrived.

    `process` is its number. Its exit status is `status`, or a signal has killed it, whose number is negative.
    """
    place = place_from_launcher()
    where = f"rank {place.rank if place else 0} (process {process} on {platform.node()})"
    how = f"ended with exit status {status}"
    if status < 0:
        how = f"was killed by signal {-status} ({signal.Signals(-status).name})"
    with suppress(OSError):  # nobody reads it any more
        print(f"rushlight: {where} {how}; this ends all others.", file=sys.stderr, flush=True)
    with suppress(OSError):
        sys.stdout.flush()
    delivered()
    if Kept.said is not None:
        Kept.said[0] = True


def delivered() -> None:
    """Returns once all that this process has written to its output has been taken, or nobody reads it any more."""
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
    """The number of bytes that are in a pipe."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0]


def is_open(pipe: int) -> bool:
    """Whether somebody can still read what is written to a pipe."""
    watched = select.poll()
    watched.register(pipe, 0)
    return not watched.poll(0)
