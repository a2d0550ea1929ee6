"""Adaptive pooling, to a given output size. The windows are nearly equal in size, and may overlap."""

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any, Literal, overload

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.graph import new_tensor
from rushlight.core.kinds import kind_of
from rushlight.core.narrow import in_float32
from rushlight.core.operators import Operator
from rushlight.dtypes import FROM_NUMPY, TYPE_NAMES
from rushlight.kernels import pooling as kernels
from rushlight.nn.functional import planes
from rushlight.nn.functional.batching import as_samples
from rushlight.nn.functional.pool_checks import not_in_range
from rushlight.nn.functional.pooling import is_final_for
from rushlight.nn.functional.sampling import LAYOUTS, averaging, mapped
from rushlight.nn.functional.sizes import Numbers, are_plain, hashable
from rushlight.ops.arguments.dims import size_of
from rushlight.ops.table import operator, refuse
from rushlight.tensors import Tensor

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d",
    "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d",
    "adaptive_max_pool3d_with_indices",
]

AVERAGES = {dims: f"adaptive_avg_pool{dims}d" for dims in (1, 2, 3)}
MAXIMA = {dims: f"adaptive_max_pool{dims}d" for dims in (1, 2, 3)}
LAST = {1: (-1,), 2: (-2, -1), 3: (-3, -2, -1)}  # the spatial dimensions
Sizes = Numbers | tuple[int | None, ...] | None


