"""Elementwise functions of sparse tensors: those that keep 0, sums, products, in-place operations, reductions."""

from typing import Any

import numpy as np

import rushlight as torch
from rushlight.core.errors import lower_result
from rushlight.core.graph import new_tensor
from rushlight.dtypes import TYPE_NAMES
from rushlight.layouts import sparse_coo
from rushlight.ops.elementwise.arithmetic import check_factor, check_no_booleans
from rushlight.sparse.parts import is_layout
from rushlight.sparse.tensor import (
    HANDLED,
    SparseTensor,
    dense_of,
    handles,
    is_sparse,
    like,
    merged,
    positions,
    sparse_dims,
    sparse_of,
    stored,
    summed_by_group,
    unraveled,
)
from rushlight.tensors import Tensor

KEEP_ZERO = """
    abs absolute asin arcsin asinh arcsinh atan arctan atanh arctanh ceil conj conj_physical deg2rad erf erfinv expm1
    floor frac isinf isnan isneginf isposinf log1p nan_to_num neg negative positive rad2deg relu round sgn sign signbit
    sin sinh sqrt square tan tanh trunc fix threshold
"""
LINEAR = frozenset(["neg", "negative", "positive", "conj", "conj_physical", "deg2rad", "rad2deg"])


def ordered(tensor: SparseTensor) -> SparseTensor:
    """The tensor coalesced, in its own layout."""
    return tensor if tensor._layout is not sparse_coo else merged(tensor)


for _name in KEEP_ZERO.split():

    def _of_values(input: SparseTensor, *args: Any, _name: str = _name, **kwargs: Any) -> SparseTensor:
        source = input if _name in LINEAR else ordered(input)
        return like(source, getattr(torch, _name)(source._stored, *args, **kwargs))

    HANDLED[_name] = _of_values


@handles("pow", "__pow__")
def pow(input: SparseTensor, exponent: Any) -> SparseTensor:
    """The stored elements to the power of a positive exponent."""
    if isinstance(exponent, Tensor) or exponent <= 0:
        raise RuntimeError("pow of a sparse tensor takes a number greater than 0: use to_dense() for others")
    source = ordered(input)
    return like(source, source._stored**exponent)


def is_scalar(value: Any) -> bool:
    """Whether a value is a number, or a tensor without dimensions."""
    return not isinstance(value, Tensor) or (not is_sparse(value) and value.dim() == 0)


