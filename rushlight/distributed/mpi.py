"""Access to MPI: loaded at its first use, with PyTorch's names of operations, and finalized with the process.

Only this file imports mpi4py.
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
    """The module `mpi4py.MPI`, not initialized yet. RuntimeError, with what to install, if it is missing."""
    try:
        import mpi4py

        mpi4py.rc.initialize = False  # `start` initializes it, once it is known how this process joins the others
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
    """Initializes MPI in this process, so that it is finalized at the end; returns `mpi4py.MPI`."""
    MPI = load()
    if not MPI.Is_initialized():
        MPI.Init_thread(MPI.THREAD_MULTIPLE)
        Started.by = os.getpid()
        atexit.register(finish)
        util.Finalize(None, finish, exitpriority=0)  # children of `multiprocessing` skip `atexit`
        sys.excepthook = partial(end_all, sys.excepthook)
    return MPI


class Started:
    """The process that initialized MPI: its forks inherit the memory, but are unknown to MPI."""

    by: int | None = None


SEATED: list[Callable[[], object]] = []  # functions to call after MPI has been finalized, in a process with a seat


def when_finished(function: Callable[[], object]) -> None:
    """Registers a function to call after MPI has been finalized in this process, which has a seat (see `seats.py`)."""
    SEATED.append(function)


ENDING: list[Callable[[], object]] = []  # functions to call before MPI is finalized


def before_finish(function: Callable[[], object]) -> None:
    """Registers a function to call once before MPI is finalized in this process; repeated calls have no effect."""
    if function not in ENDING:
        ENDING.append(function)


def running() -> bool:
    """Whether this process has initialized MPI and not finalized it."""
    return Started.by == os.getpid() and not load().Is_finalized()


def finish() -> None:
    """Finalizes MPI at the end of the process: together with the others, but after an exception ends all at once."""
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
    """Shows an uncaught exception, and ends all processes: the others would wait for this one forever."""
    show(*error)
    fail(error[1])


def fail(error: BaseException) -> None:
    """After an exception, ends this process and the others, if there are any; its output is delivered first."""
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
        os._exit(status)  # the seat notices, and ends those of the others
    say_end(status, os.getpid())
    ask_to_end_all()
    load().COMM_WORLD.Abort(1)


class Tags(NamedTuple):
    """The tags of this package's own messages: the largest that MPI allows. Users' tags are below."""

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
    """MPI's datatypes by NumPy dtype."""
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
    """An array in the form that MPI takes for reductions: with its datatype."""
    return [array, datatypes()[array.dtype]]


@cache
def operation(op: ReduceOp, dtype: np.dtype) -> Any:
    """MPI's operation for one of PyTorch's, for a dtype.

    For booleans sums and maxima are "or", products and minima "and". RuntimeError for operations that the dtype does
    not support, ValueError for maxima and minima of complex numbers.
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
