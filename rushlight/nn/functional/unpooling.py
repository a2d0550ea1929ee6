"""Max unpooling: writing maxima back to where pooling found them."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.interpreters import rely_on
from rushlight.dtypes import TYPE_NAMES
from rushlight.kernels.accumulate import are_indices
from rushlight.kernels.picking import put_along
from rushlight.kernels.steps import zeros
from rushlight.nn.functional import planes
from rushlight.nn.functional.batching import as_samples
from rushlight.nn.functional.sizes import Numbers, repeated
from rushlight.ops.table import operator
from rushlight.tensors import Tensor

__all__ = ["max_unpool1d", "max_unpool2d", "max_unpool3d"]


def unpool_operator(dims: int) -> Any:
    """Registers the unpooling of `dims` dimensions."""

    def max_unpool(input: Array, indices: Array, spatial: Sequence[int]) -> Array:
        shape = (*input.shape[:-dims], *spatial)
        flat = zeros((prod(input.shape[:-dims]), prod(spatial)), input)
        places, values = (a.reshape(len(flat), prod(a.shape[-dims:])) for a in (indices, input))
        if not put_along(flat, places, 1, values):
            np.put_along_axis(flat, places, values, 1)
        return flat.reshape(shape)

    return operator(
        layout="channels last, planes" if dims == 2 else "contiguous",
        batch=as_samples,
        linear=True,
        name=f"max_unpool{dims}d",
        aten=f"max_unpool{max(dims, 2)}d",
        node=f"MaxUnpool{max(dims, 2)}DBackward0",
        input=lambda grad, indices: planes.gather(grad, indices, dims),
    )(max_unpool)


COUNTS = {
    1: "one element (length)",
    2: "two elements (height, width)",
    3: "three elements (depth, height, width)",
}
UNPOOL = {dims: unpool_operator(dims) for dims in (1, 2, 3)}


def spatial_of(
    shape: Sequence[int], kernel: Any, stride: Any, padding: Any, output_size: Sequence[int]
) -> tuple[int, ...]:
    """The output size; ValueError for an `output_size` that cannot have been the input of such a pooling."""
    dims = len(kernel)
    if len(shape) < dims:
        raise IndexError(
            f"tuple index out of range: an input of shape {list(shape)} has no {dims} dimensions to unpool"
        )
    lines = zip(shape[-dims:], kernel, stride, padding, strict=True)
    sizes = default = tuple((n - 1) * s + k - 2 * p for n, k, s, p in lines)
    if output_size is not None:
        given = output_size[2:] if len(output_size) == dims + 2 else output_size
        sizes = tuple(given)
        if len(sizes) != dims:
            raise ValueError(
                f"output_size should be a sequence containing {dims} or {dims + 2} elements, "
                f"but it has a length of '{len(sizes)}'"
            )
        for d, (size, usual, step) in enumerate(zip(sizes, default, stride, strict=True)):
            if not usual - step < size < usual + step:
                raise ValueError(
                    f'invalid output_size "{given}" (dim {d} must be between {usual - step} and {usual + step})'
                )
    for d, size in enumerate(sizes):
        if size < 0:
            raise ValueError(
                "max_unpooling: output_size must contain non-negative spatial dimensions, "
                f"but got output_size[{d}]={size}"
            )
    return sizes


def check_unpooling_indices(dims: int, input: Tensor, indices: Tensor, spatial: Sequence[int], stride: Any) -> None:
    """Raises PyTorch's errors for indices that do not match; one-dimensional inputs are planes of width 1."""
    planes_of = max(dims, 2)
    shape = list(input._array.shape) + [1] * (dims == 1)
    if indices._array.dtype != np.int64:
        raise RuntimeError(f"elements in indices should be type int64 but got: {TYPE_NAMES[indices.dtype]}")
    if len(shape) not in (planes_of + 1, planes_of + 2):
        raise RuntimeError(
            f"Input to max_unpooling{planes_of}d should be a {planes_of + 1}d or {planes_of + 2}d Tensor, "
            f"but got a tensor with {len(shape)} dimensions."
        )
    if dims == 3 and min(stride) <= 0:
        raise RuntimeError(f"strides should be greater than zero, but got stride: {list(stride)}")
    if indices._array.shape != input._array.shape:
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor ({shape}) "
            f"but got indices tensor with shape: {list(indices.shape)}"
        )
    if 0 in shape[1:]:
        raise RuntimeError(
            f"max_unpooling{planes_of}d_forward_out_cpu(): Expected input to have non-zero size for non-batch "
            f"dimensions, but got {shape} with dimension {shape.index(0, 1)} being empty."
        )
    if not are_indices(indices._array, prod(spatial)):
        outside = (indices._array < 0) | (indices._array >= prod(spatial))
        raise RuntimeError(
            f"Found an invalid max index: {indices._array[outside][0]} "
            f"(output volumes are of size {'x'.join(map(str, spatial))})"
        )
    rely_on(are_indices, indices._array, prod(spatial))


def unpool(
    dims: int, input: Tensor, indices: Tensor, kernel_size: Any, stride: Any, padding: Any, output_size: Any
) -> Tensor:
    """Zeros, with the input at the indices."""
    given = kernel_size, kernel_size if stride is None else stride, padding
    numbers = [repeated(n, dims) for n in given]
    for found, what in zip(numbers, ("kernel_size", "stride", "padding"), strict=True):
        if found is None:
            raise RuntimeError(f"There should be exactly {COUNTS[dims]} in output_size, and as many in {what}")
    kernel, stride, padding = numbers
    spatial = spatial_of(input._array.shape, kernel, stride, padding, output_size)
    check_unpooling_indices(dims, input, indices, spatial, stride)
    return UNPOOL[dims](input, indices, spatial)


def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Numbers,
    stride: Numbers | None = None,
    padding: Numbers = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """The partial inverse of `max_pool1d`; see `max_unpool2d`.

    >>> import rushlight as torch
    >>> torch.nn.functional.max_unpool1d(torch.tensor([[3.0, 2.0]]), torch.tensor([[1, 2]]), 2)
    tensor([[0., 3., 2., 0.]])
    """
    return unpool(1, input, indices, kernel_size, stride, padding, output_size)


def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Numbers,
    stride: Numbers | None = None,
    padding: Numbers = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """The partial inverse of `max_pool2d`: zeros, with maxima (N, C, H, W) or (C, H, W) at the `indices` it returned.

    `output_size` is the size of the pooling's input, if that is ambiguous. ValueError for an impossible size,
    RuntimeError for indices that do not match.

    >>> import rushlight as torch
    >>> torch.nn.functional.max_unpool2d(torch.tensor([[[3.0]]]), torch.tensor([[[1]]]), 2)
    tensor([[[0., 3.],
             [0., 0.]]])
    """
    return unpool(2, input, indices, kernel_size, stride, padding, output_size)


def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Numbers,
    stride: Numbers | None = None,
    padding: Numbers = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """The partial inverse of `max_pool3d`; see `max_unpool2d`.

    >>> import rushlight as torch
    >>> torch.nn.functional.max_unpool3d(torch.ones(1, 1, 1, 1), torch.tensor([[[[5]]]]), 2).flatten()
    tensor([0., 0., 0., 0., 0., 1., 0., 0.])
    """
    return unpool(3, input, indices, kernel_size, stride, padding, output_size)
