"""Tensors of a given shape: zeros, ones, one value, uninitialized, like another tensor, the identity matrix."""

from collections.abc import Callable, Sequence
from operator import index
from typing import Any, Unpack

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batched import Batched, repeated
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.interpreters import noted
from rushlight.core.meta import without_data
from rushlight.devices import CPU, META, device_of, get_default_device
from rushlight.dtypes import dtype as DType
from rushlight.dtypes import type_of_number
from rushlight.kernels.steps import blank, fill
from rushlight.kernels.steps import filled_like as filled_alike
from rushlight.layouts import empty_array, laid_over, memory_format
from rushlight.ops.arguments.options import (
    LikeOptions,
    Options,
    OutOptions,
    array_of,
    created,
    like_options,
    made,
    numpy_type,
    sizes,
)
from rushlight.ops.changes.filling import checked_number
from rushlight.ops.table import refuse
from rushlight.tensors import Tensor

__all__ = [
    "empty",
    "empty_like",
    "empty_permuted",
    "empty_strided",
    "eye",
    "full",
    "full_like",
    "ones",
    "ones_like",
    "scalar_tensor",
    "zeros",
    "zeros_like",
]

blank_array: Callable[..., Any] = noted(np.empty)
blank_like: Callable[..., Any] = noted(empty_array)


def full_array(input: np.ndarray, dtype: np.dtype, format: memory_format | None, value: Any) -> np.ndarray:
    """An array filled with one value, of the shape of `input`, with its strides or in a memory format."""
    if format is None and dtype is input.dtype and (found := filled_alike(input, value)) is not None:
        return found
    array = empty_array(input, dtype, format)
    fill(array, value)
    return array


filled_like: Callable[..., Any] = noted(full_array)


