"""Transposing, selecting and joining sparse tensors."""

from typing import Any

import numpy as np

import rushlight as torch
from rushlight.core.graph import new_tensor
from rushlight.layouts import sparse_coo, sparse_csc, sparse_csr
from rushlight.sparse.parts import is_layout
from rushlight.sparse.tensor import (
    SparseTensor,
    dense_of,
    handles,
    is_sparse,
    like,
    merged,
    sparse_dims,
    sparse_of,
)
from rushlight.tensors import Tensor


@handles("transpose", "swapaxes", "swapdims")
def transpose(input: SparseTensor, dim0: int, dim1: int) -> SparseTensor:
    """Two dimensions swapped; CSR becomes CSC and vice versa."""
    order = list(range(input.ndim))
    order[dim0], order[dim1] = order[dim1], order[dim0]
    return permute(input, order)


@handles("permute")
def permute(input: SparseTensor, *dims: Any) -> SparseTensor:
    """The dimensions in another order. RuntimeError if sparse and dense dimensions are mixed."""
    given = dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims
    order = [d % input.ndim for d in given]
    n = sparse_dims(input)
    if any(d >= n for d in order[:n]):
        raise RuntimeError("transpositions between sparse and dense dimensions are not supported: use to_dense() first")
    if order == list(range(input.ndim)):
        return input
    values = input._stored
    if order[n:] != list(range(n, input.ndim)):
        values = values.permute(0, *(d - n + 1 for d in order[n:]))
    layout = {sparse_csr: sparse_csc, sparse_csc: sparse_csr}.get(input._layout, input._layout)
    return sparse_of(input._places[order[:n]], values, [input._sizes[d] for d in order], layout)


@handles("adjoint")
def adjoint(input: SparseTensor) -> SparseTensor:
    """The last two dimensions exchanged, and complex values conjugated."""
    exchanged = transpose(input, -2, -1)
    return like(exchanged, exchanged._stored.conj().resolve_conj()) if input.is_complex() else exchanged


@handles("t", "t_")
def t(input: SparseTensor) -> SparseTensor:
    """The transpose of a matrix. RuntimeError for more dimensions."""
    if input.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 sparse and 0 dense dimensions, but got {input.ndim}D")
    return transpose(input, 0, 1) if input.ndim == 2 else input


@handles("select")
def select(input: SparseTensor, dim: int, index: int) -> Any:
    """The elements at an index of a dimension."""
    dim, size = dim % input.ndim, input._sizes[dim % input.ndim]
    if not -size <= index < size:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(input.shape)} at dimension {dim}"
        )
    n = sparse_dims(input)
    sizes = [s for d, s in enumerate(input._sizes) if d != dim]
    source = is_layout(input, sparse_coo)
    if dim >= n:
        return sparse_of(
            source._places, source._stored.select(dim - n + 1, index), sizes, sparse_coo, source._is_coalesced
        )
    found = np.flatnonzero(source._places[dim] == index % size)
    values = source._stored[new_tensor(found)]
    if n == 1:
        return values.sum(0)
    rest = np.delete(source._places, dim, 0)[:, found]
    return sparse_of(rest, values, sizes, sparse_coo, source._is_coalesced)


@handles("__getitem__")
def getitem(input: SparseTensor, key: Any) -> Any:
    """Indexing by integers and `:`. NotImplementedError for anything else."""
    keys = key if isinstance(key, tuple) else (key,)
    if not all(isinstance(k, int) or k == slice(None) for k in keys if not isinstance(k, Tensor)) or any(
        isinstance(k, Tensor) for k in keys
    ):
        raise NotImplementedError(
            "a sparse tensor takes numbers and ':' as indices: use index_select, or to_dense() first"
        )
    result: Any = input
    dim = 0
    for k in keys:
        if isinstance(k, int):
            result = select(result, dim, k) if is_sparse(result) else result[k]
        else:
            dim += 1
    return result


