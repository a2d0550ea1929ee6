"""MPI as this package uses it: loaded when first needed, its operations by PyTorch's names, its end with the process.

mpi4py is the only door to MPI, and this file the only one that opens it.
"""

import atexit
import os
import sys
import traceback
from collections.abc import Callable
from functools import cache, partial
from multiprocessing import util
from typing import Any, NamedTuple

import numpy as np

from rushlight.distributed.reduce_ops import ReduceOp
from rushlight.launch.end import ask_to_end_all, say_end
from rushlight.launch.start import INSTALL

__all__ = "available before_finish fail load operation running start tags typed when_finished".split()


@cache
def load() -> Any:
    """The module `mpi4py.MPI`, not yet started. RuntimeError, with what to install, where it is missing."""
    try:
        import mpi4py

        mpi4py.rc.initialize = False  # `start` does, once it is known how this process joins the others
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        raise RuntimeError(
            f"torch.distributed runs on MPI, which cannot be loaded here ({error}). Install it: {INSTALL}."
        ) from error
    return MPI


def available() -> bool:
    """Whether MPI can be loaded."""
    try:
        load()
    except RuntimeError:
        return False
    return True


@cache
def start() -> Any:
    """Starts MPI in this process, so that it ends with it; gives `mpi4py.MPI`."""
    MPI = load()
    if not MPI.Is_initialized():
        MPI.Init_thread(MPI.THREAD_MULTIPLE)
        Started.by = os.getpid()
        atexit.register(finish)
        util.Finalize(None, finish, exitpriority=0)  # children of `multiprocessing` leave without `atexit`
        sys.excepthook = partial(end_all, sys.excepthook)
    return MPI


class Started:
    """Which process started MPI: its forks have MPI's memory, but are none of the processes that MPI knows."""

    by: int | None = None


SEATED: list[Callable[[], object]] = []  # what to call once MPI has ended, in a process with a seat


def when_finished(function: Callable[[], object]) -> None:
    """Has a function called once MPI has ended in this process, which has a seat (see `seats.py`)."""
    SEATED.append(function)


ENDING: list[Callable[[], object]] = []  # what to call before MPI ends


def before_finish(function: Callable[[], object]) -> None:
    """Has a function called before MPI ends in this process: once, however often it is said."""
    if function not in ENDING:
        ENDING.append(function)


def running() -> bool:
    """Whether this process has started MPI, and MPI has not ended."""
    return Started.by == os.getpid() and not load().Is_finalized()


def finish() -> None:
    """Ends MPI with the process: together with the others at its end, but after an exception at once and for all."""
    if not running():
        return
    error = sys.exc_info()[1]
    if error is not None:
        if not isinstance(error, SystemExit):
            traceback.print_exception(error)
        fail(error)
    for function in ENDING:
        function()
    load().Finalize()
    for function in SEATED:
        function()


def end_all(show: Callable[..., Any], *error: Any) -> None:
    """Shows an exception that nobody caught, and ends all processes: the others would wait for this one for ever."""
    show(*error)
    fail(error[1])


def fail(error: BaseException) -> None:
    """Ends this process, which an exception ends, and the others, if it has some; what it has written arrives."""
    status = 1
    if isinstance(error, SystemExit):
        status = error.code if isinstance(error.code, int) else int(error.code is not None)
    if status == 0 or not running() or load().COMM_WORLD.size == 1:
        return
    if isinstance(error, SystemExit) and not isinstance(error.code, int):
        print(error.code, file=sys.stderr)
    if SEATED:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)  # the seat notices, and with it go those of the others
    say_end(status, os.getpid())
    ask_to_end_all()
    load().COMM_WORLD.Abort(1)


class Tags(NamedTuple):
    """The tags of this package's own messages: the largest that MPI knows. Users have those below."""

    call: int
    answer: int
    came: int
    all_came: int


@cache
def tags() -> Tags:
    """The tags of messages of this package's own."""
    last = load().COMM_WORLD.Get_attr(load().TAG_UB)
    return Tags(*range(last - 3, last + 1))


@cache
def datatypes() -> dict[np.dtype, Any]:
    """MPI's types of elements by NumPy's."""
    MPI = load()
    kinds = {
        "b1": MPI.C_BOOL,
        "u1": MPI.UINT8_T,
        "i1": MPI.INT8_T,
        "i2": MPI.INT16_T,
        "i4": MPI.INT32_T,
        "i8": MPI.INT64_T,
        "u2": MPI.UINT16_T,
        "u4": MPI.UINT32_T,
        "u8": MPI.UINT64_T,
        "f4": MPI.FLOAT,
        "f8": MPI.DOUBLE,
        "c8": MPI.C_FLOAT_COMPLEX,
        "c16": MPI.C_DOUBLE_COMPLEX,
    }
    return {np.dtype(kind): datatype for kind, datatype in kinds.items()}


def typed(array: np.ndarray) -> list[Any]:
    """An array as MPI takes it for arithmetic: with the type of its elements."""
    return [array, datatypes()[array.dtype]]


@cache
def operation(op: ReduceOp, dtype: np.dtype) -> Any:
    """MPI's operation for one of PyTorch's, on elements of a type.

    Boolean sums and maxima are "or", products and minima "and". RuntimeError for operations that the type lacks,
    ValueError for an order of complex numbers.
    """
    MPI = load()
    if dtype.kind == "b":
        logical = {
            ReduceOp.SUM: MPI.LOR,
            ReduceOp.MAX: MPI.LOR,
            ReduceOp.BOR: MPI.LOR,
            ReduceOp.BXOR: MPI.LXOR,
            ReduceOp.PRODUCT: MPI.LAND,
            ReduceOp.MIN: MPI.LAND,
            ReduceOp.BAND: MPI.LAND,
        }
        if op in logical:
            return logical[op]
    elif op in (ReduceOp.BAND, ReduceOp.BOR, ReduceOp.BXOR):
        if dtype.kind in "iu":
            return {ReduceOp.BAND: MPI.BAND, ReduceOp.BOR: MPI.BOR, ReduceOp.BXOR: MPI.BXOR}[op]
        raise RuntimeError(f"Cannot use ReduceOp.{op.name} with non-integral dtype: got {dtype} tensors.")
    elif op in (ReduceOp.MIN, ReduceOp.MAX):
        if dtype.kind == "c":
            raise ValueError(f"ReduceOp.{op.name} is not supported on complex tensors: they have no order.")
        if dtype.kind in "iuf":
            return MPI.MIN if op is ReduceOp.MIN else MPI.MAX
    elif dtype in datatypes():
        return MPI.PROD if op is ReduceOp.PRODUCT else MPI.SUM
    raise RuntimeError(f"Cannot use ReduceOp.{op.name} with {dtype} tensors: convert them to a type that has it.")