def ones_array(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An array of ones."""
    array = np.empty(shape, dtype)
    fill(array, 1)
    return array


def zeros(
    *shape: int | Sequence[int], size: Any = None, dtype: DType | None = None, **options: Unpack[OutOptions]
) -> Tensor:
    """A tensor of zeros. The sizes are given as numbers or as one sequence; `dtype` is the default dtype if not given.

    All creation functions take PyTorch's `out`, `layout`, `device`, `pin_memory` and `requires_grad`. They raise
    RuntimeError for negative sizes and TypeError for sizes that are not integers.

    >>> import rushlight as torch
    >>> torch.zeros(2, 3)
    tensor([[0., 0., 0.],
            [0., 0., 0.]])
    """
    d = numpy_type("zeros", dtype, type_of_out(options))
    return made("zeros", blank, sizes("zeros", shape, size), d, options, dtype)


def ones(
    *shape: int | Sequence[int], size: Any = None, dtype: DType | None = None, **options: Unpack[OutOptions]
) -> Tensor:
    """A tensor of ones; arguments as for `zeros`.

    >>> import rushlight as torch
    >>> torch.ones((2,), dtype=torch.int64)
    tensor([1, 1])
    """
    d = numpy_type("ones", dtype, type_of_out(options))
    return made("ones", ones_array, sizes("ones", shape, size), d, options, dtype)


def empty(
    *shape: int | Sequence[int],
    size: Any = None,
    dtype: DType | None = None,
    memory_format: Any = None,
    **options: Unpack[OutOptions],
) -> Tensor:
    """An uninitialized tensor; arguments as for `zeros`, and `memory_format`.

    >>> import rushlight as torch
    >>> torch.empty(2, 3).shape
    torch.Size([2, 3])
    """
    d = numpy_type("empty", dtype, type_of_out(options))
    array = array_of(blank_array, sizes("empty", shape, size), d, options)
    if memory_format is not None:
        array = blank_like(array, array.dtype, memory_format)
    return created("empty", array, options, dtype)


def full(size: Any, fill_value: complex, *, dtype: DType | None = None, **options: Unpack[OutOptions]) -> Tensor:
    """A tensor filled with one value. The dtype is inferred from the value: int64, bool, the default dtype or complex.

    RuntimeError for a value that `dtype` cannot hold.

    >>> import rushlight as torch
    >>> torch.full((2,), 1.5)
    tensor([1.5000, 1.5000])
    """
    if not isinstance(size, (tuple, list)):
        raise TypeError(f"full(): argument 'size' (position 1) must be tuple of ints, not {type(size).__name__}")
    value = as_number("full", fill_value)
    d = numpy_type("full", dtype, type_of_out(options) or type_of_number(value))
    return made("full", lambda shape, d: full_of(shape, value, d), sizes("full", (size,)), d, options, dtype)


def zeros_like(input: Tensor, *, dtype: DType | None = None, **options: Unpack[LikeOptions]) -> Tensor:
    """A tensor of zeros with the shape, dtype and memory format of `input` unless others are given.

    >>> import rushlight as torch
    >>> torch.zeros_like(torch.tensor([1, 2]))
    tensor([0, 0])
    """
    return like("zeros_like", input, 0, dtype, options)


def ones_like(input: Tensor, *, dtype: DType | None = None, **options: Unpack[LikeOptions]) -> Tensor:
    """A tensor of ones with the shape, dtype and memory format of `input` unless others are given.

    >>> import rushlight as torch
    >>> torch.ones_like(torch.tensor([1, 2]), dtype=torch.float32)
    tensor([1., 1.])
    """
    return like("ones_like", input, 1, dtype, options)


def full_like(
    input: Tensor, fill_value: complex, *, dtype: DType | type | None = None, **options: Unpack[LikeOptions]
) -> Tensor:
    """A tensor filled with one value, with the shape, dtype and memory format of `input` unless others are given.

    >>> import rushlight as torch
    >>> torch.full_like(torch.tensor([1.0, 2.0]), 7)
    tensor([7., 7.])
    """
    return like("full_like", input, as_number("full_like", fill_value), dtype, options)


def empty_like(input: Tensor, *, dtype: DType | None = None, **options: Unpack[LikeOptions]) -> Tensor:
    """An uninitialized tensor with the shape, dtype and memory format of `input` unless others are given.

    >>> import rushlight as torch
    >>> torch.empty_like(torch.tensor([1, 2])).dtype
    torch.int64
    """
    return like("empty_like", input, None, dtype, options)


def like(name: str, input: Tensor, value: float | None, dtype: Any, options: Any) -> Tensor:
    """A tensor like `input`, filled with a value, or uninitialized if the value is None."""
    if not isinstance(input, TensorBase):
        return refuse(name, "input", 1, input)
    array = input._array
    if type(array) is np.ndarray and dtype is None and not options and get_default_device() is CPU:
        return new_tensor(blank_or_filled(value, input._settled(), array.dtype, None))
    like_options(input, options)
    d = numpy_type(name, dtype, array.dtype)
    if META in (input.device, device_of(options.get("device"))):
        options.pop("memory_format", None)
        return created(
            name, array_of(lambda shape, d: full_of(shape, value or 0, d), input._array.shape, d, options), options
        )
    return created(name, blank_or_filled(value, input._settled(), d, options.pop("memory_format", None)), options)


def blank_or_filled(value: float | None, array: Array, dtype: np.dtype, layout: Any) -> Array:
    """An array like another, in a memory format, filled with a value, or uninitialized if the value is None."""
    if value is None:
        return blank_like(array, dtype, layout)
    return filled_like(array, dtype, layout, checked_number(value, dtype))


def empty_strided(
    size: Sequence[int], stride: Sequence[int], *, dtype: DType | None = None, **options: Unpack[Options]
) -> Tensor:
    """An uninitialized tensor with the given strides, in elements.

    RuntimeError if sizes and strides differ in number, or a stride is negative.

    >>> import rushlight as torch
    >>> torch.empty_strided((2, 3), (1, 2)).stride()
    (1, 2)
    """
    if len(size) != len(stride):
        raise RuntimeError(
            f"dimensionality of sizes ({len(size)}) must match dimensionality of strides ({len(stride)})"
        )
    if any(s < 0 for s in stride):
        raise RuntimeError(
            f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}: "
            "strides must not be negative"
        )
    d = numpy_type("empty_strided", dtype)
    steps = tuple(s * d.itemsize for s in stride)
    if device_of(options.get("device")) is META:
        return created("empty_strided", without_data(tuple(size), d, steps), options)
    length = 0 if 0 in size else 1 + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
    return created("empty_strided", laid_over(blank_array(length, d), tuple(size), steps), options)


def empty_permuted(
    size: Sequence[int], physical_layout: Sequence[int], *, dtype: DType | None = None, **options: Unpack[Options]
) -> Tensor:
    """An uninitialized tensor whose dimensions lie in memory in the order of `physical_layout`, outermost first.

    RuntimeError unless `physical_layout` is a permutation of the dimensions, without negative numbers.

    >>> import rushlight as torch
    >>> torch.empty_permuted((2, 3, 5), (0, 2, 1)).stride()
    (15, 1, 3)
    """
    if not isinstance(size, (tuple, list)):
        kind = type(size).__name__
        raise TypeError(f"empty_permuted(): argument 'size' (position 1) must be tuple of ints, not {kind}")
    check_order(size, physical_layout)
    steps, step = [0] * len(size), 1
    for dim in reversed(physical_layout):
        steps[dim] = step
        step *= max(size[dim], 1)
    return empty_strided(sizes("empty_permuted", (size,)), steps, dtype=dtype, **options)


def check_order(size: Sequence[int], order: Sequence[int]) -> None:
    """Raises PyTorch's errors for an order of dimensions that is not a permutation."""
    n = len(size)
    if len(order) != n:
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. "
            f"len(size) = {n} is not equal to len(physical_layout) = {len(order)}"
        )
    for i, dim in enumerate(order):
        if not 0 <= dim < n:
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {n - 1}, but got {dim} at index {i}).  "
                "NB: negative dims not currently supported; file an issue if you want it."
            )
        if dim in order[:i]:
            raise RuntimeError("Duplicate dim not allowed")


