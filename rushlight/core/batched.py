"""Batched arrays: what a tensor holds inside `vmap`. They look like the array of one example.

A `Batched` array stores the batch dimensions of all its levels first, the outermost level first. A level's dimension
may have size 1: then all examples share their values. Its public attributes (`shape`, `ndim`, ...) are those of one
example; all computation with it goes through the operators and their batching rules.
"""

from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from itertools import count
from typing import Any

import numpy as np

from rushlight.core.above import ABOVE
from rushlight.core.aliases import Array
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.layouts import laid_over

NUMBERS = count(1)
ENTERED = ContextVar("rushlight_levels", default=())  # the levels of `vmap` active in this context, outermost first


class Level:
    """One `vmap`: its number, which orders the levels, the number of examples, and how it treats randomness.

    `places` tells for each tensor that came in, by its place in memory, which dimension holds the examples.
    """

    __slots__ = ("number", "places", "randomness", "size")

    def __init__(self, size: Any, randomness: str = "error") -> None:
        self.number: int = next(NUMBERS)
        self.size: Any = size
        self.randomness: str = randomness
        self.places: dict[Any, Any] = {}


class Batched(np.lib.mixins.NDArrayOperatorsMixin):
    """An array with batch dimensions in front, one for each of `levels`, that looks like one of its examples."""

    __slots__ = ("array", "levels")

    def __init__(self, array: Array, levels: tuple[Level, ...]):
        self.array: Array = array
        self.levels: tuple[Level, ...] = levels

    # attributes: those of an example

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape[len(self.levels) :]

    @property
    def strides(self) -> tuple[int, ...]:
        return self.array.strides[len(self.levels) :]

    @property
    def has_data(self) -> bool:
        return self.levels[0].number >= 0

    @property
    def ndim(self) -> int:
        return self.array.ndim - len(self.levels)

    @property
    def size(self) -> int:
        return self.example().size

    @property
    def nbytes(self) -> Any:
        return self.example().nbytes

    @property
    def flags(self) -> Any:
        if self.has_data:
            return self.example().flags
        return laid_over(np.empty(1, self.dtype), self.shape, self.strides).flags

    @property
    def dtype(self) -> np.dtype:
        return self.array.dtype

    @property
    def itemsize(self) -> int:
        return self.array.itemsize

    @property
    def base(self) -> Any:
        return self.array.base

    def example(self) -> Array:
        """The first example's array; where there are no examples, an array of the same layout."""
        if 0 in self.array.shape[: len(self.levels)]:
            return np.ndarray(self.shape, self.dtype, bytearray(self.dtype.itemsize), 0, (0,) * self.ndim)
        return self.array[(0,) * len(self.levels) + (...,)]

    def sizes(self) -> Any:
        """The sizes of the batch dimensions; 1 where examples share their values."""
        return self.array.shape[: len(self.levels)]

    @property
    def real(self) -> Any:
        return Batched(self.array.real, self.levels)

    @property
    def imag(self) -> Any:
        return Batched(self.array.imag, self.levels)

    def __len__(self) -> int:
        return len(self.example())

    # over all examples: for checks of arguments and shortcuts

    def any(self) -> bool:
        return self.array.any()

    def all(self) -> bool:
        return self.array.all()

    def min(self) -> int:
        return self.array.min() if self.array.size else 0

    def max(self) -> int:
        return self.array.max() if self.array.size else 0

    # other arrays

    def astype(self, dtype: Any, order: str = "K", copy: bool = True) -> Array:
        return Batched(self.array.astype(dtype, order, copy=copy), self.levels)

    def copy(self, order: str = "C") -> Array:
        return Batched(self.array.copy(order), self.levels)

    def conj(self) -> Any:
        return Batched(self.array.conj(), self.levels)

    def view(self, dtype: Any) -> Array:
        return Batched(self.array.view(dtype), self.levels)

    def reshape(self, *shape: Sequence[int] | int) -> Array:
        return tensors([self])[0].reshape(*shape)._array

    def __getitem__(self, key: Any) -> Array:
        key = key if isinstance(key, tuple) else (key,)
        if any(isinstance(item, (Batched, np.ndarray, list)) for item in key):
            return tensors([self])[0][key]._array
        return Batched(self.array[(slice(None),) * len(self.levels) + key], self.levels)

    def __setitem__(self, key: Any, value: Any) -> None:
        if not self.has_data:
            return
        key = key if isinstance(key, tuple) else (key,)
        if isinstance(value, Batched) or any(isinstance(item, (Batched, np.ndarray, list)) for item in key):
            raise RuntimeError("vmap: this function overwrites elements by values, which differ between the examples.")
        self.array[(slice(None),) * len(self.levels) + key] = value

    # NumPy's functions, which are those of tensors

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return like(inputs, ABOVE.ufunc_on_tensors(ufunc, method, tensors(inputs), kwargs))

    def __array_function__(
        self, function: Callable[..., Any], types: Any, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> Array:
        if function in (np.zeros_like, np.ones_like, np.empty_like):
            return same_examples_like(function, *args, **kwargs)
        return like(args, ABOVE.function_on_tensors(function, tensors(args), kwargs))

    # operations that would need a single number or array

    def item(self) -> Any:
        if not self.has_data:
            raise RuntimeError("Tensor.item() cannot be called on meta tensors")
        raise RuntimeError(
            "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a "
            "Tensor, please try to rewrite what you're doing with other operations."
        )

    def tolist(self) -> Any:
        if not self.has_data:
            raise NotImplementedError("Cannot copy out of meta tensor; no data!")
        raise RuntimeError(
            "vmap: It looks like you're calling .tolist() on a Tensor. Each example has its own values: return the "
            "tensor from the function and call tolist() outside of vmap."
        )

    def __bool__(self) -> bool:
        if not self.has_data:
            self.item()
        raise RuntimeError(
            "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't "
            "support that yet: choose by values with torch.where, or loop over the examples."
        )

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if not self.has_data:
            raise TypeError(
                "can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory "
                "first."
            )
        raise RuntimeError(
            "Cannot access data pointer of Tensor that doesn't have storage: inside vmap a tensor stands for one "
            "example of many, and has no values of its own. Return it from the function and convert it outside of vmap."
        )

    @property
    def __array_interface__(self) -> Any:
        raise AttributeError("__array_interface__: inside vmap a tensor has no values of its own")

    __float__ = __int__ = __index__ = __complex__ = item


def same_examples_like(
    like: Callable[..., Any], a: Any, dtype: Any = None, shape: Sequence[int] | None = None, **options: Any
) -> Array:
    """`np.zeros_like` and similar functions: an array for as many examples, of any shape."""
    sizes = a.array.shape[: len(a.levels)]
    return Batched(
        like(a.array, dtype=dtype, shape=(*sizes, *(a.shape if shape is None else shape)), **options), a.levels
    )


def tensors(values: Iterable[Any]) -> tuple[Any, ...]:
    """The values, with each array wrapped in a tensor."""
    return tuple([new_tensor(value) if isinstance(value, (Batched, np.ndarray)) else value for value in values])


def like(inputs: Iterable[Any], result: TensorBase) -> Any:
    """A result in the form of the inputs: a tensor if one of these is a tensor, else the tensor's array."""
    return result if any(isinstance(value, TensorBase) for value in inputs) else result._array


def levels_of(*values: Any) -> tuple[Level, ...]:
    """All levels that some arrays (or lists of arrays) are batched on, in order."""
    same = None
    for value in values:
        if type(value) is Batched and (same is None or value.levels is same):
            same = value.levels
        elif type(value) is Batched or type(value) is tuple or type(value) is list:
            return levels_joined(values)
    return () if same is None else same


def levels_joined(values: Iterable[Any]) -> tuple[Level, ...]:
    """`levels_of`, where levels differ or arrays are in lists."""
    found: set[Level] = set()
    for value in values:
        if type(value) is Batched:
            found.update(value.levels)
        elif type(value) is tuple or type(value) is list:
            found.update(levels_joined(value))
    return tuple(sorted(found, key=lambda level: level.number)) if found else ()


def aligned(array: Array, levels: Sequence[Level]) -> Array:
    """An ordinary array with one leading dimension for each level, of size 1 where the array is not batched on it."""
    if type(array) is not Batched:
        return array[(None,) * len(levels) + (...,)]
    if array.levels == levels:
        return array.array
    return array.array[tuple(slice(None) if level in array.levels else None for level in levels)]


def spread(array: Array, levels: Sequence[Level]) -> Array:
    """`aligned`, with each leading dimension expanded to the size of its level."""
    sizes = tuple([level.size for level in levels])
    array = aligned(array, levels)
    return array if array.shape[: len(sizes)] == sizes else np.broadcast_to(array, sizes + array.shape[len(sizes) :])


def repeated(array: Array, levels: Any) -> Any:
    """`spread`, copied, so that each example has memory of its own."""
    return Batched(np.array(spread(array, levels)), levels)


def grown(array: Array, n: int, ndim: int) -> Array:
    """An array with `n` batch dimensions, and dimensions of size 1 inserted after them until an example has `ndim`."""
    missing = n + ndim - array.ndim
    return array[(slice(None),) * n + (None,) * missing] if missing > 0 else array


def lifted(array: Array, levels: Sequence[Level], ndim: int) -> Array:
    """An array with leading batch dimensions for the levels, then dimensions of size 1 until an example has `ndim`."""
    return grown(aligned(array, levels), len(levels), ndim)


def values(array: Array) -> Array:
    """The values of all examples of an array, for messages."""
    return array.array if type(array) is Batched else array
