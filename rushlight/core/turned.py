"""Lazily conjugated or negated arrays, which `conj` and the `imag` of a conjugate return (PyTorch's conj and neg bits).

A tensor holds a `Turned` array in place of an ordinary one. A view of it is a view of the same memory, conjugated or
negated in the same way; all other operations use its values, which are computed then. Values written to it are
converted back before they are stored.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.kernels.parts import applied

PLACE = frozenset(["base", "dtype", "flags", "itemsize", "nbytes", "ndim", "shape", "size", "strides"])


def turn(array: Array, conjugate: bool, negate: bool) -> Array:
    """An array, conjugated or negated lazily. Real numbers are their own conjugates."""
    if type(array) is Turned:
        conjugate, negate, array = conjugate != array.conjugate, negate != array.negate, array.memory
    conjugate = conjugate and array.dtype.kind == "c"
    return Turned(array, conjugate, negate) if conjugate or negate else array


def turning(array: Array) -> tuple[bool, ...]:
    """Whether an array lazily conjugates its memory, and whether it negates it."""
    return (array.conjugate, array.negate) if type(array) is Turned else (False, False)


def memory(array: Array) -> Array:
    """The ordinary array of the values in memory."""
    return array.memory if type(array) is Turned else array


def plain(value: Any) -> Any:
    """A value with ordinary arrays in place of lazily conjugated ones, also in lists."""
    if type(value) is Turned:
        return value.values()
    if type(value) is tuple or type(value) is list:
        return type(value)([plain(item) for item in value])
    return value


def conjugated(cotangent: Array) -> Any:
    """The conjugate of a cotangent, lazily."""
    if type(cotangent) is np.ndarray or type(cotangent) is Turned:
        return turn(cotangent, True, False)
    return cotangent.conj()


class Turned(np.lib.mixins.NDArrayOperatorsMixin):
    """The array `memory`, each element conjugated, negated, or both."""

    __slots__ = ("conjugate", "memory", "negate")

    def __init__(self, memory: Array, conjugate: bool, negate: bool):
        self.memory: Array = memory
        self.conjugate: bool = conjugate
        self.negate: bool = negate

    def turned(self, values: Array) -> Array:
        """Values as this array would show them if they were in its memory."""
        values = applied(np.conjugate, (values,)) if self.conjugate else values
        return applied(np.negative, (values,)) if self.negate else values

    def stored(self, values: Array) -> Any:
        """The values that must be in memory for this array to show the given ones."""
        return self.turned(np.asarray(values).astype(self.memory.dtype, copy=False))

    def values(self) -> Array:
        """The values shown, as an ordinary array of the same layout."""
        values = self.turned(self.memory)
        return values if self.memory.ndim else values[...]  # NumPy makes 0-dimensional results numbers

    def alike(self, seen: Array) -> Array:
        """A view of the memory (or several views), conjugated and negated as this array."""
        if type(seen) is tuple or type(seen) is list:
            return [self.alike(part) for part in seen]
        return turn(seen, self.conjugate, self.negate)

    # the values shown

    @property
    def real(self) -> Any:
        """The real parts, as a view."""
        return turn(self.memory.real, False, self.negate)

    @property
    def imag(self) -> Any:
        """The imaginary parts, as a view; of real numbers zeros."""
        return turn(self.memory.imag, False, self.negate != self.conjugate)

    def __getattr__(self, name: str) -> Any:
        """Attributes about memory come from the memory; all other attributes and methods from the values."""
        if name.startswith("__"):  # NumPy's protocols must not see the memory
            raise AttributeError(name)
        return getattr(self.memory if name in PLACE else self.values(), name)

    def __getitem__(self, key: Any) -> Any:
        part = self.memory[key]
        return turn(part, self.conjugate, self.negate) if isinstance(part, np.ndarray) else self.turned(part)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.memory[key] = self.stored(value)

    def __len__(self) -> int:
        return len(self.memory)

    def __bool__(self) -> bool:
        return bool(self.values())

    def __float__(self) -> float:
        return float(self.values())

    def __int__(self) -> int:
        return int(self.values())

    def __complex__(self) -> Any:
        return complex(self.values())

    # NumPy's functions

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.values() if dtype is None else self.values().astype(dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Sequence[Any], out: Any = (), **kwargs: Any) -> Any:
        outs = tuple([None if type(array) is Turned else array for array in out])
        if any(target is not None for target in outs):
            kwargs["out"] = outs
        result = getattr(ufunc, method)(*plain(inputs), **kwargs)
        for target, part in zip(out, result if type(result) is tuple else (result,), strict=False):
            if type(target) is Turned:
                target[...] = part
        return out[0] if len(out) == 1 else out or result

    def __array_function__(self, function: Any, types: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        if function is np.copyto and type(args[0]) is Turned:
            target, source, *rest = args
            return np.copyto(target.memory, target.stored(source), *rest, **kwargs)
        if function is np.real or function is np.imag:
            return args[0].real if function is np.real else args[0].imag
        if function in (np.may_share_memory, np.shares_memory):
            return function(*[memory(arg) for arg in args], **kwargs)
        return function(*plain(args), **{name: plain(value) for name, value in kwargs.items()})
