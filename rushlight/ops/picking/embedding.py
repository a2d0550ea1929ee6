"""Embeddings (rows of a table looked up by index), bags of embeddings, and one-hot vectors."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.autograd.grad_mode import no_grad
from rushlight.core.aliases import Array
from rushlight.core.batched import values
from rushlight.core.batching import by, one_by_one
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.inplace import is_batched
from rushlight.core.interpreters import noted, rely_on, writer
from rushlight.core.kinds import INDICES, kind_of
from rushlight.core.narrow import in_float32
from rushlight.core.recording import recording
from rushlight.dtypes import TYPE_NAMES
from rushlight.kernels.accumulate import add_rows, add_runs, are_indices
from rushlight.ops.picking.batched_indexing import rows_picked, rows_put
from rushlight.ops.picking.gather import _put_back, check_picked, with_parts_at
from rushlight.ops.table import operator
from rushlight.tensors import Tensor

__all__ = ["embedding", "embedding_bag", "one_hot"]


@operator(
    aten="embedding",
    batch=rows_picked,
    linear=True,
    input=lambda grad, indices, input_shape: _put_rows(grad, indices, input_shape[0]),
)
def _rows(input, indices):
    """The rows of a table at the given indices."""
    return input.take(indices, 0)


@operator(
    aten="embedding_dense_backward",
    batch=rows_put,
    linear=True,
    input=lambda grad, indices: _rows(grad, indices),
    node="EmbeddingDenseBackwardBackward0",
)
def _put_rows(input, indices, n):
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
def _shares(indices, padding_idx, scale_grad_by_freq, dtype):
    return shares_of_batch(0, indices, padding_idx, scale_grad_by_freq, dtype)


def numpy_type(dtype: Any) -> np.dtype:
    """The NumPy dtype for a dtype of an array or of a tensor."""
    return dtype if isinstance(dtype, np.dtype) else dtype._numpy


@operator(batch=rows_picked, linear=True, weight=table_cotangent, name="embedding")
def _embedding(weight, indices, padding_idx, scale_grad_by_freq):
    return weight.take(indices, 0)


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
    return with_parts_at(places[None].astype(np.int64), rows, shape)


@operator(
    batch=rows_picked,
    linear=True,
    weight=sparse_cotangent,
    name="sparse_embedding",
    node="EmbeddingBackward0",
    aten="embedding",
)
def _sparse_embedding(weight, indices, padding_idx, scale_grad_by_freq):
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


# bags


def cotangent_of_rows(
    put: Callable[..., Any],
    grad: Array,
    weight_shape: Sequence[int],
    indices: Array,
    bags: Array,
    per_sample_weights: Array | None,
    counts: Array,
    mode: str,
    padding: int,
    scale: bool,
    result1: Any,
) -> Any:
    """The gradient of the table of `embedding_bag`; `put` adds the rows up. It does not depend on the table itself."""
    if scale and put is sparse_rows:
        raise RuntimeError(SCALED_AND_SPARSE)
    if mode == "max":
        chosen = result1._array if isinstance(result1, TensorBase) else result1
        return _put_back(grad * (chosen >= 0), 0, np.maximum(chosen, 0), weight_shape)
    share = sample_shares(indices, bags, counts, mode, padding, scale, numpy_type(grad.dtype))
    rows = _rows(grad, bags) * np.expand_dims(share, -1)
    if per_sample_weights is not None:
        rows = rows * np.expand_dims(per_sample_weights, -1)
    return put(rows, indices, weight_shape, padding)


def put_dense(rows: Array, indices: Array, shape: Sequence[int], padding: int) -> Array:
    """A dense table of a given shape with rows added at their indices."""
    return _put_rows(rows, indices, shape[0])


def bag_cotangent(put: Callable[..., Any]) -> Callable[..., Any]:
    """The gradient formula of the table of `embedding_bag`; `put` adds the rows up."""

    def cotangent(grads, weight_shape, indices, bags, counts, mode, padding, scale, result1):
        return cotangent_of_rows(
            put, grads[0], weight_shape, indices, bags, None, counts, mode, padding, scale, result1
        )

    return cotangent


def sample_cotangent(grad: Array, weight: Array, indices: Array, bags: Array, padding: int) -> Any:
    """The gradient of `per_sample_weights`."""
    rows = _rows(grad, bags) * _rows(weight, indices)
    return np.add.reduce(rows, axis=-1) * np.not_equal(indices, padding)


def weighted_bag_cotangents(put: Callable[..., Any]) -> Callable[..., Any]:
    """The gradients of the table and of `per_sample_weights`, which only `mode="sum"` has."""

    def cotangents(grads, weight_shape, indices, bags, per_sample_weights, counts, padding, scale, weight, needs):
        grad, table = grads[0], None
        if needs[0]:
            table = cotangent_of_rows(
                put, grad, weight_shape, indices, bags, per_sample_weights, counts, "sum", padding, scale, None
            )
        return [table, sample_cotangent(grad, weight, indices, bags, padding) if needs[1] else None]

    return cotangents


def sample_shares(
    indices: Array, bags: Array, counts: Array, mode: str, padding: int, scale: bool, dtype: np.dtype
) -> Array:
    """The factor for the gradient of each sample's row: from its weight, its bag's size and its frequency."""
    share = shares(indices, padding, scale, dtype)
    if share is None:
        share = np.ones(np.shape(indices), dtype)
    return share / np.maximum(counts, 1)[bags].astype(dtype) if mode == "mean" else share


@operator(
    weight=bag_cotangent(put_dense),
    nondifferentiable=(1,),
    name="embedding_bag",
    holomorphic=False,
    batch=one_by_one,
)
def _embedding_bag(weight, indices, bags, per_sample_weights, counts, mode, padding, scale):
    if mode == "max":
        return largest_rows(weight, weight[indices], indices, bags, counts.size, padding)
    if padding >= 0:
        kept = np.flatnonzero(indices != padding)
        indices, bags = indices[kept], bags[kept]
        per_sample_weights = None if per_sample_weights is None else per_sample_weights[kept]
    if weight.dtype.itemsize < 4:  # only these rows are converted
        weight, indices = weight[indices], np.arange(indices.size)
    return sums_of_rows(weight, indices, bags, per_sample_weights, counts, mode), counts


@in_float32
def sums_of_rows(
    weight: Array, indices: Array, bags: Array, per_sample_weights: Array | None, counts: Array, mode: str
) -> Array:
    """The sum or mean of the rows of each bag."""
    total = add_runs(weight, indices, bags, per_sample_weights, counts.size)
    if mode == "mean":
        total = total / np.maximum(counts, 1).astype(total.dtype)[:, None]
    return total


OPTIONS: dict[str, Any] = {
    "nondifferentiable": (1,),
    "holomorphic": False,
    "batch": one_by_one,
    "aten": "embedding_bag",
    "node": "EmbeddingBagBackward0",
}
WEIGHTED = ("weight", "per_sample_weights")
BAGS: dict[tuple[bool, bool], Callable[..., Any]] = {  # keys: sparse gradient, sample weights
    (False, False): _embedding_bag,
    (True, False): operator(weight=bag_cotangent(sparse_rows), name="sparse_embedding_bag", **OPTIONS)(
        _embedding_bag.forward
    ),
    (False, True): operator(
        joint=weighted_bag_cotangents(put_dense), inputs=WEIGHTED, name="weighted_embedding_bag", **OPTIONS
    )(_embedding_bag.forward),
    (True, True): operator(
        joint=weighted_bag_cotangents(sparse_rows), inputs=WEIGHTED, name="sparse_weighted_embedding_bag", **OPTIONS
    )(_embedding_bag.forward),
}


def largest_rows(weight: Array, rows: Any, indices: Array, bags: Any, n: int, padding: Sequence[int]) -> Any:
    """The maximum of each bag in each column (0 in empty bags), and the row that it comes from (or -1)."""
    kept = np.flatnonzero(indices != padding)
    out = np.full((n, weight.shape[1]), -np.inf, weight.dtype, like=weight)
    np.maximum.at(out, bags[kept], rows[kept])
    chosen = np.full(out.shape, -1, like=out)
    for k in kept[::-1]:
        hit = rows[k] == out[bags[k]]
        chosen[bags[k]][hit] = indices[k]
    return np.where(chosen >= 0, out, 0).astype(weight.dtype), chosen


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Sums, means or maxima of bags of rows of `weight` (n, d), without storing the rows: (bags, d).

    If the indices `input` are two-dimensional, each row is a bag. Else they are one vector, and `offsets` says where
    each bag starts (with `include_last_offset` also where the last one ends). `per_sample_weights`, of the shape of
    `input`, multiplies the rows of a sum. The row `padding_idx` is ignored. Other options are as for `embedding`.

    >>> import rushlight as torch
    >>> table = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> torch.nn.functional.embedding_bag(torch.tensor([0, 1, 1]), table, torch.tensor([0, 1]), mode="sum")
    tensor([[1., 2.],
            [6., 8.]])
    """
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if sparse and mode == "max":
        raise ValueError("max mode does not support sparse weights")
    if kind_of(weight._array.dtype) != "f":
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, BFloat16, "
            f"Float, Double; but got torch.{TYPE_NAMES[weight.dtype]}Tensor instead (while checking arguments for "
            "embedding_bag)"
        )
    check_sample_weights(input, per_sample_weights, mode)
    if weight._array.ndim != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight._array.ndim}")
    flat, bags, n = bags_of(input, offsets, include_last_offset)
    padding = padding_row(padding_idx, weight)
    if max_norm is not None:
        renormalise(weight, flat, max_norm, norm_type, "embedding_renorm_")
    weights = None if per_sample_weights is None else per_sample_weights.reshape(-1)
    return reduced_bags(weight, flat, bags, weights, n, mode, padding, scale_grad_by_freq, sparse)[0]


