"""Creating sparse tensors: from indices and values, from compressed rows or columns, from diagonals."""

from typing import Any

import numpy as np

import rushlight as torch
from rushlight.core.above import above
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.layouts import layout as Layout
from rushlight.layouts import sparse_coo, sparse_csc, sparse_csr
from rushlight.sparse.tensor import COMPRESSED, SparseTensor, in_rows, positions, sparse_of
from rushlight.tensors import Tensor

__all__ = [
    "sparse_bsc_tensor",
    "sparse_bsr_tensor",
    "sparse_compressed_tensor",
    "sparse_coo_tensor",
    "sparse_csc_tensor",
    "sparse_csr_tensor",
    "spdiags",
]


def index_array(indices: Any) -> np.ndarray:
    """Indices as an int64 array."""
    array = indices._array if isinstance(indices, TensorBase) else np.asarray(indices)
    return np.asarray(array).astype(np.int64)


def values_of(values: Any, dtype: Any, requires_grad: bool) -> Tensor:
    """Values as a tensor; a new leaf if the sparse tensor is to require grad."""
    made: Any = values if isinstance(values, TensorBase) else torch.tensor(values)
    made = made if dtype is None else made.to(dtype)
    return made.detach().requires_grad_() if requires_grad else made


def sparse_coo_tensor(
    indices: Any = None,
    values: Any = None,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: Any = None,
    is_coalesced: Any = None,
) -> SparseTensor:
    """A tensor with `values` (n, *) at `indices` (sparse dimensions, n), and 0 elsewhere.

    Values at the same indices add up. Without a size, the size is the smallest that holds all indices. A size alone
    gives a tensor without stored values. RuntimeError for indices, values and sizes that do not match, and indices out
    of range.

    >>> import rushlight as torch
    >>> torch.sparse_coo_tensor([[0, 1], [2, 0]], [3.0, 4.0], (2, 3)).to_dense()
    tensor([[0., 0., 3.],
            [4., 0., 0.]])
    """
    if values is None and (indices is None or size is None):
        size = tuple(size or () if indices is None else indices)
        indices = np.zeros((len(size), 0), np.int64)
        values = torch.zeros(0, dtype=dtype)
    index, made = index_array(indices), values_of(values, dtype, requires_grad)
    if index.ndim != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(index.shape)}")
    if index.shape[1] != (made.shape[0] if made.dim() else 1):
        raise RuntimeError(
            f"indices and values must have same nnz, but got nnz from indices: {index.shape[1]}, nnz from values: "
            f"{made.shape[0] if made.dim() else 1}"
        )
    dense = tuple(made.shape[1:])
    if size is None:
        sizes = tuple(index.max(1) + 1) if index.size else (0,) * index.shape[0]
        size = (*sizes, *dense)
    check_size(index, dense, tuple(size))
    return sparse_of(index, made, size, sparse_coo, bool(is_coalesced))


def check_size(index: np.ndarray, dense: tuple[int, ...], size: tuple[int, ...]) -> None:
    """Raises RuntimeError for a size that does not match the indices and values."""
    dims = index.shape[0]
    if len(size) != dims + len(dense):
        raise RuntimeError(
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)}, sparse_dim = {dims}, "
            f"dense_dim = {len(dense)}"
        )
    if tuple(size[dims:]) != dense:
        n = index.shape[1]
        raise RuntimeError(f"values has incorrect size, expected {[n, *size[dims:]]}, got {[n, *dense]}")
    for dim in range(dims if index.shape[1] else 0):
        least, most = index[dim].min(), index[dim].max()
        if least < 0:
            raise RuntimeError(f"found negative index {least} for dim {dim}")
        if most >= size[dim]:
            raise RuntimeError(
                f"size is inconsistent with indices: for dim {dim}, size is {size[dim]} but found index {most}"
            )


def compressed(
    layout: Layout, starts: Any, others: Any, values: Any, size: Any, dtype: Any, requires_grad: bool
) -> Any:
    """A matrix whose rows (columns) start at `starts`, where `others` are the columns (rows) of the values."""
    first, other, made = index_array(starts), index_array(others), values_of(values, dtype, requires_grad)
    if first.ndim != 1 or other.ndim != 1:
        raise NotImplementedError(
            "rushlight has no batches of compressed matrices: make them one by one, or use sparse_coo_tensor."
        )
    counts = np.diff(first)
    plain, packed = ("col", "crow") if layout is sparse_csr else ("row", "ccol")
    if not len(first) or first[0] != 0:
        raise RuntimeError(f"`{packed}_indices[..., 0] == 0` is not satisfied.")
    if (counts < 0).any():
        raise RuntimeError(
            f"`0 <= {packed}_indices[..., 1:] - {packed}_indices[..., :-1] <= plain_dim` is not satisfied."
        )
    if first[-1] != len(other):
        raise RuntimeError(f"`{packed}_indices[..., -1] == nnz` is not satisfied.")
    if len(other) != made.shape[0]:
        raise RuntimeError(f"`{plain}_indices` and `values` must have the same number of elements")
    lines = np.repeat(np.arange(len(counts)), counts)
    index = np.stack([lines, other] if layout is sparse_csr else [other, lines])
    if size is None:
        reach = int(other.max()) + 1 if other.size else 0
        size = (len(counts), reach) if layout is sparse_csr else (reach, len(counts))
    elif len(counts) != size[0 if layout is sparse_csr else 1]:
        raise RuntimeError(
            f"`{packed}_indices.shape[-1]` must be equal to the number of compressed dimensions plus one"
        )
    if other.size and (other.min() < 0 or other.max() >= size[1 if layout is sparse_csr else 0]):
        raise RuntimeError(f"`0 <= {plain}_indices < plain_dim` is not satisfied.")
    return sparse_of(index, made, size, layout)


