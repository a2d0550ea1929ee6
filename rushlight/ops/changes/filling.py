"""Overwriting elements: `fill_`, `zero_` and `copy_`, which autograd records like any other in-place operation."""

from typing import Any

import numpy as np

from rushlight.core.above import above
from rushlight.core.aliases import Array
from rushlight.core.arrays import is_array
from rushlight.core.batched import grown
from rushlight.core.batching import by
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.inplace import change, changed_at_once, check_history, is_followed
from rushlight.core.kinds import LARGEST, kind_of
from rushlight.core.lines import warn
from rushlight.core.meta import is_meta, outline
from rushlight.core.recording import recording
from rushlight.core.windows import address
from rushlight.core.writing import check_reading
from rushlight.kernels.parts import assign
from rushlight.kernels.steps import fill as write_number
from rushlight.kernels.steps import zeros_like
from rushlight.layouts import contiguous_format, is_dense
from rushlight.ops.table import operator
from rushlight.tensors import Tensor

__all__ = ["fill"]

C_NAMES = {
    "bool": "bool",
    "uint8": "uint8_t",
    "int8": "int8_t",
    "int16": "int16_t",
    "int32": "int",
    "int64": "int64_t",
    "uint16": "uint16",
    "uint32": "uint32",
    "uint64": "uint64",
    "bfloat16": "c10::BFloat16",
    "float16": "c10::Half",
    "float8_e4m3fn": "c10::Float8_e4m3fn",
    "float8_e4m3fnuz": "c10::Float8_e4m3fnuz",
    "float8_e5m2": "c10::Float8_e5m2",
    "float8_e5m2fnuz": "c10::Float8_e5m2fnuz",
    "float32": "float",
    "float64": "double",
    "complex64": "c10::complex<float>",
    "complex128": "c10::complex<double>",
}


def checked_number(value: Any, dtype: np.dtype) -> complex | None:
    """A number ready to be cast to a dtype; RuntimeError, in PyTorch's words, if the dtype cannot hold it."""
    kind = kind_of(dtype)
    if isinstance(value, np.generic):
        value = value.item()
    if kind == "c" or kind == "b":
        return value
    if isinstance(value, complex):
        if value.imag:
            raise overflow(dtype)
        value = value.real
    if kind == "f":
        if abs(value) > LARGEST[dtype] and abs(value) != np.inf:
            raise overflow(dtype)
        return value
    info = np.iinfo(dtype)
    lowest = -info.max if kind == "u" and isinstance(value, int) else info.min  # negative integers wrap around
    if value != value or not lowest <= value <= info.max:
        raise overflow(dtype)
    return int(value) & info.max if kind == "u" else int(value)


def overflow(dtype: np.dtype) -> RuntimeError:
    """The error for a number that a dtype cannot hold."""
    return RuntimeError(f"value cannot be converted to type {C_NAMES[dtype.name]} without overflow")


def overwritten(input: Array, value: Array) -> Array:
    """A new array like `input` with the elements of `value` (a number, or an array that is broadcast)."""
    out = np.empty_like(input)
    assign(out, value)
    return out


def overwrite_batch(n: int, input: Array, value: Any) -> Array:
    """The batch rule of the operators that overwrite."""
    return overwritten(input, grown(value, n, input.ndim - n) if is_array(value) else value)


def enter(name: str, value: str, node: str) -> Any:
    """Registers an operator that overwrites: `input` gets a zero gradient, `value` (if a tensor) the whole gradient."""
    formulas: dict[str, Any] = {"input": lambda grad: zeros_like(grad)}
    if value == "value":
        formulas["value"] = lambda grad: grad
    enter = operator(
        name=name,
        node=node,
        aten=name.replace("_tensor", ""),
        broadcasts=True,
        layout="like first",
        batch=by(overwrite_batch),
        **formulas,
    )
    return enter(lambda input, value: overwritten(input, value))


_fill_number, _fill_number_ = enter("fill", "number", "FillBackward0"), enter("fill_", "number", "FillBackward2")
_fill, _fill_ = enter("fill_tensor", "value", "FillBackward1"), enter("fill_tensor_", "value", "FillBackward3")
_zero_ = enter("zero_", "number", "ZeroBackward0")
_copy_ = enter("copy_", "value", "CopyBackwards")


def fill(input: Tensor, value: Tensor | complex) -> Tensor:
    """A tensor like `input` filled with one value: a number, or a tensor without dimensions (differentiable).

    >>> import rushlight as torch
    >>> torch.fill(torch.zeros(2), 3)
    tensor([3., 3.])
    """
    value = as_fill_value("fill", value, input)
    return (_fill if isinstance(value, TensorBase) else _fill_number)(input, value)


def fill_(input: Tensor, value: Tensor | complex) -> Tensor:
    """Sets all elements to one value: a number, or a tensor without dimensions (differentiable).

    RuntimeError for a number that the tensor's dtype cannot hold, and for a tensor with dimensions.

    >>> import rushlight as torch
    >>> torch.zeros(2).fill_(3)
    tensor([3., 3.])
    """
    value = as_fill_value("fill_", value, input)
    return overwrite(input, _fill_, value) if isinstance(value, TensorBase) else overfill(input, _fill_number_, value)


def zero_(input: Tensor) -> Tensor:
    """Sets all elements to zero.

    >>> import rushlight as torch
    >>> torch.ones(2).zero_()
    tensor([0., 0.])
    """
    return overfill(input, _zero_, 0)