def reduced_bags(
    weight: Tensor,
    indices: Tensor,
    bags: Array,
    weights: Tensor | None,
    n: int,
    mode: str,
    padding: int,
    scale: bool,
    sparse: bool,
) -> tuple[Tensor, Tensor | None]:
    """The sum, mean or maximum of each bag; and its number of rows, or for maxima their rows; None inside `vmap`."""
    check_bags(indices._array, weight._array, mode)
    if any(is_batched(x) for x in (indices, weight, weights)):
        return bags_of_batch(weight, indices, bags, weights, n, mode, padding, scale), None
    counts = count_rows(bags, indices._array, padding, mode, n)
    op = BAGS[sparse, weights is not None]
    return op(weight, indices, bags, weights, counts, mode, padding, scale)


def bags_of_batch(
    weight: Tensor, indices: Tensor, bags: Array, weights: Tensor | None, n: int, mode: str, padding: int, scale: bool
) -> Tensor:
    """`embedding_bag` inside `vmap`, composed of operators with batch rules: look-up, then reduction by bag."""
    rows = _embedding(weight, indices, padding, scale)
    bag = new_tensor(bags)
    counted = indices.ne(padding).to(rows.dtype)
    out = new_tensor(np.zeros((n, rows.shape[1]), rows._array.dtype))
    if mode == "max":
        rows = rows.masked_fill(indices.eq(padding).unsqueeze(1), -np.inf)
        largest = out.index_reduce(0, bag, rows, "amax", include_self=False)
        return largest.masked_fill(largest.eq(-np.inf), 0)
    rows = rows * counted.unsqueeze(1) if weights is None else rows * (weights * counted).unsqueeze(1)
    total = out.index_add(0, bag, rows)
    return total if mode == "sum" else total / out[:, 0].index_add(0, bag, counted).clamp_min(1).unsqueeze(1)


