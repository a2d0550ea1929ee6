"""In-place view operations such as `t_`, which change shape and strides but not the memory; and `resize_`."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.core.graph import new_tensor
from rushlight.core.hooks import expect
from rushlight.core.inplace import check_history, move, stand_in
from rushlight.core.modes import CURRENT
from rushlight.core.operators import Operator
from rushlight.core.recording import recording
from rushlight.core.turned import memory, turn, turning
from rushlight.core.writing import check_inference
from rushlight.layouts import (
    channels_last,
    channels_last_3d,
    compact,
    contiguous_format,
    empty_array,
    has_format,
    preserve_format,
)
from rushlight.layouts import memory_format as MemoryFormat
from rushlight.ops.arguments.dims import INTEGERS, sequence, wrap_dim, wrap_dims
from rushlight.ops.arguments.mismatch import type_name
from rushlight.ops.changes.resizing import lay_anew
from rushlight.ops.shapes.dimensions import _t, _transpose, _transpose_scalar, check_matrix
from rushlight.ops.shapes.shape import _squeeze_all, _unsqueeze
from rushlight.ops.shapes.slicing import _as_strided, as_strided, strided_place
from rushlight.ops.table import method
from rushlight.tensors import Tensor

__all__ = []


def variant(entry: Operator, node: str) -> Operator:
    """A view operator under the name that its autograd node has in PyTorch when it is applied in place."""
    return Operator(
        f"{entry.name}_",
        entry.forward,
        entry.params,
        entry.formulas,
        node=node,
        view=True,
        aten=f"{entry.aten[0]}_",
        holomorphic=entry.holomorphic,
        batch=entry.batch,
    )


_t_ = variant(_t, "TBackward1")
_transpose_, _transpose_scalar_ = (variant(op, "TransposeBackward1") for op in (_transpose, _transpose_scalar))
_unsqueeze_ = variant(_unsqueeze, "UnsqueezeBackward1")
_squeeze_all_, _squeeze_dim_, _squeeze_dims_ = (variant(_squeeze_all, f"SqueezeBackward{n}") for n in (3, 4, 5))
_as_strided_ = variant(_as_strided, "AsStridedBackward1")


def look_anew(tensor: Any, entry: Any, *args: Any) -> Any:
    """Turns a tensor into a view of itself: the same memory, another shape, one more node in its history."""
    check_inference(tensor)
    tensor._settled()
    recorded = recording()
    check_history(tensor, recorded and tensor.requires_grad)
    result = entry(stand_in(tensor), *args)
    if not recorded and tensor._view is None:
        expect(tensor, result._array)
    tensor._array, tensor._tangents = result._array, result._tangents
    tensor._bump()
    if recorded and result._node is not None:
        move(tensor, result._node, 0)
        if tensor._view is not None:
            tensor._view.version = tensor._counter.value
    return tensor


def t_(self: Tensor) -> Tensor:
    """`t`, in place."""
    check_matrix("t_", self)
    return look_anew(self, _t_)


def transpose_(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """`transpose`, in place."""
    ndim = self._array.ndim
    dim0, dim1 = wrap_dim(dim0, ndim), wrap_dim(dim1, ndim)
    return look_anew(self, _transpose_, dim0, dim1) if ndim else look_anew(self, _transpose_scalar_)


def squeeze_(self: Tensor, dim: int | tuple[int, ...] | None = None) -> Tensor:
    """`squeeze`, in place."""
    shape = self._array.shape
    if dim is None:
        return look_anew(self, _squeeze_all_, tuple([i for i, n in enumerate(shape) if n == 1]))
    entry = _squeeze_dim_ if isinstance(dim, INTEGERS) else _squeeze_dims_
    return look_anew(self, entry, tuple([d for d in wrap_dims(dim, len(shape)) if shape and shape[d] == 1]))


def unsqueeze_(self: Tensor, dim: int) -> Tensor:
    """`unsqueeze`, in place."""
    return look_anew(self, _unsqueeze_, wrap_dim(dim, self._array.ndim + 1))


def as_strided_(
    self: Tensor, size: tuple[int, ...], stride: tuple[int, ...], storage_offset: int | None = None
) -> Tensor:
    """`as_strided`, in place.

    >>> import rushlight as torch
    >>> torch.as_strided_(torch.arange(4), (2, 2), (1, 2))
    tensor([[0, 2],
            [1, 3]])
    """
    check_history(self, recording() and self.requires_grad)
    return look_anew(self, _as_strided_, strided_place(self, size, stride, storage_offset))


def resize_(self: Tensor, *sizes: int | Sequence[int], memory_format: MemoryFormat | None = None) -> Tensor:
    """Gives a tensor another shape, in place. It keeps its memory, or gets more, with new elements uninitialized.

    RuntimeError for a tensor that requires grad.

    >>> import rushlight as torch
    >>> torch.tensor([[1, 2], [3, 4]]).resize_(3)
    tensor([1, 2, 3])
    """
    if self.requires_grad and not CURRENT.get().inference:
        raise RuntimeError("cannot resize variables that require grad")
    check_inference(self)
    shape, array = tuple(sequence("resize_", "size", sizes)), self._settled()
    if min(shape, default=0) < 0:
        raise RuntimeError("numel: integer multiplication overflow")
    if memory_format is preserve_format:
        raise RuntimeError("Unsupported memory format Preserve: give another, or leave memory_format= out.")
    if shape != array.shape:
        lay_anew(self, shape, compact(shape, array.itemsize))
    if memory_format is not None and not has_format(self._array, memory_format):
        in_order = np.broadcast_to(self._array.dtype.type(), shape)
        lay_anew(self, shape, empty_array(in_order, self._array.dtype, memory_format).strides)
    if self._array is not array:
        self._bump()
    return self


def resize_as_(self: Tensor, the_template: Tensor, *, memory_format: MemoryFormat | None = None) -> Tensor:
    """`resize_` to the shape of another tensor; `torch.preserve_format` also takes its memory format.

    >>> import rushlight as torch
    >>> torch.resize_as_(torch.arange(6), torch.empty(2, 3))
    tensor([[0, 1, 2],
            [3, 4, 5]])
    """
    if memory_format is preserve_format:
        candidates = (contiguous_format, channels_last, channels_last_3d)
        memory_format = next((f for f in candidates if has_format(the_template._array, f)), contiguous_format)
    return resize_(self, the_template._array.shape, memory_format=memory_format)


def set_(
    self: Tensor,
    source: Tensor | None = None,
    storage_offset: int = 0,
    size: Sequence[int] | None = None,
    stride: Sequence[int] | None = None,
) -> Tensor:
    """Makes a tensor use the memory of `source`, with its shape, or `size`, `stride` and `storage_offset`; in place.

    The method also takes storages; it is in `rushlight.storage`.
    Without `source` the tensor becomes empty. RuntimeError for another dtype, for a size that exceeds the memory,
    and for a tensor that requires grad while operations are recorded.

    >>> import rushlight as torch
    >>> x = torch.zeros(3)
    >>> x.set_(torch.arange(6.0), 1, (2, 2), (2, 1))
    tensor([[1., 2.],
            [3., 4.]])
    """
    check_inference(self)
    check_history(self, recording() and self.requires_grad)
    if source is None:
        source = new_tensor(np.empty(0, self._array.dtype))
    elif source.dtype is not self.dtype:
        own, given = type_name(self._array).lower(), type_name(source._array).lower()
        raise RuntimeError(f"Could not set tensor of type {given} to a tensor of type {own}")
    if size is not None:
        source = as_strided(source.detach(), size, compact(size, 1) if stride is None else stride, storage_offset)
    turned = turning(self._array)
    self.data = source
    self._array = turn(memory(self._array), *turned)
    self._bump()
    return self


for change_of_view in (t_, transpose_, squeeze_, unsqueeze_, as_strided_, resize_, resize_as_):
    method(change_of_view)
Tensor.swapaxes_ = Tensor.swapdims_ = transpose_