def copy_(self: Tensor, src: Tensor | complex, non_blocking: bool = False) -> Tensor:
    """Copies the elements of another tensor, broadcast and cast to this tensor's shape and dtype.

    The copy is differentiable with respect to `src`. RuntimeError if `src` does not broadcast to this shape.
    `non_blocking` only matters between devices.

    >>> import rushlight as torch
    >>> torch.zeros(2, 2).copy_(torch.tensor([1, 2]))
    tensor([[1., 2.],
            [1., 2.]])
    """
    if not isinstance(src, TensorBase):
        if not isinstance(src, (bool, int, float, complex, np.generic)):
            raise TypeError(f"copy_(): argument 'other' (position 1) must be Tensor, not {type(src).__name__}")
        return overwrite(self, _copy_, src)
    check_fits(src._array.shape, self._array.shape)
    if is_meta(self._array) and not is_meta(src._array):
        return overwrite(self, _copy_, new_tensor(outline(src._array)))
    if src._array.dtype.kind == "c" and self._array.dtype.kind not in "cb":
        warn("Casting complex values to real discards the imaginary part")
        src = src.real
    return overwrite(self, _copy_, src)


def fill_diagonal_(self: Tensor, fill_value: complex, wrap: bool = False) -> Tensor:
    """Sets the main diagonal to a number; with `wrap`, the diagonal of a tall matrix starts again below its end.

    RuntimeError for fewer than two dimensions, and for more than two of different sizes.

    >>> import rushlight as torch
    >>> torch.zeros(2, 2).fill_diagonal_(5)
    tensor([[5., 0.],
            [0., 5.]])
    """
    shape = self._array.shape
    if len(shape) < 2:
        raise RuntimeError("dimensions must larger than 1")
    if len(shape) > 2:
        if len(set(shape)) > 1:
            raise RuntimeError("all dimensions of input must be of equal length")
        step = sum(self._settled().strides) // self._array.itemsize
        self.as_strided(shape[:1], (step,)).fill_(fill_value)
        return self
    rows, columns = shape
    for start in range(0, rows, columns + 1 if wrap else rows):
        self[start:].diagonal().fill_(fill_value)
    return self


def is_itself(array: Array, values: np.ndarray) -> bool:
    """Whether values are in the very memory that they are to be written to, as after `x[key] += y`."""
    return (
        values.base is not None
        and values.base is array.base
        and values.dtype is array.dtype
        and values.shape == array.shape
        and values.strides == array.strides
        and address(values) == address(array)
    )


def overwrite(tensor: Tensor, entry: Any, value: Any) -> Tensor:
    """Overwrites all elements in place: through an operator if autograd records it, else directly in the array."""
    if is_followed(tensor, value):
        return change(tensor, entry, value)
    check_history(tensor, recording() and tensor.requires_grad)
    values: Any = value._array if isinstance(value, TensorBase) else value
    if type(values) is np.ndarray and not tensor._inference and is_itself(tensor._array, values):
        tensor._bump()
        return tensor
    check_reading(tensor, entry, (value,))
    if is_array(values):
        assign(tensor._array, values)
    else:
        write_number(tensor._array, values)
    tensor._bump()
    return tensor


def overfill(tensor: Tensor, entry: Any, number: Any) -> Tensor:
    """`overwrite` with a number; at once in an array whose elements do not share memory."""
    array = tensor._array
    if type(array) is np.ndarray and array.flags.c_contiguous and changed_at_once(tensor, filled, number):
        return tensor
    return overwrite(tensor, entry, number)


def filled(array: np.ndarray, number: Any) -> bool:
    """Writes a number to all elements."""
    write_number(array, number)
    return True


@above
def laid_out_as(leaf: Tensor, grad: Tensor) -> Tensor:
    """A copy of a gradient in the memory layout of its leaf, recorded; as it is where the leaf's cannot be had."""
    array = leaf._array
    if type(array) is not np.ndarray or type(grad._array) is not np.ndarray or grad._array.dtype != array.dtype:
        return grad.clone()
    return _copy_(new_tensor(array), grad) if is_dense(array) else grad.clone(memory_format=contiguous_format)


def as_fill_value(name: str, value: Any, input: Tensor) -> Any:
    """The value to fill with: a tensor without dimensions, or a number that fits the dtype. Raises PyTorch's errors."""
    if isinstance(value, TensorBase):
        if value._array.ndim:
            raise RuntimeError(
                f"{name} only supports 0-dimension value tensor but got tensor with {value._array.ndim} dimensions."
            )
        return value
    if not isinstance(value, (bool, int, float, complex, np.generic)):
        given = type(value).__name__
        raise TypeError(
            f"{name}() received an invalid combination of arguments - got ({given}), but expected a Tensor "
            "without dimensions or a Number"
        )
    return checked_number(value, input._array.dtype)


def check_fits(source: tuple[int, ...], target: tuple[int, ...]) -> None:
    """Raises RuntimeError if the shape `source` does not broadcast to `target`."""
    if len(source) > len(target):
        raise RuntimeError(f"output with shape {list(target)} doesn't match the broadcast shape {list(source)}")
    for dim in range(-1, -len(source) - 1, -1):
        if source[dim] not in (1, target[dim]):
            raise RuntimeError(
                f"The size of tensor a ({target[dim]}) must match the size of tensor b ({source[dim]}) "
                f"at non-singleton dimension {len(target) + dim}"
            )


for variant in (fill_, zero_, copy_, fill_diagonal_):
    setattr(Tensor, variant.__name__, variant)
