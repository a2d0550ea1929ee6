"""Large work shared among threads: kernels and NumPy's loops let go of the interpreter while they compute."""

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import count
from threading import local

from rushlight import blas

__all__ = ["get_num_threads", "set_num_threads", "share"]

NUMBER = blas.get_num_threads()
POOL: ThreadPoolExecutor | None = None
WHERE = local()  # `helping` in the threads of the pool: work that they share out would wait for themselves


def get_num_threads() -> int:
    """The number of threads that large work is shared among: matrix products, convolutions, elementwise work.

    At first as many as NumPy's BLAS uses: one for each CPU core, or what OMP_NUM_THREADS or OPENBLAS_NUM_THREADS say.

    >>> import rushlight as torch
    >>> torch.get_num_threads() >= 1
    True
    """
    return NUMBER


def set_num_threads(num: int, /) -> None:
    """Sets the number of threads that large work is shared among, here and in NumPy's BLAS where that is OpenBLAS.

    RuntimeError for what is no positive integer.

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
        POOL.shutdown(wait=False)
    forget()


def share(work: Callable[[int, int], object], size: int, grain: int) -> None:
    """Calls `work(start, stop)` for parts of range(size), of `grain` or fewer, each once, on several threads.

    The caller works too, and returns when all is done. The parts are taken in turn by whoever is free; so `grain`
    should leave a few of them for each thread, and be large enough for some tens of microseconds. What a part
    raises is raised here.
    """
    parts = -(-size // grain)
    helpers = min(NUMBER, parts) - 1
    if helpers < 1 or getattr(WHERE, "helping", False):
        for start in range(0, size, grain):
            work(start, min(start + grain, size))
        return
    turns = count()

    def take():
        for turn in turns:
            if turn >= parts:
                return
            work(turn * grain, min((turn + 1) * grain, size))

    helping = call_for_help(take, helpers)
    try:
        take()
    finally:
        at_work = [future for future in helping if not future.cancel()]
        wait(at_work)
    for future in at_work:
        future.result()


def call_for_help(task: Callable[[], object], helpers: int) -> list[Future]:
    """Gives a task to threads of the pool, which start when first needed; to none while Python ends."""
    global POOL
    pool = POOL
    if pool is None:
        pool = POOL = ThreadPoolExecutor(NUMBER - 1, "rushlight", initializer=mark_helper)
    try:
        return [pool.submit(task) for _ in range(helpers)]
    except RuntimeError:  # it was shut down meanwhile
        return []


def mark_helper() -> None:
    """Marks a thread as one of the pool."""
    WHERE.helping = True


def forget() -> None:
    """Does without the pool's threads: others are wanted, or they stayed behind in the parent process of a fork."""
    global POOL
    POOL = None


os.register_at_fork(after_in_child=forget)
