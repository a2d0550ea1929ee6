"""Keeps large blocks of freed memory for reuse.

glibc returns every large block to the kernel when it is freed, and gets it again page by page: in a loop over large
arrays that costs more than the arithmetic. On import rushlight makes glibc keep freed blocks, up to 512 MiB. The
environment variable RUSHLIGHT_KEEP_MEMORY sets another limit in MiB; 0 leaves glibc unchanged. Nothing is done for
other C libraries.
"""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["blocks_returned", "empty_cache", "keep_blocks", "memory_info"]

M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_THRESHOLD = -1, -2, -3  # constants of glibc's <malloc.h>
MIB = 1 << 20
LARGEST = 1 << 30  # bytes of a block up to which it is kept
LARGE = MIB // 4  # bytes of a block that is worth a call of the kernel


class Mallinfo(ctypes.Structure):
    """glibc's `struct mallinfo2`: the statistics of its allocator, in bytes."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            "arena",
            "ordblks",
            "smblks",
            "hblks",
            "hblkhd",
            "usmblks",
            "fsmblks",
            "uordblks",
            "fordblks",
            "keepcost",
        )
    ]


def glibc() -> ctypes.CDLL | None:
    """The C library if it is glibc, else None."""
    try:
        library = ctypes.CDLL(None)
        return library if hasattr(library, "gnu_get_libc_version") else None
    except (OSError, TypeError):
        return None


def keep_blocks(limit: int) -> bool:
    """Keeps up to `limit` bytes of freed memory for reuse. Returns whether that was possible."""
    library = glibc()
    if library is None:
        return False
    settings = ((M_MMAP_THRESHOLD, LARGEST), (M_TRIM_THRESHOLD, limit), (M_TOP_PAD, min(limit, 64 * MIB)))
    taken = [library.mallopt(option, min(value, 2**31 - 1)) for option, value in settings]  # all are tried
    return all(taken)


@contextmanager
def blocks_returned() -> Iterator[None]:
    """Within it, large blocks come from the kernel one by one, and are returned to it when they are freed.

    For work that needs far more memory than what follows, and makes small things that stay: among kept blocks these
    would leave holes, which later arrays fit into badly.
    """
    library = glibc() if limit_of_kept() > 0 else None
    if library is None:
        yield
        return
    library.mallopt(M_MMAP_THRESHOLD, LARGE)
    try:
        yield
    finally:
        library.mallopt(M_MMAP_THRESHOLD, LARGEST)


def empty_cache() -> bool:
    """Returns freed memory to the kernel. Returns whether there was any.

    >>> from rushlight.machine import memory
    >>> memory.empty_cache() in (True, False)
    True
    """
    library = glibc()
    return bool(library and library.malloc_trim(0))


def memory_info() -> dict[str, int]:
    """Bytes that the process's allocator has `in_use`, `held` for reuse, and `mapped` separately; empty without glibc.

    >>> from rushlight.machine import memory
    >>> all(size >= 0 for size in memory.memory_info().values())
    True
    """
    library = glibc()
    if library is None or not hasattr(library, "mallinfo2"):
        return {}
    library.mallinfo2.restype = Mallinfo
    info = library.mallinfo2()
    return {"in_use": info.uordblks, "held": info.fordblks, "mapped": info.hblkhd}


def limit_of_kept() -> int:
    """The configured limit in MiB."""
    return int(os.environ.get("RUSHLIGHT_KEEP_MEMORY", "512"))


def keep_blocks_as_configured() -> None:
    """Applies the configured limit when rushlight is imported."""
    limit = limit_of_kept()
    if limit > 0:
        keep_blocks(limit * MIB)