@lru_cache(maxsize=64)
def positions(spatial: Sequence[int], places: Any) -> Array:
    """The flat positions of each window's elements, (1, 1, windows, taps); smaller windows repeat their last one."""
    flat = np.zeros((1, 1), np.int64)
    for size, count in zip(spatial, places, strict=True):
        starts = np.arange(count) * size // count
        ends = -(-(np.arange(count) + 1) * size // count)
        line = np.minimum(starts[:, None] + np.arange(max(ends - starts, default=0)), ends[:, None] - 1)
        flat = (flat[:, None, :, None] * size + line[None, :, None, :]).reshape(len(flat) * count, -1 if count else 0)
    return flat[None, None]


def max_pool_operator(dims: int) -> Any:
    """Registers the adaptive max pooling of `dims` dimensions."""

    def adaptive_max_pool(input: Array, places: Sequence[int]) -> tuple[Array, Array]:
        if (found := kernels.divided_maxima(input, places)) is not None:
            return found
        batch = planes.batched(input, dims)
        shape = (*input.shape[:-dims], *places)
        if 0 in places:
            return np.zeros(shape, input.dtype, like=input), np.zeros(shape, np.int64)
        values, indices = planes.largest(batch, positions(batch.shape[2:], places))
        return values.reshape(shape), indices.reshape(shape)

    return operator(
        layout=LAYOUTS[dims],
        batch=as_samples,
        name=f"adaptive_max_pool{dims}d",
        node=f"AdaptiveMaxPool{max(dims, 2)}DBackward0",
        nondifferentiable=(1,),
        input=lambda grad, result1, input_shape: planes.scatter(grad[0], result1, input_shape, dims),
    )(adaptive_max_pool)


def maps_between(spatial: Sequence[int], places: Sequence[int]) -> Any:
    """The maps of the means of all windows, one for each dimension."""
    return tuple(averaging(*line) for line in zip(spatial, places, strict=True))


@in_float32
def adaptive_avg_pool(input: Array, places: Sequence[int]) -> Array:
    """The means of all windows."""
    found = kernels.divided_means(input, places)
    return mapped(input, maps_between(input.shape[-len(places) :], places)) if found is None else found


@in_float32
def adaptive_avg_pool_cotangent(grad: Array, shape: Sequence[int], dims: int) -> Array:
    """The adjoint of `adaptive_avg_pool`."""
    found = kernels.divided_means_input(grad, shape[-dims:])
    if found is not None:
        return found
    return mapped(grad, tuple(one.T for one in maps_between(shape[-dims:], grad.shape[-dims:])))


def avg_pool_operator(dims: int) -> Operator:
    """Registers the adaptive average pooling of `dims` dimensions and its adjoint; each is the other's derivative."""
    node = f"AdaptiveAvgPool{max(dims, 2)}D"
    adjoint = operator(
        layout=LAYOUTS[dims],
        batch=as_samples,
        linear=True,
        name=f"adaptive_avg_pool{dims}d_backward",
        aten=f"_adaptive_avg_pool{max(dims, 2)}d_backward",
        node=f"{node}BackwardBackward0",
        grad=lambda g, grad_shape: entry(g, grad_shape[-dims:]),
    )(adaptive_avg_pool_cotangent)
    entry = operator(
        layout=LAYOUTS[dims],
        batch=as_samples,
        linear=True,
        name=f"adaptive_avg_pool{dims}d",
        node=f"{node}Backward0",
        input=lambda grad, input_shape: adjoint(grad, input_shape, dims),
    )(adaptive_avg_pool)
    return entry


MAX_POOL = {dims: max_pool_operator(dims) for dims in (1, 2, 3)}
AVG_POOL = {dims: avg_pool_operator(dims) for dims in (1, 2, 3)}


def sizes_of(name: str, dims: Any, shape: tuple[int, ...], output_size: Any) -> tuple[int, ...]:
    """The output size along each dimension; None stands for the input's size."""
    several = isinstance(output_size, (tuple, list))
    if several and dims > 1 and len(output_size) >= len(shape):
        raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")
    if dims == 1 and len(shape) not in (2, 3):
        raise RuntimeError(not_in_range(name, shape))
    if output_size is None and dims > 1:
        raise TypeError(f"object of type 'NoneType' has no len(): give {name} a size, or a tuple with None in it")
    sizes = output_size if several else (output_size,) * dims
    if len(sizes) != dims:
        if dims == 1:
            raise RuntimeError(f"{name}() argument 'output_size' should contain one int (got {len(sizes)})")
        internal = "" if "avg" in name else "(): internal error"
        raise RuntimeError(f"{name}{internal}: output_size{'.size()' if internal else ''} must be {dims}")
    if dims == 1 and sizes[0] is None:
        raise TypeError(f"{name}(): argument 'output_size' (position 2) must be tuple of ints, not NoneType")
    found = tuple(size_of(shape, k - dims) if size is None else int(size) for k, size in enumerate(sizes))
    if min(found) < 0 and "avg" in name:
        raise negative(name, found, dims)
    return found


def check_poolable(name: str, dims: int, shape: tuple[int, ...], dtype: np.dtype, places: Sequence[int]) -> None:
    """Raises PyTorch's errors for an input that cannot be pooled."""
    if len(shape) not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"{name}(): Expected {dims + 1}D or {dims + 2}D tensor, but got{':' * ('max' in name)} {list(shape)}"
        )
    first = 1 if "max" in name or dims == 3 else len(shape) - dims
    if 0 in shape[first:]:
        row = dims == 1 and "avg" in name
        empty = shape.index(0, first) + row
        sizes = [*shape[:-1], 1, shape[-1]] if row else list(shape)
        raise RuntimeError(
            f"{name.replace('1d', '2d') if row else name}(): Expected input to have non-zero size for non-batch "
            f"dimensions, but input has sizes {sizes} with dimension {empty} being empty"
        )
    if kind_of(dtype) != "f" and (0 not in shape or "max" in name):
        kernel = f"{name}_cpu" if dims == 3 else name.replace("1d", "2d")
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{TYPE_NAMES[FROM_NUMPY[dtype]]}'")
    if min(places) < 0:
        raise negative(name, (*shape[:-dims], *places), dims)


