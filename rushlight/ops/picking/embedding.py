"""Embeddings: rows of a table looked up by index."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.autograd.grad_mode import no_grad
from rushlight.core.aliases import Array
from rushlight.core.batching import by
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.kinds import INDICES
from rushlight.core.recording import recording
from rushlight.dtypes import TYPE_NAMES
from rushlight.kernels.accumulate import add_rows
from rushlight.kernels.picking import selected
from rushlight.ops.picking.batched_indexing import rows_picked, rows_put
from rushlight.ops.picking.gather import check_picked, with_parts_at
from rushlight.ops.table import operator
from rushlight.tensors import Tensor

__all__ = ["embedding"]


@operator(
    aten="embedding",
    batch=rows_picked,
    linear=True,
    input=lambda grad, indices, input_shape: _put_rows(grad, indices, input_shape[0]),
)
def _rows(input: Array, indices: Array) -> Array:
    """The rows of a table at the given indices."""
    return selected(input, indices)


@operator(
    aten="embedding_dense_backward",
    batch=rows_put,
    linear=True,
    input=lambda grad, indices: _rows(grad, indices),
    node="EmbeddingDenseBackwardBackward0",
)
def _put_rows(input: Array, indices: Array, n: int) -> Array:
    """A table of zeros with rows added at the given indices: the adjoint of `_rows`."""
    return add_rows(np.reshape(indices, -1), np.reshape(input, (math.prod(input.shape[:-1]), input.shape[-1])), n)


def table_cotangent(
    grad: Array, indices: Array, weight_shape: Sequence[int], padding_idx: int, scale_grad_by_freq: bool
) -> Array:
    """The gradient of the table: the rows of `grad` added up by index, without padding; see `shares`."""
    share = shares(indices, padding_idx, scale_grad_by_freq, grad.dtype)
    return _put_rows(grad if share is None else grad * np.expand_dims(share, -1), indices, weight_shape[0])


def shares(indices: Array, padding_idx: int, scale_grad_by_freq: bool, dtype: Any) -> Array:
    """The factor for the gradient of each looked-up row; None if it is 1 for all."""
    if padding_idx < 0 and not scale_grad_by_freq:
        return None
    return _shares(indices, padding_idx, scale_grad_by_freq, numpy_type(dtype))


def shares_of_batch(n: int, indices: Array, padding_idx: int, scale_grad_by_freq: bool, dtype: np.dtype) -> Array:
    """The factors for indices whose first `n` dimensions are the batch: frequencies are counted in each example."""
    share = np.ones(indices.shape, dtype)
    if scale_grad_by_freq and indices.size:
        examples = indices.shape[:n]
        first = (indices.max() + 1) * np.arange(math.prod(examples)).reshape(*examples, *(1,) * (indices.ndim - n))
        share /= np.bincount((indices + first).reshape(-1))[indices + first]
    share[indices == padding_idx] = 0
    return share


@operator(aten=(), batch=by(shares_of_batch), name="embedding_shares")
def _shares(indices: Array, padding_idx: int, scale_grad_by_freq: bool, dtype: np.dtype[Any]) -> Array:
    return shares_of_batch(0, indices, padding_idx, scale_grad_by_freq, dtype)


def numpy_type(dtype: Any) -> np.dtype:
    """The NumPy dtype for a dtype of an array or of a tensor."""
    return dtype if isinstance(dtype, np.dtype) else dtype._numpy


@operator(batch=rows_picked, linear=True, weight=table_cotangent, name="embedding")
def _embedding(weight: Array, indices: Array, padding_idx: int, scale_grad_by_freq: bool) -> Array:
    return selected(weight, indices)


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of `weight` (n, d) at the indices `input`, of any shape (...): (..., d).

    The row `padding_idx` gets no gradient. With `max_norm`, looked-up rows whose norm (of order `norm_type`) is larger
    are first scaled down to it, in place. With `scale_grad_by_freq`, each row's gradient is divided by the number of
    times it is looked up. With `sparse`, the gradient of `weight` is a sparse tensor that holds only the looked-up
    rows. IndexError for an index out of range.

    >>> import rushlight as torch
    >>> torch.nn.functional.embedding(torch.tensor([1, 0]), torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[3., 4.],
            [1., 2.]])
    """
    padding = padding_row(padding_idx, weight)
    if max_norm is not None:
        renormalise(weight, input, max_norm, norm_type, "embedding_renorm_")
    check_indices("embedding", input)
    if not weight._array.ndim and weight.requires_grad and recording():
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if weight._array.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    check_rows(input._array, weight._array.shape[0])
    return (_sparse_embedding if sparse else _embedding)(weight, input, padding, scale_grad_by_freq)