def sparse_csr_tensor(
    crow_indices: Any,
    col_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: Any = None,
) -> SparseTensor:
    """A matrix with compressed rows: row `i` has the values from `crow_indices[i]` to `crow_indices[i + 1]`.

    `col_indices` are the columns of the values. RuntimeError for indices that do not match.

    >>> import rushlight as torch
    >>> torch.sparse_csr_tensor([0, 1, 2], [2, 0], [3.0, 4.0], (2, 3)).to_dense()
    tensor([[0., 0., 3.],
            [4., 0., 0.]])
    """
    return compressed(sparse_csr, crow_indices, col_indices, values, size, dtype, requires_grad)


def sparse_csc_tensor(
    ccol_indices: Any,
    row_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: Any = None,
) -> SparseTensor:
    """A matrix with compressed columns: column `i` has the values from `ccol_indices[i]` to `ccol_indices[i + 1]`.

    `row_indices` are the rows of the values. RuntimeError for indices that do not match.

    >>> import rushlight as torch
    >>> torch.sparse_csc_tensor([0, 1, 2], [1, 0], [3.0, 4.0], size=(2, 2)).to_dense()
    tensor([[0., 4.],
            [3., 0.]])
    """
    return compressed(sparse_csc, ccol_indices, row_indices, values, size, dtype, requires_grad)


def sparse_compressed_tensor(
    compressed_indices: Any,
    plain_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: Any = None,
    layout: Layout = sparse_csr,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: Any = None,
) -> SparseTensor:
    """A matrix with compressed rows or columns, according to `layout`: `sparse_csr_tensor` or `sparse_csc_tensor`.

    >>> import rushlight as torch
    >>> torch.sparse_compressed_tensor([0, 1, 2], [1, 0], [3.0, 4.0], size=(2, 2), layout=torch.sparse_csr).to_dense()
    tensor([[0., 3.],
            [4., 0.]])
    """
    if layout not in COMPRESSED:
        refuse_blocks(layout)
    return compressed(layout, compressed_indices, plain_indices, values, size, dtype, requires_grad)


@above
def rebuilt_sparse(layout: Layout, data: tuple[Any, ...]) -> SparseTensor:
    """A sparse tensor from its parts in a file. Raises the errors of its constructor."""
    if layout is not sparse_coo:
        starts, others, values, size = data
        return compressed(layout, starts, others, values, size, None, False)
    made = sparse_coo_tensor(*data[:3])
    places = positions(made._places, made._sizes[: made._places.shape[0]])
    made._is_coalesced = bool(len(data) == 4 and data[3] and (np.diff(places) > 0).all())
    return made


def refuse_blocks(layout: Any) -> None:
    """Raises NotImplementedError for block layouts."""
    raise NotImplementedError(f"rushlight has no matrices of blocks ({layout}): use sparse_csr_tensor.")


def sparse_bsr_tensor(*args: Any, **kwargs: Any) -> None:
    """Raises NotImplementedError: block layouts are not supported.

    >>> import rushlight as torch
    >>> torch.sparse_bsr_tensor([0, 1], [1], [[[1.0, 2.0]]])
    Traceback (most recent call last):
        ...
    NotImplementedError: rushlight has no matrices of blocks (sparse_bsr): use sparse_csr_tensor.
    """
    refuse_blocks("sparse_bsr")


def sparse_bsc_tensor(*args: Any, **kwargs: Any) -> None:
    """Raises NotImplementedError: block layouts are not supported.

    >>> import rushlight as torch
    >>> torch.sparse_bsc_tensor([0, 1], [0], [[[1.0, 2.0]]])
    Traceback (most recent call last):
        ...
    NotImplementedError: rushlight has no matrices of blocks (sparse_bsc): use sparse_csr_tensor.
    """
    refuse_blocks("sparse_bsc")


def spdiags(diagonals: Tensor, offsets: Tensor, shape: Any, layout: Layout | None = None) -> SparseTensor:
    """A matrix of a given shape with the rows of `diagonals` on the diagonals `offsets` (positive: above the main one).

    Element `j` of a row is in column `j`. RuntimeError for an offset that occurs twice.
    """
    rows, columns = (int(n) for n in shape)
    table: Any = torch.atleast_2d(diagonals)
    shifts = np.atleast_1d(index_array(offsets))
    if len(np.unique(shifts)) < len(shifts):
        raise RuntimeError("Offset tensor contains duplicate values")
    if len(shifts) != table.shape[0]:
        raise RuntimeError(
            f"Number of diagonals ({table.shape[0]}) does not match the number of offsets ({len(shifts)})"
        )
    column = np.broadcast_to(np.arange(table.shape[1]), table.shape)
    row = column - shifts[:, None]
    inside = (column < columns) & (row >= 0) & (row < rows)
    index = np.stack([row[inside], column[inside]])
    made = sparse_of(index, table[new_tensor(inside)], shape)
    return made if layout in (None, sparse_coo) else in_rows(made, layout)