def negative(name: str, shape: Any, dims: Any) -> Any:
    """PyTorch's error for a negative output size, which counts one-dimensional pooling as two-dimensional."""
    if dims == 1:
        name, shape, dims = name.replace("1d", "2d"), (*shape[:-1], 1, shape[-1]), 2
    if "max" in name:
        wrong = next(n for n in shape if n < 0)
        return RuntimeError(f"Trying to create tensor with negative dimension {wrong}: {list(shape)}")
    sizes = ", ".join(map(str, shape[-dims:]))
    return RuntimeError(f"{name}: elements of output_size must be greater than or equal to 0 but received {{{sizes}}}")


@lru_cache(maxsize=256, typed=True)
def averages_planned(name: str, dims: int, shape: tuple[int, ...], dtype: np.dtype, output_size: Any) -> Any:
    """How many windows there are along each dimension, None for a single one; errors for what cannot be pooled."""
    places = sizes_of(name, dims, shape, output_size)
    if prod(places) == 1:
        return None
    check_poolable(name, dims, shape, dtype, places)
    return places


@lru_cache(maxsize=256, typed=True)
def maxima_planned(name: str, dims: int, shape: tuple[int, ...], dtype: np.dtype, output_size: Any) -> tuple[int, ...]:
    """How many windows there are along each dimension; errors for what cannot be pooled."""
    places = sizes_of(name, dims, shape, output_size)
    check_poolable(name, dims, shape, dtype, places)
    return places


def plan_for(planned: Any, name: str, dims: int, input: Tensor, output_size: Any) -> Any:
    """What is planned for an input, kept by its shape and dtype."""
    if not isinstance(input, Tensor):
        refuse(name, "input", 1, input)
    (size,) = hashable(output_size)
    plan = planned if are_plain(size) else planned.__wrapped__
    return plan(name, dims, input._array.shape, input._array.dtype, size)


def pool_averages(dims: int, input: Tensor, output_size: Any) -> Tensor:
    """The means of all windows."""
    places = plan_for(averages_planned, AVERAGES[dims], dims, input, output_size)
    if places is None:
        return input.mean(LAST[dims], True)
    if is_final_for(input) and (found := kernels.divided_means(input._array, places)) is not None:
        return new_tensor(found)
    return AVG_POOL[dims](input, places)


def pool_maxima(dims: int, input: Tensor, output_size: Any) -> Any:
    """The maxima of all windows, and where they are."""
    return MAX_POOL[dims](input, plan_for(maxima_planned, MAXIMA[dims], dims, input, output_size))


def adaptive_avg_pool1d(input: Tensor, output_size: Sizes) -> Tensor:
    """Adaptive average pooling of (N, C, L) or (C, L) to `output_size`; see `adaptive_avg_pool2d`.

    >>> import rushlight as torch
    >>> torch.nn.functional.adaptive_avg_pool1d(torch.tensor([[1.0, 2.0, 3.0]]), 2)
    tensor([[1.5000, 2.5000]])
    """
    return pool_averages(1, input, output_size)


def adaptive_avg_pool2d(input: Tensor, output_size: Sizes) -> Tensor:
    """Adaptive average pooling of (N, C, H, W) or (C, H, W) to `output_size`; None keeps a dimension's size.

    Window i of n goes from floor(i * size / n) to ceil((i + 1) * size / n). RuntimeError for an input without elements,
    NotImplementedError for one that is not floating-point.

    >>> import rushlight as torch
    >>> torch.nn.functional.adaptive_avg_pool2d(torch.ones(1, 3, 7, 5), (2, None)).shape
    torch.Size([1, 3, 2, 5])
    """
    return pool_averages(2, input, output_size)


def adaptive_avg_pool3d(input: Tensor, output_size: Sizes) -> Tensor:
    """Adaptive average pooling of (N, C, D, H, W) or (C, D, H, W) to `output_size`; see `adaptive_avg_pool2d`.

    >>> import rushlight as torch
    >>> torch.nn.functional.adaptive_avg_pool3d(torch.ones(1, 3, 7, 5, 4), 2).shape
    torch.Size([1, 3, 2, 2, 2])
    """
    return pool_averages(3, input, output_size)