@handles("add")
def add(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """The sum of two sparse tensors (sparse), or of a dense and a sparse tensor (dense)."""
    check_factor(alpha, *map(stored, (input, other)))
    if not is_sparse(input):
        return added_to_dense(input, other, alpha)
    if not is_sparse(other):
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    same_sizes("add", input, other)
    left, right = input._stored, times(alpha, other._stored, input.dtype)
    if input._places.shape == other._places.shape and (input._places == other._places).all():
        return like(input, left + right)
    both = [is_layout(part, sparse_coo) for part in (like(input, left.to(right.dtype)), like(other, right))]
    index = np.concatenate([part._places for part in both], 1)
    values = torch.cat([part._stored for part in both])
    if not all(is_sorted(part) for part in both):
        groups, firsts = walk(*(positions(part._places, part._sizes[: sparse_dims(part)]).tolist() for part in both))
        return sparse_of(index[:, firsts], summed_by_group(values, groups, len(firsts)), input._sizes)
    result = is_layout(merged(sparse_of(index, values, input._sizes)), input._layout)
    result._is_coalesced = input._is_coalesced and other._is_coalesced
    return result


def walk(first: list[int], second: list[int]) -> tuple[np.ndarray, list[int]]:
    """How PyTorch merges two lists of places, sorted or not: the smaller of the next two comes first, equal ones join.

    Returns the number in the result of each element, and which elements are the first to have one.
    """
    ours: list[int] = []
    others: list[int] = []
    firsts: list[int] = []
    for place in first:
        while len(others) < len(second) and second[len(others)] < place:
            firsts.append(len(first) + len(others))
            others.append(len(firsts) - 1)
        firsts.append(len(ours))
        ours.append(len(firsts) - 1)
        if len(others) < len(second) and second[len(others)] == place:
            others.append(len(firsts) - 1)
    rest = range(len(others), len(second))
    groups = [*ours, *others, *(len(firsts) + i for i in range(len(rest)))]
    return np.array(groups, np.int64), [*firsts, *(len(first) + i for i in rest)]


def is_sorted(tensor: SparseTensor) -> bool:
    """Whether the indices are sorted, each once, as those of a coalesced tensor are."""
    if tensor._is_coalesced:
        return True
    places = positions(tensor._places, tensor._sizes[: sparse_dims(tensor)])
    return bool((places[1:] > places[:-1]).all())


def added_to_dense(input: Tensor, other: SparseTensor, alpha: Any) -> Tensor:
    """A dense tensor with the elements of a sparse one added."""
    same_sizes("add", input, other)
    values = times(alpha, other._stored, input.dtype)
    places = tuple(new_tensor(i) for i in other._places)
    return input.to(values.dtype).index_put(places, values, accumulate=True)


def times(alpha: Any, values: Tensor, dtype: Any) -> Tensor:
    """`alpha` times the elements that are added to some of another dtype, in the dtype of the sum."""
    values = values.to(torch.promote_types(values.dtype, dtype))
    return values if alpha == 1 else alpha * values


def same_sizes(name: str, input: Any, other: Any) -> None:
    """Raises RuntimeError for tensors of different sizes."""
    if tuple(input.shape) != tuple(other.shape):
        raise RuntimeError(
            f"{name}: expected sizes of 'self' and 'other' to match, but {list(input.shape)} != {list(other.shape)}"
        )


@handles("sub", "subtract")
def sub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """The difference, with the same layouts as `add`."""
    check_no_booleans(*map(stored, (input, other)))
    if is_sparse(input) and not is_sparse(other):
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    return add(input, other, alpha=-alpha)


@handles("mul", "multiply")
def mul(input: Any, other: Any) -> SparseTensor:
    """The product, which stores the elements that both operands store."""
    if not is_sparse(input):
        input, other = other, input
    if isinstance(other, np.ndarray):  # in the formula of a derivative
        other = new_tensor(other)
    if is_scalar(other):
        return like(input, input._stored * other)
    if is_sparse(other):
        same_sizes("mul", input, other)
        return common(ordered(input), ordered(other))
    table = torch.broadcast_to(other, input._sizes)
    return like(input, input._stored * table[tuple(new_tensor(i) for i in input._places)])


def common(first: SparseTensor, second: SparseTensor) -> SparseTensor:
    """The product of two sparse tensors."""
    sizes = first._sizes[: sparse_dims(first)]
    places, i, j = np.intersect1d(
        positions(first._places, sizes), positions(second._places, sizes), assume_unique=True, return_indices=True
    )
    values = first._stored[new_tensor(i)] * second._stored[new_tensor(j)]
    return is_layout(sparse_of(unraveled(places, sizes), values, first._sizes, sparse_coo, True), first._layout)


@handles("div", "divide", "true_divide")
def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> SparseTensor:
    """A sparse tensor divided by a number."""
    if not is_sparse(input) or not is_scalar(other):
        shape = list(getattr(other, "shape", ()))
        raise RuntimeError(
            f"Sparse division requires a scalar or zero-dim dense tensor divisor (got shape {shape} for divisor)"
        )
    return like(input, torch.div(input._stored, other, rounding_mode=rounding_mode))


@handles("floor_divide", "__floordiv__")
def floor_divide(input: Any, other: Any) -> SparseTensor:
    """A sparse tensor divided by a number, rounded down."""
    return div(input, other, rounding_mode="floor")


def put_result(self: Any, result: SparseTensor) -> Any:
    """Makes a sparse tensor store the elements of a result. RuntimeError for a leaf that requires grad."""
    if self.requires_grad and self.is_leaf and torch.is_grad_enabled():
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    self._places, self._stored, self._sizes = result._places, result._stored, result._sizes
    self._is_coalesced = result._is_coalesced
    return self


def check_dtype(tensor: Any, result: Any, name: str, operands: Any) -> None:
    """Raises RuntimeError where a result cannot be cast to the dtype of the tensor that it is written to."""
    have, wanted = result.dtype, tensor.dtype
    if have == wanted:
        return
    if name == "mul" and is_sparse(tensor) and not is_sparse(operands[0]):
        raise RuntimeError(
            f"dtype of values ({TYPE_NAMES[have]}) must match dtype of sparse tensor ({TYPE_NAMES[wanted]}): use the "
            "product that is not in place"
        )
    if not torch.can_cast(have, wanted):
        if name not in SUMS_AND_PRODUCTS:
            raise lower_result(have._numpy, wanted._numpy)
        raise RuntimeError(
            f"Can't convert result type {TYPE_NAMES[have]} to output {TYPE_NAMES[wanted]} in {SUMS_AND_PRODUCTS[name]} "
            "operation"
        )


SUMS_AND_PRODUCTS = {"add": "add", "sub": "add", "mul": "mul"}
CHANGING = (
    *SUMS_AND_PRODUCTS,
    "div",
    "floor_divide",
    *(n for n in KEEP_ZERO.split() if n not in ("threshold", "conj")),
)

for _name in CHANGING:

    def _in_place(self: Any, *args: Any, _name: str = _name, **kwargs: Any) -> Any:
        result = HANDLED[_name](self, *args, **kwargs)
        check_dtype(self, result, _name, args)
        return put_result(self, to_type(result, self.dtype)) if is_sparse(self) else self.copy_(dense_of(result))

    HANDLED[f"{_name}_"] = _in_place


@handles("zero_")
def zero_(self: SparseTensor) -> SparseTensor:
    """Removes all stored elements."""
    return put_result(self, HANDLED["zeros_like"](self))


@handles("copy_")
def copy_(self: Any, other: Any, non_blocking: bool = False) -> Any:
    """Copies the elements of another sparse tensor. RuntimeError for a dense one."""
    if is_sparse(self) and is_sparse(other):
        same_sizes("copy_", self, other)
        values = other._stored.to(self.dtype)
        return put_result(
            self,
            sparse_of(other._places.copy(), values.clone(), self._sizes, self._layout, other._is_coalesced),
        )
    if is_sparse(self):
        raise RuntimeError(
            "copy_() between dense and sparse Tensors is not implemented! Found self type = "
            f"{self.type()} and src type = {other.type()}"
        )
    return self.copy_(dense_of(other))


@handles("any")
def any(input: SparseTensor, *args: Any) -> Tensor:
    """Whether any element is not 0."""
    return merged(input)._stored.any()


@handles("norm")
def norm(input: SparseTensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    """The norm of all elements."""
    if dim is not None:
        raise RuntimeError("norm of a sparse tensor is that of all elements: use to_dense() for one along dimensions")
    values = ordered(input)._stored.reshape(-1)
    return torch.linalg.vector_norm(values, 2 if p in ("fro", None) else p, dtype=dtype)


@handles("sum")
def sum(input: SparseTensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The sum over all elements, or over dimensions; the result is sparse if sparse dimensions are left."""
    if dim is None:
        return (input._stored if dtype is None else input._stored.to(dtype)).sum()
    input = merged(input)
    values = input._stored if dtype is None else input._stored.to(dtype)
    dims = sparse_dims(input)
    gone = {d % input.ndim for d in ([dim] if isinstance(dim, int) else dim)}
    inner = tuple(d - dims + 1 for d in gone if d >= dims)
    values = values.sum(inner) if inner else values
    left = [d for d in range(dims) if d not in gone]
    sizes = tuple(n for d, n in enumerate(input._sizes) if d not in gone)
    if keepdim:
        raise RuntimeError("sum of a sparse tensor keeps no dimensions: use unsqueeze")
    if not left:
        return values.sum(0)
    if len(left) == dims:
        return sparse_of(input._places, values, sizes, sparse_coo, input._is_coalesced)
    kept = tuple(input._sizes[d] for d in left)
    places, groups = np.unique(positions(input._places[left], kept), return_inverse=True)
    return sparse_of(
        unraveled(places, kept), summed_by_group(values, groups.reshape(-1), len(places)), sizes, sparse_coo, True
    )


def normalized(input: SparseTensor, dim: int, log: bool) -> SparseTensor:
    """The softmax of the stored elements along a dimension, or with `log` its logarithm."""
    source, dims, dim = merged(input), sparse_dims(input), dim % input.ndim
    values = source._stored
    if dim >= dims:
        inner = dim - dims + 1
        return like(source, values.log_softmax(inner) if log else values.softmax(inner))
    others = [d for d in range(dims) if d != dim]
    sizes = tuple(source._sizes[d] for d in others)
    _, groups = np.unique(positions(source._places[others], sizes), return_inverse=True)
    groups = groups.reshape(-1)
    n = int(groups.max()) + 1 if groups.size else 0
    largest = np.full((n, *values.shape[1:]), -np.inf, values.detach()._array.dtype)
    np.maximum.at(largest, groups, values.detach()._array)
    member = new_tensor(groups)
    shifted = values - new_tensor(largest)[member]
    total = summed_by_group(shifted.exp(), groups, n)
    return like(source, shifted - total.log()[member] if log else shifted.exp() / total[member])


HANDLED["sparse.softmax"] = lambda input, dim, dtype=None: normalized(to_type(input, dtype), dim, False)
HANDLED["sparse.log_softmax"] = lambda input, dim, dtype=None: normalized(to_type(input, dtype), dim, True)


def to_type(tensor: SparseTensor, dtype: Any) -> SparseTensor:
    """A sparse tensor with its values in another dtype."""
    return tensor if dtype is None else like(tensor, tensor._stored.to(dtype))
