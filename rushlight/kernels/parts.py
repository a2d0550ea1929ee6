"""NumPy's work on large arrays in parts, which threads share: copies, and elementwise functions of any dtypes."""

import contextvars
import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from types import ModuleType
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from rushlight.kernels.compiled import load
from rushlight.machine import threads

__all__ = [
    "applied",
    "assign",
    "by_rows",
    "by_slices",
    "concatenated",
    "contiguous",
    "duplicate",
    "of_parts",
    "stacked",
    "tiled",
    "write_parts",
]

LARGE = 1 << 20  # bytes from which on threads pay off
PART = 1 << 20  # bytes of one thread's part
SLOW = 1 << 16  # bytes from which on they do for functions that take long
MANY = 8  # parts that threads can share evenly

fast: ModuleType | None = load("moves")
ndarray = np.ndarray


def assign(out: Any, values: Any) -> None:
    """Writes values, converted and broadcast, into an array: `np.copyto`."""
    if type(out) is type(values) is ndarray:
        if fast is not None and fast.assigned(out, values):
            return
        if out.nbytes < LARGE:
            out[...] = values
            return
    if type(out) is not ndarray or out.nbytes < LARGE or not may_share(out, values):
        np.copyto(out, values, casting="unsafe")
        return
    if type(values) is not ndarray:
        values = np.asarray(values)
    if out.flags.c_contiguous and values.flags.c_contiguous and values.shape == out.shape:
        out, values = out.reshape(-1), values.reshape(-1)
    elif values.ndim:
        values = np.broadcast_to(values, out.shape)
    by_rows(lambda rows, given: np.copyto(rows, given, casting="unsafe"), out, values)


def may_share(out: ndarray, values: Any) -> bool:
    """Whether threads may write values into an array: none reads what another writes, and there are no objects."""
    if not isinstance(values, ndarray):
        return isinstance(values, (int, float, complex, np.generic)) and out.dtype.num <= MOST_PLAIN
    return (
        type(values) is ndarray
        and values.ndim <= out.ndim
        and max(out.dtype.num, values.dtype.num) <= MOST_PLAIN
        and not np.may_share_memory(out, values)
    )


MOST_PLAIN = np.dtype(complex).num  # the last of NumPy's types of booleans, integers, floats and complex numbers


