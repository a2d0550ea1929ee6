"""Files that take the place of others only when all of them is on the disk."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # Windows: what a killed process leaves is not recognized
    fcntl = None  # type: ignore[assignment]

FRESH = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
ENDING = ".part"


@contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """A file to write to, which gets its name, in one step, when the block ends well and all is on the disk.

    Until then it lies beside the old one, which is left whole by errors, a full disk, and kills. It takes over the
    old one's permissions, and its owner if it may; a link stays one, and its target is replaced. What is no file (a
    pipe, a device) is written to as it is.

    RuntimeError where the folder does not exist; PermissionError for a file or folder that may not be written to.
    """
    target = os.path.realpath(path)
    old = status(target)
    if old is not None and not stat.S_ISREG(old.st_mode):
        with open(target, "wb") as device:
            yield device
        return
    folder, name = os.path.split(target)
    if not os.path.isdir(folder):
        raise RuntimeError(f"Parent directory {folder} does not exist.")
    if old is not None and not os.access(target, os.W_OK):
        raise PermissionError(13, "Permission denied", path)
    remove_leftovers(folder, name)
    file, beside = begun(folder, name)
    try:
        with file:
            if old is not None:
                take_over(old, beside)
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise
    sync_folder(folder)


def status(path: str) -> os.stat_result | None:
    """What the system says of a file, if there is one."""
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def take_over(old: os.stat_result, path: str) -> None:
    """Gives a file another's owner, if that is allowed, and permissions."""
    if hasattr(os, "chown"):
        with suppress(PermissionError):
            os.chown(path, old.st_uid, old.st_gid)
    os.chmod(path, stat.S_IMODE(old.st_mode))


def begun(folder: str, name: str) -> tuple[BinaryIO, str]:
    """A new file beside another, and its path; locked, so that others see that it is being written."""
    while True:
        path = os.path.join(folder, f".{name[:100]}.{os.getpid()}-{os.urandom(4).hex()}{ENDING}")
        file = open(os.open(path, FRESH, 0o666), "wb")  # noqa: SIM115  the caller closes it
        if fcntl is None:
            return file, path
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.exists(path):  # nobody has taken it for a leftover before it was locked
            return file, path
        file.close()


def remove_leftovers(folder: str, name: str) -> None:
    """Removes what processes that were killed have left beside a file: parts of it that nobody writes any more."""
    if fcntl is None:
        return
    start = f".{name[:100]}."
    with suppress(OSError):
        for found in os.scandir(folder):
            if found.name.startswith(start) and found.name.endswith(ENDING):
                with suppress(OSError), open(found.path, "rb") as file:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    os.unlink(found.path)


def sync_folder(folder: str) -> None:
    """Makes the system write down the names in a folder, where it can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
