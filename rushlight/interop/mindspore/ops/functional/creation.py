"""New tensors: constant, and random from rushlight's generator (`ms.set_seed`), whose numbers are not MindSpore's."""

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
    """Ones, in float32 unless told otherwise.

    >>> import rushlight.interop.mindspore as ms
    >>> print(ms.ops.ones((2, 2), ms.int32))
    [[1 1]
     [1 1]]
    """
    return wrapped(torch.ones(sizes(shape), dtype=to_native(dtype)))


def zeros(size: Sizes, dtype: Type | None = None) -> Tensor:
    """Zeros, in float32 unless told otherwise."""
    return wrapped(torch.zeros(sizes(size), dtype=to_native(dtype)))


def full(size: Sizes, fill_value: Any, *, dtype: Type | None = None) -> Tensor:
    """One value everywhere."""
    return wrapped(torch.full(sizes(size), fill_value, dtype=to_native(dtype)))


def full_like(input: Tensor, fill_value: Any, *, dtype: Type | None = None) -> Tensor:
    """One value everywhere, in the shape of a tensor."""
    return wrapped(torch.full_like(input._value, fill_value, dtype=to_native(dtype)))


def eye(n: int, m: int | None = None, dtype: Type | None = None) -> Tensor:
    """Ones on the diagonal, zeros elsewhere."""
    return wrapped(torch.eye(n, n if m is None else m, dtype=to_native(dtype)))


def rand(*size: int, dtype: Type | None = None, seed: int | None = None) -> Tensor:
    """Uniform numbers in [0, 1)."""
    return wrapped(torch.rand(sizes(size), generator=generator(seed), dtype=to_native(dtype)))


def randn(*size: int, dtype: Type | None = None, seed: int | None = None) -> Tensor:
    """Normal numbers of mean 0 and variance 1."""
    return wrapped(torch.randn(sizes(size), generator=generator(seed), dtype=to_native(dtype)))


def randint(low: int, high: int, size: Sizes, seed: int | None = None, *, dtype: Type | None = None) -> Tensor:
    """Integers in [low, high)."""
    return wrapped(torch.randint(low, high, sizes(size), generator=generator(seed), dtype=to_native(dtype)))


def standard_normal(shape: Sizes, seed: int | None = None) -> Tensor:
    """Normal numbers of mean 0 and variance 1."""
    return randn(*sizes(shape), seed=seed)


def normal(shape: Sizes, mean: Any, stddev: Any, seed: int | None = None) -> Tensor:
    """Normal numbers."""
    return wrapped(randn(*sizes(shape), seed=seed)._value * unwrapped(stddev) + unwrapped(mean))


def uniform(shape: Sizes, minval: Any, maxval: Any, seed: int | None = None, dtype: Type | None = None) -> Tensor:
    """Uniform numbers in [minval, maxval)."""
    low, high = unwrapped(minval), unwrapped(maxval)
    return wrapped(rand(*sizes(shape), seed=seed, dtype=dtype)._value * (high - low) + low)


def generator(seed: int | None) -> torch.Generator | None:
    """A generator of its own for a seed; None, the common one, without."""
    return None if seed is None else torch.Generator().manual_seed(seed)
