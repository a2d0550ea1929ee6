"""Functions of tensors whose results are bools or numbers."""

from itertools import pairwise

from rushlight.core.arrays import is_foreign
from rushlight.core.graph import TensorBase
from rushlight.core.kinds import kind_of
from rushlight.core.placing import by_strides, compared
from rushlight.core.windows import address, memory_of
from rushlight.layouts import channels_last as CHANNELS
from rushlight.layouts import has_format, layout, memory_format, strided
from rushlight.ops.table import method, refuse
from rushlight.tensors import Tensor

__all__ = ["get_device", "is_floating_point", "is_inference", "is_nonzero", "is_same_size", "is_signed"]


def is_floating_point(input: Tensor) -> bool:
    """Whether the dtype is a real floating-point type.

    >>> import rushlight as torch
    >>> torch.is_floating_point(torch.ones(2)), torch.is_floating_point(torch.tensor([1]))
    (True, False)
    """
    if not isinstance(input, TensorBase):
        return refuse("is_floating_point", "input", 1, input)
    return kind_of(input._array.dtype) == "f"


@method
def is_signed(input: Tensor) -> bool:
    """Whether the dtype can represent negative numbers.

    >>> import rushlight as torch
    >>> torch.is_signed(torch.ones(2, dtype=torch.uint8))
    False
    """
    return input.dtype.is_signed


@method
def is_nonzero(input: Tensor) -> bool:
    """Whether the only element is not zero. RuntimeError unless there is exactly one element.

    >>> import rushlight as torch
    >>> torch.is_nonzero(torch.tensor([0.0]))
    False
    """
    return bool(input)


@method
def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape.

    >>> import rushlight as torch
    >>> torch.is_same_size(torch.ones(2), torch.ones(2, 1))
    False
    """
    return input._array.shape == other._array.shape


def is_inference(input: Tensor) -> bool:
    """Whether a tensor was created in inference mode.

    >>> import rushlight as torch
    >>> with torch.inference_mode():
    ...     torch.is_inference(torch.ones(1))
    True
    """
    return input.is_inference()


@method
def get_device(input: Tensor) -> int:
    """The number of the tensor's device: -1 for the CPU.

    >>> import rushlight as torch
    >>> torch.get_device(torch.zeros(2))
    -1
    """
    return -1


@method
def storage_offset(self: Tensor) -> int:
    """How many elements of the underlying memory lie before the first element of the tensor.

    >>> import rushlight as torch
    >>> torch.arange(6)[2:].storage_offset()
    2
    """
    if is_foreign(self._array):  # it has no memory
        return 0
    return (address(self._settled()) - address(memory_of(self))) // self._array.itemsize


def layout_of(self: Tensor) -> layout:
    """The layout of the tensor, `torch.strided`."""
    return strided


Tensor.layout = property(layout_of)
Tensor.is_cpu = True


@method
def dim_order(input: Tensor, *, ambiguity_check: bool | list[memory_format] = False) -> tuple[int, ...]:
    """The dimensions in the order of memory, the outermost first.

    With `ambiguity_check=True`, RuntimeError if the order is ambiguous: a dimension has size 1, or two have the same
    stride. With a list of memory formats, only if the tensor is also in none or several of these. TypeError for any
    other `ambiguity_check`.

    >>> import rushlight as torch
    >>> torch.empty(2, 3, 5, 7).dim_order(), torch.empty(2, 3, 5, 7).transpose(1, 2).dim_order()
    ((0, 1, 2, 3), (0, 2, 1, 3))
    """
    formats = ambiguity_check if isinstance(ambiguity_check, list) else []
    if not isinstance(ambiguity_check, bool | list) or not all(isinstance(f, memory_format) for f in formats):
        raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
    shape, strides = tuple(input.shape), input.stride()
    is_ambiguous = 1 in shape or any(a == b for a, b in pairwise(strides))
    if ambiguity_check is not False and is_ambiguous and sum(has_format(input._settled(), f) for f in formats) != 1:
        raise RuntimeError(
            "The tensor does not have unique dim order, or cannot map to exact one of the given memory formats."
        )
    in_order, channels_last = input.is_contiguous(), has_format(input._settled(), CHANNELS)
    if input.ndim < 2 or (in_order and not channels_last):
        return tuple(range(input.ndim))
    if channels_last and not in_order:
        return (0, *range(2, input.ndim), 1)
    order = by_strides(shape, [strides])
    if ambiguity_check and any(compared(shape, [strides], *pair) >= 0 for pair in pairwise(order)):
        raise RuntimeError("The tensor does not have unique dim order.")
    return tuple(reversed(order))