def adaptive_max_pool1d_with_indices(
    input: Tensor, output_size: Sizes, return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """`adaptive_max_pool1d`, with the indices of the maxima.

    >>> import rushlight as torch
    >>> torch.nn.functional.adaptive_max_pool1d_with_indices(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    (tensor([[3., 2.]]), tensor([[1, 2]]))
    """
    return pool_maxima(1, input, output_size)


def adaptive_max_pool2d_with_indices(
    input: Tensor, output_size: Sizes, return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """`adaptive_max_pool2d`, with the indices of the maxima in the flattened planes.

    >>> import rushlight as torch
    >>> torch.nn.functional.adaptive_max_pool2d_with_indices(torch.tensor([[[1.0, 3.0], [2.0, 0.0]]]), 1)
    (tensor([[[3.]]]), tensor([[[1]]]))
    """
    return pool_maxima(2, input, output_size)


def adaptive_max_pool3d_with_indices(
    input: Tensor, output_size: Sizes, return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """`adaptive_max_pool3d`, with the indices of the maxima in the flattened volumes.

    >>> import rushlight as torch
    >>> values, indices = torch.nn.functional.adaptive_max_pool3d_with_indices(torch.ones(1, 2, 2, 2), 1)
    >>> indices.item()
    0
    """
    return pool_maxima(3, input, output_size)


@overload
def adaptive_max_pool1d(input: Tensor, output_size: Sizes, return_indices: Literal[False] = False) -> Tensor: ...
@overload
def adaptive_max_pool1d(*args: Any, **kwargs: Any) -> Any: ...
def adaptive_max_pool1d(
    input: Tensor, output_size: Sizes, return_indices: bool = False
) -> Tensor | tuple[Tensor, Tensor]:
    """Adaptive max pooling of (N, C, L) or (C, L) to `output_size`; see `adaptive_max_pool2d`.

    >>> import rushlight as torch
    >>> torch.nn.functional.adaptive_max_pool1d(torch.tensor([[1.0, 2.0, 3.0]]), 2)
    tensor([[2., 3.]])
    """
    found = pool_maxima(1, input, output_size)
    return found if return_indices else found[0]


@overload
def adaptive_max_pool2d(input: Tensor, output_size: Sizes, return_indices: Literal[False] = False) -> Tensor: ...
@overload
def adaptive_max_pool2d(*args: Any, **kwargs: Any) -> Any: ...
def adaptive_max_pool2d(
    input: Tensor, output_size: Sizes, return_indices: bool = False
) -> Tensor | tuple[Tensor, Tensor]:
    """Adaptive max pooling of (N, C, H, W) or (C, H, W) to `output_size`; windows as in `adaptive_avg_pool2d`.

    `return_indices` also returns the indices of the maxima in the flattened planes.

    >>> import rushlight as torch
    >>> torch.nn.functional.adaptive_max_pool2d(torch.tensor([[[1.0, 3.0], [2.0, 0.0]]]), 1)
    tensor([[[3.]]])
    """
    found = pool_maxima(2, input, output_size)
    return found if return_indices else found[0]


@overload
def adaptive_max_pool3d(input: Tensor, output_size: Sizes, return_indices: Literal[False] = False) -> Tensor: ...
@overload
def adaptive_max_pool3d(*args: Any, **kwargs: Any) -> Any: ...
def adaptive_max_pool3d(
    input: Tensor, output_size: Sizes, return_indices: bool = False
) -> Tensor | tuple[Tensor, Tensor]:
    """Adaptive max pooling of (N, C, D, H, W) or (C, D, H, W) to `output_size`; see `adaptive_max_pool2d`.

    >>> import rushlight as torch
    >>> torch.nn.functional.adaptive_max_pool3d(torch.ones(1, 3, 7, 5, 4), 2).shape
    torch.Size([1, 3, 2, 2, 2])
    """
    found = pool_maxima(3, input, output_size)
    return found if return_indices else found[0]
