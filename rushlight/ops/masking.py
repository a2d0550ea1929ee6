"""Elements that a mask names: filled, picked, overwritten."""

import numpy as np

from rushlight.core.batched import Batched, aligned
from rushlight.core.batching import dynamic, elementwise
from rushlight.core.graph import TensorBase
from rushlight.dtypes import TYPE_NAMES
from rushlight.layouts import owned
from rushlight.ops.broadcasting import broadcast_tensors
from rushlight.ops.filling import checked_number
from rushlight.ops.selection import _drop, _keep
from rushlight.ops.table import in_place, method, operator, write_out
from rushlight.tensors import Tensor

__all__ = ["masked_fill", "masked_scatter", "masked_select"]

BOOL = np.dtype(bool)


@operator(batch=elementwise, input=lambda grad, mask: _drop(mask, grad), name="masked_fill")
def _masked_fill(input, mask, value):
    out = owned(input)
    np.copyto(out, value, where=mask, casting="unsafe")
    return out


@operator(
    batch=elementwise,
    input=lambda grad, mask: _drop(mask, grad),
    value=lambda grad, mask: np.add.reduce(_keep(mask, grad), axis=None),
    node="MaskedFillBackward1",
)
def _masked_fill_tensor(input, mask, value):
    return _masked_fill.forward(input, mask, value)


@in_place
@method
def masked_fill(input: Tensor, mask: Tensor, value: Tensor | complex) -> Tensor:
    """A copy with one value where the mask holds: a number, or a tensor without dimensions. The mask is broadcast.

    >>> import rushlight as torch
    >>> torch.masked_fill(torch.zeros(3), torch.tensor([True, False, True]), 5)
    tensor([5., 0., 5.])
    """
    if mask._array.dtype != BOOL:
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {mask.dtype}"
                           .replace("torch.float32", "float"))  # fmt: skip
    if isinstance(value, TensorBase) and value._array.ndim:
        raise RuntimeError(
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value._array.ndim} dimension(s)."
        )
    if mask._array.shape != input._array.shape:
        mask, input = broadcast_tensors(mask, input)
    if isinstance(value, TensorBase):
        if type(value._array) is np.ndarray:
            checked_number(value._array.item(), input._array.dtype)
        return _masked_fill_tensor(input, mask, value)
    return _masked_fill(input, mask, checked_number(value, input._array.dtype))


def select_batch(op, args, levels):
    """What one mask selects of all examples; there is no batch where each has its own mask."""
    input, mask = args
    return dynamic(op, args, levels) if type(mask) is Batched else aligned(input, levels)[..., mask]


@operator(linear=True, batch=select_batch, input=lambda grad, mask: _place_masked(grad, mask))
def _masked_select(input, mask):
    return input[mask]


@operator(linear=True, input=lambda grad, mask: _masked_select(grad, mask), node="MaskedScatterBackward0")
def _place_masked(input, mask):
    """Zeros with the elements of a vector where the mask holds, in their order: the adjoint of `masked_select`."""
    out = np.zeros(mask.shape, input.dtype)
    out[mask] = input
    return out


@method
def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements where the mask holds, as a vector; the two are broadcast together.

    >>> import rushlight as torch
    >>> torch.masked_select(torch.tensor([1, 2, 3]), torch.tensor([True, False, True]))
    tensor([1, 3])
    """
    if mask._array.dtype != BOOL:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    if mask._array.shape != input._array.shape:
        mask, input = broadcast_tensors(mask, input)
    result = _masked_select(input, mask)
    return result if out is None else write_out("masked_select", out, result, input)


def source_cotangent(grad, mask, source_shape):
    """The elements of a cotangent where the mask holds, in the first places of the source."""
    size = int(np.prod(source_shape))
    picked = _masked_select(grad, mask)
    rest = np.zeros_like(grad, shape=(size - picked.shape[0],))
    return np.reshape(np.concatenate([picked, rest]), source_shape)


@operator(input=lambda grad, mask: _drop(mask, grad), source=source_cotangent, name="masked_scatter")
def _masked_scatter(input, mask, source):
    out = owned(input)
    out[mask] = source.reshape(-1)[: np.count_nonzero(mask)]
    return out


@in_place
@method
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """A copy whose elements where the mask holds are the first ones of `source`, in order.

    RuntimeError where `source` has too few.

    >>> import rushlight as torch
    >>> torch.masked_scatter(torch.zeros(3), torch.tensor([True, False, True]), torch.tensor([1.0, 2.0]))
    tensor([1., 0., 2.])
    """
    if mask._array.dtype != BOOL:
        raise RuntimeError("masked_scatter_ only supports boolean masks, but got mask with dtype " + str(mask.dtype))
    if source._array.dtype != input._array.dtype:
        raise RuntimeError(
            "masked_scatter: expected self and source to have same dtypes but got"
            f"{TYPE_NAMES[input.dtype]} and {TYPE_NAMES[source.dtype]}"
        )
    if mask._array.shape != input._array.shape:
        mask, input = broadcast_tensors(mask, input)
    if np.count_nonzero(mask._array) > source._array.size:
        raise RuntimeError("Number of elements of source < number of ones in mask")
    return _masked_scatter(input, mask, source)