def eye(n: int, m: int | None = None, *, dtype: DType | None = None, **options: Unpack[OutOptions]) -> Tensor:
    """The identity matrix, or an n × m matrix with ones on its diagonal.

    >>> import rushlight as torch
    >>> torch.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    shape = length_of_side("n", 1, n), length_of_side("m", 2, n if m is None else m)
    return made("eye", identity_array, shape, numpy_type("eye", dtype, type_of_out(options)), options, dtype)


def length_of_side(side: str, position: int, length: int) -> int:
    """The length of a side of the identity matrix; PyTorch's errors for one that is none."""
    if not hasattr(length, "__index__"):
        raise TypeError(f"eye(): argument '{side}' (position {position}) must be int, not {type(length).__name__}")
    if length < 0:
        raise RuntimeError(f"{side} must be greater or equal to 0, got {length}")
    return index(length)


def identity_array(shape: tuple[int, int], dtype: np.dtype) -> np.ndarray:
    """A matrix with ones on its diagonal."""
    array, columns = blank(shape, dtype), shape[1]
    array.reshape(-1)[: columns * (columns + 1) : columns + 1] = 1
    return array


def scalar_tensor(s: complex, *, dtype: DType | None = None, **options: Unpack[Options]) -> Tensor:
    """A number as a tensor without dimensions; unless `dtype` is given it has the default dtype, even for an integer.

    >>> import rushlight as torch
    >>> torch.scalar_tensor(1)
    tensor(1.)
    """
    return created(
        "scalar_tensor", full_of((), as_number("scalar_tensor", s), numpy_type("scalar_tensor", dtype)), options
    )


def type_of_out(options: Any) -> np.dtype | None:
    """The NumPy dtype of the tensor given as `out=`."""
    out = options.get("out")
    return out._array.dtype if isinstance(out, TensorBase) else None


def as_number(name: str, value: Any) -> Any:
    """A fill value as a number; it may be a scalar tensor that does not require grad. TypeError for others."""
    if type(value) is float or type(value) is int:
        return value
    if isinstance(value, TensorBase) and not value._array.ndim and not value.requires_grad:
        return value.item()
    if not isinstance(value, (bool, int, float, complex, np.generic)):
        raise TypeError(f"{name}(): argument 'fill_value' (position 2) must be Number, not {type(value).__name__}")
    return value


def full_of(shape: tuple[int, ...], value: Any, dtype: np.dtype) -> np.ndarray:
    """An array filled with one value; RuntimeError if the dtype cannot hold it."""
    array = np.empty(shape, dtype)
    number: Any = checked_number(value, dtype)
    fill(array, number)
    return array


def new(name: str, function: Callable[..., Any]) -> None:
    """Adds `Tensor.new_zeros` for `zeros`, and so on: the dtype is the tensor's unless another is given."""

    def variant(self: Tensor, *args: Any, dtype: DType | None = None, **options: Any) -> Tensor:
        like_options(self, options)
        result = function(*args, dtype=self.dtype if dtype is None else dtype, **options)
        if type(self._array) is Batched and not self.is_meta:
            result._array = repeated(result._array, self._array.levels)
        return result

    variant.__name__ = variant.__qualname__ = name
    variant.__doc__ = f"`torch.{function.__name__}` with this tensor's dtype where no other is given."
    setattr(Tensor, name, variant)


for function in (zeros, ones, empty, full, empty_strided):
    new(f"new_{function.__name__}", function)
