"""Sums, means and maxima of bags of rows of a table."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batched import values
from rushlight.core.batching import one_by_one
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.inplace import is_batched
from rushlight.core.interpreters import noted, rely_on
from rushlight.core.kinds import kind_of
from rushlight.core.lines import warn
from rushlight.core.narrow import in_float32
from rushlight.dtypes import TYPE_NAMES
from rushlight.kernels.accumulate import add_runs, are_indices
from rushlight.kernels.reductions import summed
from rushlight.ops.picking.embedding import (
    SCALED_AND_SPARSE,
    _embedding,
    _put_rows,
    _rows,
    numpy_type,
    padding_row,
    renormalise,
    shares,
    sparse_rows,
)
from rushlight.ops.picking.gather import _put_back
from rushlight.ops.table import operator
from rushlight.tensors import Tensor

__all__ = ["embedding_bag"]


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
    if mode == "mean":
        grad = grad / np.expand_dims(np.maximum(counts, 1), -1).astype(numpy_type(grad.dtype))
    share, rows = shares(indices, padding, scale, grad.dtype), _rows(grad, bags)
    if per_sample_weights is not None:
        share = per_sample_weights if share is None else per_sample_weights * share
    return put(rows if share is None else rows * np.expand_dims(share, -1), indices, weight_shape, padding)


def put_dense(rows: Array, indices: Array, shape: Sequence[int], padding: int) -> Array:
    """A dense table of a given shape with rows added at their indices."""
    return _put_rows(rows, indices, shape[0])


def bag_cotangent(put: Callable[..., Any]) -> Callable[..., Any]:
    """The gradient formula of the table of `embedding_bag`; `put` adds the rows up."""

    def cotangent(
        grads: Sequence[Array],
        weight_shape: Sequence[int],
        indices: Array,
        bags: Array,
        counts: Array,
        mode: str,
        padding: int,
        scale: bool,
        result1: Array,
    ) -> Any:
        return cotangent_of_rows(
            put, grads[0], weight_shape, indices, bags, None, counts, mode, padding, scale, result1
        )

    return cotangent


def sample_cotangent(grad: Array, weight: Array, indices: Array, bags: Array, padding: int) -> Any:
    """The gradient of `per_sample_weights`."""
    rows = _rows(grad, bags) * _rows(weight, indices)
    return summed(rows, (1,)) * np.not_equal(indices, padding)


def weighted_bag_cotangents(put: Callable[..., Any]) -> Callable[..., Any]:
    """The gradients of the table and of `per_sample_weights`, which only `mode="sum"` has."""

    def cotangents(
        grads: Sequence[Array],
        weight_shape: Sequence[int],
        indices: Array,
        bags: Array,
        per_sample_weights: Array | None,
        counts: Array,
        padding: int,
        scale: bool,
        weight: Array,
        needs: Sequence[bool],
    ) -> list[Array | None]:
        grad, table = grads[0], None
        if needs[0]:
            table = cotangent_of_rows(
                put, grad, weight_shape, indices, bags, per_sample_weights, counts, "sum", padding, scale, None
            )
        return [table, sample_cotangent(grad, weight, indices, bags, padding) if needs[1] else None]

    return cotangents


@operator(
    weight=bag_cotangent(put_dense),
    nondifferentiable=(1,),
    name="embedding_bag",
    holomorphic=False,
    batch=one_by_one,
)
def _embedding_bag(
    weight: Array,
    indices: Array,
    bags: Array,
    per_sample_weights: Array | None,
    counts: Array,
    mode: str,
    padding: int,
    scale: bool,
) -> tuple[Array, ...]:
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


def largest_rows(weight: Array, rows: Any, indices: Array, bags: Any, n: int, padding: int) -> Any:
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
    if weight._array.dtype == np.int64 and input.is_floating_point():
        warn(
            "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is "
            "deprecated, and should now be `embedding_bag(input, weight, ...)`."
        )
        weight, input = input, weight
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
    counted = bags if padding < 0 else bags[indices != padding]
    return np.diff(np.searchsorted(counted, np.arange(n + 1)))


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