SCALED_AND_SPARSE = "embedding_backward: scale_grad_by_freq not supported with sparse gradients"


def sparse_cotangent(grad: Array, indices: Array, weight_shape: Any, padding_idx: Any, scale_grad_by_freq: Any) -> Any:
    """The gradient of the table as a sparse tensor, without the rows of padding."""
    if scale_grad_by_freq:
        raise RuntimeError(SCALED_AND_SPARSE)
    return sparse_rows(np.reshape(grad, (-1, weight_shape[1])), indices, weight_shape, padding_idx)


def sparse_rows(rows: Any, indices: Array, shape: Sequence[int], padding_idx: Any) -> Any:
    """A sparse tensor of a given shape with rows at their indices, without those of padding."""
    places = np.reshape(np.asarray(indices), -1)
    if padding_idx >= 0:
        kept = np.flatnonzero(places != padding_idx)
        places, rows = places[kept], rows[new_tensor(kept) if isinstance(rows, TensorBase) else kept]
    return with_parts_at(places[None].astype(np.int64, copy=False), rows, shape)


@operator(
    batch=rows_picked,
    linear=True,
    weight=sparse_cotangent,
    name="sparse_embedding",
    node="EmbeddingBackward0",
    aten="embedding",
)
def _sparse_embedding(weight: Array, indices: Array, padding_idx: int, scale_grad_by_freq: bool) -> Array:
    """`_embedding` with a sparse gradient for the table."""
    return weight.take(indices, 0)


def padding_row(padding_idx: int | None, weight: Tensor) -> int:
    """The index of the padding row, -1 if there is none. AssertionError if it is out of range."""
    if padding_idx is None:
        return -1
    n = weight._array.shape[0]
    assert -n <= padding_idx < n, "Padding_idx must be within num_embeddings"
    return padding_idx % n


def check_indices(function: str, indices: Tensor) -> None:
    """Raises RuntimeError for indices that are not integers."""
    if indices._array.dtype not in INDICES:
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"torch.{TYPE_NAMES[indices.dtype]}Tensor instead (while checking arguments for {function})"
        )


def check_rows(indices: Array, n: int) -> None:
    """Raises IndexError for an index out of range, and RuntimeError if the table has no rows."""
    if n == 0 and indices.size:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    check_picked(indices, n)


def renormalise(weight: Array, indices: Array, max_norm: Any, norm_type: Any, function: Any) -> None:
    """Scales the rows at the given indices down to a maximum norm, in place and outside the graph."""
    array = weight._array
    if array.ndim != 2:
        raise RuntimeError(
            f"Expected 2-dimensional tensor, but got {array.ndim}-dimensional tensor for argument #1 'self' (while "
            f"checking arguments for {function})"
        )
    check_rows(indices._array, array.shape[0])
    rows = np.unique(indices._array)
    norms = np.linalg.norm(array[rows], norm_type, axis=1)
    large = norms > max_norm
    if large.any():
        scale = np.ones(array.shape[0], array.dtype, like=array)
        scale[rows[large]] = max_norm / (norms[large] + 1e-7)
        with no_grad():
            weight.mul_(new_tensor(scale[:, None]))