def by_rows(work: Callable[..., Any], out: ndarray, *arrays: ndarray) -> None:
    """Calls a function on parts of arrays of one shape, cut along a long dimension with large steps in `out`.

    An array without dimensions goes to each call.
    """
    first = max(range(out.ndim), key=lambda d: (min(out.shape[d], MANY), abs(out.strides[d])))
    turned = [x.swapaxes(0, first) if x.ndim else x for x in (out, *arrays)]
    context, rows = contextvars.copy_context(), out.shape[first]

    def part(start: int, stop: int) -> None:
        context.copy().run(work, *[x[start:stop] if x.ndim else x for x in turned])

    threads.share(part, rows, max(1, PART * rows // max(out.nbytes, 1)))


def of_parts(function: Callable[[int, int], Any], size: int, grain: int) -> list[Any]:
    """What a function of `start` and `stop` gives for each part of a range, in order."""
    found: dict[int, Any] = {}

    def part(start: int, stop: int) -> None:
        found[start] = function(start, stop)

    threads.share(part, size, grain)
    return [found[start] for start in sorted(found)]


def by_slices(function: Callable[[ndarray], Any], x: Any, dim: int) -> Any:
    """The value of a slow function that computes each line along a dimension alone: an array, or several in a tuple."""
    cut = 0 if dim else 1
    if type(x) is not ndarray or x.nbytes < SLOW or x.ndim <= cut or x.shape[cut] < MANY:
        return function(x)

    def part(start: int, stop: int) -> Any:
        return function(x[start:stop] if cut == 0 else x[:, start:stop])

    parts = of_parts(part, x.shape[cut], max(1, x.shape[cut] // (2 * MANY)))
    if type(parts[0]) is not tuple:
        return np.concatenate(parts, cut)
    return tuple([np.concatenate(list(several), cut) for several in zip(*parts, strict=True)])


def duplicate(x: Any) -> Any:
    """A copy of an array, contiguous: `np.array(x, order="C")`."""
    found = None if fast is None else fast.copied(x)
    return np.array(x, order="C", like=x) if found is None else found


def contiguous(x: np.ndarray) -> np.ndarray:
    """An array itself if it is contiguous, else a copy that is."""
    return x if x.flags.c_contiguous else duplicate(x)


# elementwise functions


def applied(function: Callable[..., Any], operands: tuple[Any, ...]) -> Any:
    """The value of an elementwise function; for large arrays in parts if it is made of NumPy's functions alone."""
    first = operands[0]
    if type(first) is not ndarray or first.nbytes < LARGE or not first.flags.forc or not in_step(first, operands):
        return function(*operands)
    if not is_elementwise(function, tuple([x.dtype if type(x) is ndarray else x for x in operands])):
        return function(*operands)
    flat = [x.ravel("K") if type(x) is ndarray and x.size > 1 else x for x in operands]
    out = np.empty_like(first, np.asarray(function(*between(flat, 0, 1))).dtype)
    places = out.ravel("K")
    context = contextvars.copy_context()

    def part(start: int, stop: int) -> None:
        given, target = between(flat, start, stop), places[start:stop]
        if isinstance(function, np.ufunc):
            context.copy().run(function, *given, out=target)
        else:
            target[...] = context.copy().run(function, *given)

    threads.share(part, first.size, PART // first.itemsize)
    return out


def in_step(first: ndarray, operands: tuple[Any, ...]) -> bool:
    """Whether all operands are numbers, or arrays with their elements in the order of the first one's."""
    for x in operands:
        if type(x) is not ndarray:
            if isinstance(x, ndarray) or not isinstance(x, (int, float, complex, np.generic)):
                return False
        elif x.size == 1:
            if x.ndim:
                return False
        elif x.shape != first.shape or not same_order(x, first):
            return False
    return True


def same_order(x: ndarray, y: ndarray) -> bool:
    """Whether two contiguous arrays have their elements in the same order."""
    return (x.flags.c_contiguous and y.flags.c_contiguous) or (x.flags.f_contiguous and y.flags.f_contiguous)


def between(operands: list[Any], start: int, stop: int) -> list[Any]:
    """The operands with parts of arrays."""
    return [x[start:stop] if type(x) is ndarray and x.ndim else x for x in operands]


@lru_cache(maxsize=1024)
def is_elementwise(function: Callable[..., Any], kinds: tuple[Any, ...]) -> bool:
    """Whether a function is made of elementwise functions alone, for arrays of some dtypes and some numbers."""
    try:
        return type(function(*[Probe(kind) if isinstance(kind, np.dtype) else kind for kind in kinds])) is Probe
    except Exception:  # a formula may raise anything when it is not given arrays
        return False


class Probe(NDArrayOperatorsMixin):
    """Stands for an array of some dtype, and allows only elementwise functions, whose results have unknown dtypes."""

    def __init__(self, dtype: np.dtype | None = None):
        if dtype is not None:
            self.dtype = dtype

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> "Probe":
        if method != "__call__" or options or ufunc.nout != 1 or ufunc.signature is not None:
            raise TypeError
        return Probe()

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: dict[str, Any]) -> "Probe":
        if function not in ELEMENTWISE or kwargs:
            raise TypeError
        return Probe()

    real = imag = property(lambda self: Probe())

    def astype(self, dtype: Any, copy: bool = True) -> "Probe":
        """The values in a known dtype."""
        return Probe(np.dtype(dtype))

    def copy(self) -> "Probe":
        """The same values."""
        return self

    def __bool__(self) -> bool:
        raise TypeError

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError


ELEMENTWISE = frozenset([np.where, np.real, np.imag, np.copy, np.zeros_like, np.ones_like])


# arrays made of others


def concatenated(arrays: Sequence[Any], dim: int, dtype: np.dtype[Any] | None) -> Any:
    """`np.concatenate`; empty vectors, of shape (0,), are skipped."""
    found = joined(arrays, dim, dtype, False)
    if found is None:
        found = np.concatenate([x for x in arrays if x.shape != (0,)] or arrays, axis=dim, dtype=dtype)
    return found


def stacked(arrays: Sequence[Any], dim: int, dtype: np.dtype[Any] | None) -> Any:
    """`np.stack`."""
    found = joined(arrays, dim, dtype, True)
    if found is not None:
        return found
    shape = arrays[0].shape
    if dim >= len(shape):
        return np.stack(arrays, dim, dtype=dtype)
    found = np.concatenate(arrays, axis=dim, dtype=dtype)  # faster than np.stack, with the same result
    return found.reshape(*shape[:dim], len(arrays), *shape[dim:])


def joined(arrays: Sequence[Any], dim: int, dtype: np.dtype[Any] | None, new: bool) -> Any:
    """What the kernel makes of arrays that are alike; None if there is none, or they are not."""
    return fast.joined(list(arrays), dim, new) if fast is not None and dtype is None else None


def tiled(x: Any, repeats: Sequence[int]) -> Any:
    """`np.tile`, for at least as many numbers as dimensions."""
    if type(x) is not ndarray or x.nbytes * math.prod(repeats) < LARGE:
        return np.tile(x, repeats)
    shape = (1,) * (len(repeats) - x.ndim) + x.shape
    out = np.empty([n * times for n, times in zip(shape, repeats, strict=True)], x.dtype)
    places = [number for pair in zip(repeats, shape, strict=True) for number in pair]
    assign(out.reshape(places), x.reshape([number for n in shape for number in (1, n)]))
    return out


def write_parts(out: Any, real: Any, imag: Any) -> None:
    """Writes the real and imaginary parts of complex numbers."""

    def write(out: Any, real: Any, imag: Any) -> None:
        out.real, out.imag = real, imag

    if type(out) is ndarray and out.nbytes >= LARGE and out.shape == real.shape == imag.shape:
        by_rows(write, out, real, imag)
    else:
        write(out, real, imag)