def check_bags(indices: Array, weight: Array, mode: str) -> None:
    """Raises PyTorch's RuntimeErrors for indices out of range; the wording depends on the dtype, as in PyTorch."""
    n = weight.shape[0]
    if are_indices(indices, n):
        rely_on(are_indices, indices, n)
        return
    found = values(indices).reshape(-1)
    place = int(np.argmax((found < 0) | (found >= n)))
    if mode == "max" or weight.dtype == np.float64:
        raise RuntimeError(
            f"embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be {found[place]}"
        )
    raise RuntimeError(f"Index {place} of input takes value {found[place]} which is not in the valid range [0, {n})")


def check_sample_weights(input: Tensor, weights: Tensor | None, mode: str) -> None:
    """Raises PyTorch's errors for sample weights of the wrong shape or dtype, or with the wrong mode."""
    if weights is None:
        return
    if weights._array.shape != input._array.shape:
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({weights.shape}) is not None, then it must have the same shape as "
            f"the input ({input.shape})"
        )
    if mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' "
            f"(got mode='{mode}'). Please open a feature request on GitHub."
        )


def bags_of(input: Tensor, offsets: Any, include_last_offset: bool) -> tuple[Array, ...]:
    """All indices as a vector, the bag number of each, and the number of bags."""
    array = input._array
    if array.ndim == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
                f"sequences. However, found offsets of type {type(offsets)}"
            )
        n, length = array.shape
        return input.reshape(-1), np.repeat(np.arange(n), length), n
    if array.ndim != 1:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {array.ndim}")
    if not isinstance(offsets, TensorBase):
        raise ValueError(f"offsets has to be a 1D Tensor but got {offsets}")
    starts = checked_offsets(offsets._array, array.size)
    n = starts.size - 1 if include_last_offset else starts.size
    return input, number_bags(starts, n, array.size), n


