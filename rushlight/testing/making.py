"""`make_tensor`: random tensors for tests."""

import math
from collections.abc import Sequence
from typing import Any

import rushlight
from rushlight.core.lines import warn
from rushlight.dtypes import dtype as Dtype
from rushlight.tensors import Tensor

__all__ = ["make_tensor"]


def make_tensor(
    *shape: Any,
    dtype: Dtype,
    device: Any,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """A tensor of uniform random numbers from `low` to `high`, by default from -9 to 9 (for uint8, from 0).

    ValueError for bounds that are not an interval or are outside the dtype's range, and for options that exclude each
    other.

    >>> import rushlight as torch
    >>> torch.testing.make_tensor((2, 3), dtype=torch.int64, device="cpu", low=1, high=2)
    tensor([[1, 1, 1],
            [1, 1, 1]])
    """
    sizes = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], Sequence) else shape
    exact = not (dtype.is_floating_point or dtype.is_complex)
    if noncontiguous and memory_format is not None:
        raise ValueError(
            "The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got "
            f"{noncontiguous=} and {memory_format=}"
        )
    if requires_grad and exact:
        raise ValueError(f"`requires_grad=True` is not supported for boolean and integral dtypes, but got {dtype=}")
    spread = noncontiguous and math.prod(sizes) > 1
    sizes = (*sizes[:-1], 2 * sizes[-1]) if spread else sizes
    low, high = bounds(dtype, low, high)
    if exact:
        result = rushlight.randint(math.ceil(low), math.ceil(high), sizes, dtype=dtype, device=device)
    else:
        drawn = rushlight.float32 if dtype.itemsize == 1 else dtype  # float8 numbers are rounded ones
        result = rushlight.empty(sizes, dtype=drawn, device=device)
        (rushlight.view_as_real(result) if dtype.is_complex else result).uniform_(low, high)
        result = result.to(dtype)
    if spread:
        result = result[..., 1::2]
    elif memory_format is not None:
        result = result.clone(memory_format=memory_format)
    if exclude_zero:
        result[result == 0] = 1 if exact else rushlight.finfo(dtype).tiny
    return result if exact else result.requires_grad_(requires_grad)


def bounds(dtype: Dtype, low: float | None, high: float | None) -> tuple[float, float]:
    """The bounds that numbers are drawn between."""
    first, last, least, most = interval(dtype)
    low, high = least if low is None else low, most if high is None else high
    for name, value in (("low", low), ("high", high)):
        if math.isnan(value):
            raise ValueError(f"`low` and `high` cannot be NaN, but got {low=} and {high=}: give {name} a number.")
    if low == high and (dtype.is_floating_point or dtype.is_complex):
        warn(
            "Passing `low==high` to `torch.testing.make_tensor` for floating or complex types is deprecated since 2.1 "
            "and will be removed in 2.3. Use `torch.full(...)` instead.",
            FutureWarning,
        )
    elif low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    elif high < first or low >= last:
        raise ValueError(
            f"The value interval specified by `low` and `high` is [{low}, {high}), but {dtype} only supports "
            f"[{first}, {last})"
        )
    return min(max(low, first), last), min(max(high, first), last)


def interval(dtype: Dtype) -> tuple[float, float, float, float]:
    """The smallest and the largest number of a dtype, and the default bounds for random numbers."""
    if dtype is rushlight.bool:
        return 0, 2, 0, 2
    if dtype.is_floating_point or dtype.is_complex:
        info = rushlight.finfo(dtype)
        return info.min, info.max, -9, 9
    limits = rushlight.iinfo(dtype)
    return limits.min, limits.max + (dtype is not rushlight.int64), max(-9, limits.min), 10