@handles("index_select")
def index_select(input: SparseTensor, dim: int, index: Tensor) -> SparseTensor:
    """The elements at several indices of a dimension, in their order."""
    dim, n = dim % input.ndim, sparse_dims(input)
    sizes = list(input._sizes)
    sizes[dim] = index.numel()
    source = merged(is_layout(input, sparse_coo))
    if dim >= n:
        return sparse_of(source._places, source._stored.index_select(dim - n + 1, index), sizes, sparse_coo, True)
    wanted = index._array
    if wanted.size and (wanted.min() < -input._sizes[dim] or wanted.max() >= input._sizes[dim]):
        raise IndexError(
            "index_select(): index contains an index that is out of range for tensor of size "
            f"{input._sizes[dim]} at dimension {dim}"
        )
    wanted = wanted % max(input._sizes[dim], 1)
    at, found = np.nonzero(wanted[:, None] == source._places[dim][None, :])
    places = source._places[:, found].copy()
    places[dim] = at
    return sparse_of(places, source._stored[new_tensor(found)], sizes)


@handles("unsqueeze")
def unsqueeze(input: SparseTensor, dim: int) -> SparseTensor:
    """The tensor with a new dimension of size 1."""
    dim, n = dim % (input.ndim + 1), sparse_dims(input)
    sizes = [*input._sizes[:dim], 1, *input._sizes[dim:]]
    if dim > n:
        return sparse_of(input._places, input._stored.unsqueeze(dim - n + 1), sizes, sparse_coo, input._is_coalesced)
    return sparse_of(np.insert(input._places, dim, 0, 0), input._stored, sizes, sparse_coo, input._is_coalesced)


@handles("cat", "concat", "concatenate")
def cat(tensors: Any, dim: int = 0) -> SparseTensor:
    """Sparse tensors joined along a dimension. RuntimeError if one of them is dense."""
    if not all(is_sparse(tensor) for tensor in tensors):
        raise RuntimeError("Concatenating sparse tensors, but a dense tensor was found: use to_sparse() on it")
    first = tensors[0]
    dim, n = dim % first.ndim, sparse_dims(first)
    sizes = list(first._sizes)
    sizes[dim] = sum(tensor._sizes[dim] for tensor in tensors)
    for k, tensor in enumerate(tensors):
        if [s for d, s in enumerate(tensor._sizes) if d != dim] != [s for d, s in enumerate(first._sizes) if d != dim]:
            raise RuntimeError(
                f"Sizes of tensors must match except in dimension {dim}. Got "
                f"{list(first.shape)} and {list(tensor.shape)} (for tensor number {k} in the list)"
            )
    if dim >= n:
        return torch.cat([dense_of(tensor) for tensor in tensors], dim).to_sparse(n)  # type: ignore[return-value]
    offsets = np.cumsum([0, *(tensor._sizes[dim] for tensor in tensors)])
    index = np.concatenate([tensor._places for tensor in tensors], 1)
    index[dim] += np.repeat(offsets[:-1], [tensor._places.shape[1] for tensor in tensors])
    return sparse_of(index, torch.cat([tensor._stored for tensor in tensors]), sizes)


@handles("stack")
def stack(tensors: Any, dim: int = 0) -> SparseTensor:
    """Sparse tensors of the same shape, joined along a new dimension."""
    return cat([unsqueeze(tensor, dim) for tensor in tensors], dim)


@handles("unbind")
def unbind(input: SparseTensor, dim: int = 0) -> tuple[Any, ...]:
    """The elements at each index of a dimension."""
    return tuple(select(input, dim, i) for i in range(input._sizes[dim]))


@handles("sparse_resize_", "sparse_resize_and_clear_")
def sparse_resize_(self: SparseTensor, size: Any, sparse_dim: int, dense_dim: int) -> SparseTensor:
    """Gives the tensor a larger shape, in place. RuntimeError if stored elements would be outside."""
    if sparse_dim != sparse_dims(self) or tuple(size[sparse_dim:]) != self._sizes[sparse_dim:]:
        raise RuntimeError("changing the number of sparse or dense dimensions is not supported in rushlight")
    if any(new < old for new, old in zip(size, self._sizes, strict=True)):
        raise RuntimeError("shrinking the size of sparse dimensions on a non-empty sparse tensor is not supported.")
    self._sizes = tuple(size)
    return self