def bag_numbers(starts: Any, n: int, size: int) -> Any:
    """The bag number of each of `size` indices, given where the bags start."""
    return np.searchsorted(starts[:n], np.arange(size), side="right") - 1


def counted_rows(bags: Array, indices: Array, padding: int, mode: str, n: int) -> Any:
    """How many rows each bag has, without padding: for means."""
    if mode != "mean":
        return np.zeros(n, np.intp)
    return np.bincount(bags if padding < 0 else bags[indices != padding], minlength=n)


number_bags, count_rows = noted(bag_numbers), noted(counted_rows)


def begin_and_end(starts: Any, size: int) -> bool:
    """Whether the first bag starts at the first index, and no bag starts after the last one."""
    return not starts.size or bool(starts[0] == 0 and starts[-1] <= size)


def checked_offsets(starts: Any, size: Any) -> Any:
    """Raises PyTorch's errors for impossible offsets, and returns them."""
    if starts.ndim != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    if starts.size and starts[0] != 0:
        raise RuntimeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. "
            f"However, got {starts[0]}"
        )
    if starts.size and starts[-1] > size:
        raise RuntimeError(
            f"offsets[-1] can not be greater than input's length {size} but got offsets[-1] of {starts[-1]}"
        )
    rely_on(begin_and_end, starts, size)
    return starts


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """One-hot vectors of the classes in an int64 tensor: (...) gives (..., num_classes).

    Without `num_classes` it is the largest class plus one. RuntimeError for classes out of range, and inside `vmap`
    without `num_classes`.

    >>> import rushlight as torch
    >>> torch.nn.functional.one_hot(torch.tensor([0, 2]))
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    array, every = tensor._array, values(tensor._array)
    if array.dtype != np.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if num_classes <= 0 and is_batched(tensor):
        raise RuntimeError(
            "When vmap-ing torch.nn.functional.one_hot, please provide an explicit positive num_classes argument."
        )
    if every.size == 0 and num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    if num_classes == -1:
        num_classes = max(int(every.max()) + 1, 0)
        if (writes := writer()) is not None:
            writes.give_up("one_hot() without num_classes has a shape that depends on values")
    return new_tensor(expand_classes(array, num_classes))


def expanded_classes(array: Array, number: Any) -> Any:
    """A one-hot row for each class. RuntimeError for a class out of range."""
    every = values(array)
    if every.size and every.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if every.size and every.max() >= number:
        raise RuntimeError(f"Class values must be smaller than num_classes. {every.max()} is not below {number}.")
    return (array[..., None] == np.arange(number)).astype(np.int64, order="C")


expand_classes: Callable[..., Any] = noted(expanded_classes)
