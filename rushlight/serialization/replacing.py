"""Writing files so that an existing one is replaced only when the new one is completely on the disk."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # Windows: leftovers of killed processes are not recognized
    fcntl = None  # type: ignore[assignment]

FRESH = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
ENDING = ".part"


@contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """A file to write to; it gets its name, atomically, when the block ends without error and all is on the disk.

    Until then it is a temporary file beside the old one, which stays intact after errors, a full disk, or a kill. It
    gets the old file's permissions, and its owner if allowed; for a link the target is replaced. Special files (a pipe,
    a device) are written to directly.

    RuntimeError if the directory does not exist; PermissionError for a file or directory that must not be written to.
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
    """The `os.stat` result of a file; None if there is none."""
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def take_over(old: os.stat_result, path: str) -> None:
    """Gives a file another's permissions, and its owner if allowed."""
    if hasattr(os, "chown"):
        with suppress(PermissionError):
            os.chown(path, old.st_uid, old.st_gid)
    os.chmod(path, stat.S_IMODE(old.st_mode))


def begun(folder: str, name: str) -> tuple[BinaryIO, str]:
    """A new temporary file beside another, and its path; locked, so that others see that it is in use."""
    while True:
        path = os.path.join(folder, f".{name[:100]}.{os.getpid()}-{os.urandom(4).hex()}{ENDING}")
        file = open(os.open(path, FRESH, 0o666), "wb")  # noqa: SIM115  the caller closes it
        if fcntl is None:
            return file, path
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.exists(path):  # unless it was removed as a leftover before it was locked
            return file, path
        file.close()


def remove_leftovers(folder: str, name: str) -> None:
    """Removes the temporary files that killed processes have left beside a file."""
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
    """Flushes a directory's entries to the disk, where possible."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
