"""The number of threads for large computations."""

from collections.abc import Callable

from rushlight.kernels.compiled import load
from rushlight.machine import blas, processor

__all__ = ["get_num_interop_threads", "get_num_threads", "set_num_interop_threads", "set_num_threads", "share"]

NUMBER = min(blas.get_num_threads(), processor.allowed_cpus())
POOL = load("sharing")
if POOL is not None:
    POOL.use(NUMBER)


def get_num_threads() -> int:
    """The number of threads for large computations: matrix products, convolutions, elementwise operations.

    The default is that of NumPy's BLAS: one for each CPU core, or what OMP_NUM_THREADS or OPENBLAS_NUM_THREADS say; in
    a container no more than its CPU quota.

    >>> import rushlight as torch
    >>> torch.get_num_threads() >= 1
    True
    """
    return NUMBER


def set_num_threads(num: int, /) -> None:
    """Sets the number of threads for large computations, here and in NumPy's BLAS if that is OpenBLAS.

    RuntimeError for anything but a positive integer.

    >>> import rushlight as torch
    >>> torch.set_num_threads(torch.get_num_threads())
    """
    global NUMBER
    if isinstance(num, bool) or not isinstance(num, int):
        raise RuntimeError(f"set_num_threads expects an int, but got {type(num).__name__}")
    if num < 1:
        raise RuntimeError("set_num_threads expects a positive integer")
    NUMBER = num
    blas.set_num_threads(num)
    if POOL is not None:
        POOL.use(num)


def get_num_interop_threads() -> int:
    """The number of operators that run side by side: 1, as each one has all threads.

    >>> import rushlight as torch
    >>> torch.get_num_interop_threads()
    1
    """
    return 1


def set_num_interop_threads(num: int, /) -> None:
    """Allows PyTorch's compiled programs to run operators side by side; here one runs after the other, whatever `num`.

    RuntimeError for anything but a positive integer.

    >>> import rushlight as torch
    >>> torch.set_num_interop_threads(1)
    """
    if isinstance(num, bool) or not isinstance(num, int):
        raise RuntimeError(f"set_num_interop_threads expects an int, but got {type(num).__name__}")
    if num < 1:
        raise RuntimeError("set_num_interop_threads expects a positive integer")


def share(work: Callable[[int, int], object], size: int, grain: int) -> None:
    """Calls `work(start, stop)` once for each part of range(size), of at most `grain` elements, on several threads.

    The caller works too, and returns when all is done. Each thread begins with a share of its own. Exceptions in a part
    are raised here. Without compiled modules the caller works alone.
    """
    if POOL is not None:
        POOL.share(work, size, grain)
        return
    for start in range(0, size, grain):
        work(start, min(start + grain, size))
