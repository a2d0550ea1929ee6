"""Constant and random tensors; random numbers come from rushlight's generator, and differ from MindSpore's."""

from typing import Any

import rushlight as torch
from rushlight.interop.mindspore.common.dtype import Type, to_native
from rushlight.interop.mindspore.common.lifting import unwrapped, wrapped
from rushlight.interop.mindspore.common.tensor import Tensor
from rushlight.interop.mindspore.ops.functional.shapes import Sizes

__all__ = [
    "eye",
    "full",
    "full_like",
    "normal",
    "ones",
    "rand",
    "randint",
    "randn",
    "standard_normal",
    "uniform",
    "zeros",
]


def sizes(shape: Sizes) -> tuple[int, ...]:
    """A shape as a tuple."""
    return (shape,) if isinstance(shape, int) else tuple(shape)


def ones(shape: Sizes, dtype: Type | None = None) -> Tensor:
    """Ones, by default float32.

    >>> import rushlight.interop.mindspore as ms
    >>> print(ms.ops.ones((2, 2), ms.int32))
    [[1 1]
     [1 1]]
    """
    return wrapped(torch.ones(sizes(shape), dtype=to_native(dtype)))


def zeros(size: Sizes, dtype: Type | None = None) -> Tensor:
    """Zeros, by default float32."""
    return wrapped(torch.zeros(sizes(size), dtype=to_native(dtype)))


def full(size: Sizes, fill_value: Any, *, dtype: Type | None = None) -> Tensor:
    """A tensor filled with one value."""
    return wrapped(torch.full(sizes(size), fill_value, dtype=to_native(dtype)))


def full_like(input: Tensor, fill_value: Any, *, dtype: Type | None = None) -> Tensor:
    """A tensor filled with one value, in the shape of another."""
    return wrapped(torch.full_like(input._value, fill_value, dtype=to_native(dtype)))


def eye(n: int, m: int | None = None, dtype: Type | None = None) -> Tensor:
    """Ones on the diagonal, zeros elsewhere."""
    return wrapped(torch.eye(n, n if m is None else m, dtype=to_native(dtype)))


def rand(*size: int, dtype: Type | None = None, seed: int | None = None) -> Tensor:
    """Uniform random numbers in [0, 1)."""
    return wrapped(torch.rand(sizes(size), generator=generator(seed), dtype=to_native(dtype)))


def randn(*size: int, dtype: Type | None = None, seed: int | None = None) -> Tensor:
    """Normal random numbers of mean 0 and variance 1."""
    return wrapped(torch.randn(sizes(size), generator=generator(seed), dtype=to_native(dtype)))


def randint(low: int, high: int, size: Sizes, seed: int | None = None, *, dtype: Type | None = None) -> Tensor:
    """Random integers in [low, high)."""
    return wrapped(torch.randint(low, high, sizes(size), generator=generator(seed), dtype=to_native(dtype)))


def standard_normal(shape: Sizes, seed: int | None = None) -> Tensor:
    """Normal random numbers of mean 0 and variance 1."""
    return randn(*sizes(shape), seed=seed)


def normal(shape: Sizes, mean: Any, stddev: Any, seed: int | None = None) -> Tensor:
    """Normal random numbers."""
    return wrapped(randn(*sizes(shape), seed=seed)._value * unwrapped(stddev) + unwrapped(mean))


def uniform(shape: Sizes, minval: Any, maxval: Any, seed: int | None = None, dtype: Type | None = None) -> Tensor:
    """Uniform random numbers in [minval, maxval)."""
    low, high = unwrapped(minval), unwrapped(maxval)
    return wrapped(rand(*sizes(shape), seed=seed, dtype=dtype)._value * (high - low) + low)


def generator(seed: int | None) -> torch.Generator | None:
    """A new generator for a seed; without a seed None, which stands for the default generator."""
    return None if seed is None else torch.Generator().manual_seed(seed)
