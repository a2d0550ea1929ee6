"""Products with sparse matrices, computed by `scipy.sparse`."""

from typing import Any

import numpy as np

import rushlight as torch
from rushlight.core.aliases import Array
from rushlight.core.batching import one_by_one
from rushlight.core.graph import new_tensor
from rushlight.layouts import sparse_coo
from rushlight.linalg.few_eigenpairs import lobpcg
from rushlight.ops.table import operator
from rushlight.sparse.parts import is_layout
from rushlight.sparse.shapes import t
from rushlight.sparse.tensor import SparseTensor, dense_of, handles, is_sparse, like, sparse_of
from rushlight.tensors import Tensor


@operator(
    name="sparse_mm",
    batch=one_by_one,
    linear=True,
    node="SparseMmBackward0",
    values=lambda grad, dense, rows, columns: np.sum(grad[rows] * dense[columns], axis=1),
    dense=lambda grad, values, rows, columns, dense_shape: _times(values, grad, columns, rows, dense_shape[0]),
)
def _times(values: Array, dense: Array, rows: Array, columns: Array, n: int) -> Array:
    """The product of a sparse matrix of `n` rows and a dense one."""
    from scipy.sparse import coo_array

    matrix = coo_array((values, (rows, columns)), shape=(n, dense.shape[0])).tocsr()
    return np.ascontiguousarray(matrix @ dense)


def check_matrices(first: Any, second: Any) -> None:
    """Raises RuntimeError unless both are matrices with matching sizes and dtypes."""
    if first.ndim != 2 or second.ndim != 2:
        raise RuntimeError(f"mm: expected matrices, got {first.ndim}D and {second.ndim}D tensors")
    if first.shape[1] != second.shape[0]:
        sizes = [f"{m.shape[0]}x{m.shape[1]}" for m in (first, second)]
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({sizes[0]} and {sizes[1]})")
    if first.dtype is not second.dtype:
        raise RuntimeError(f"expected mat1 and mat2 to have the same dtype, but got: {first.dtype} != {second.dtype}")


def times_dense(matrix: SparseTensor, dense: Tensor) -> Tensor:
    """The product of a sparse matrix and a dense one."""
    return _times(matrix._stored, dense, matrix._places[0], matrix._places[1], matrix._sizes[0])


def times_sparse(first: SparseTensor, second: SparseTensor) -> SparseTensor:
    """The product of two sparse matrices; it stores the elements to which any stored elements contribute."""
    from scipy.sparse import coo_array

    a, b = (is_layout(m, sparse_coo) for m in (first, second))
    met = [coo_array((np.ones(m._places.shape[1]), tuple(m._places)), shape=m._sizes).tocsr() for m in (a, b)]
    index = np.stack(((met[0] @ met[1]) != 0).nonzero()).astype(np.int64)
    index = index[:, np.lexsort(index[::-1])]
    sizes = (a._sizes[0], b._sizes[1])
    if first.requires_grad or second.requires_grad:
        values = times_dense(a, dense_of(b))[tuple(new_tensor(i) for i in index)]
    else:
        arrays = [coo_array((m._stored._array, tuple(m._places)), shape=m._sizes).tocsr() for m in (a, b)]
        found = (arrays[0] @ arrays[1]).tocsr()
        found.sum_duplicates()
        flat = np.asarray(found[index[0], index[1]]).reshape(-1) if index.size else np.zeros(0)
        values = new_tensor(flat.astype(a._stored._array.dtype))
    return is_layout(sparse_of(index, values, sizes, sparse_coo, True), first._layout)


@handles("mm", "spmm", "sparse.mm")
def mm(input: Any, mat2: Any, reduce: str | None = None) -> Any:
    """The product of two matrices, sparse if both are.

    >>> import rushlight as torch
    >>> torch.dsmm(torch.tensor([[1.0, 2.0]]).to_sparse(), torch.tensor([[0.0], [3.0]]))
    tensor([[6.]])
    """
    if reduce not in (None, "sum"):
        raise NotImplementedError(f"torch.sparse.mm takes no reduce={reduce!r} in rushlight: only sums.")
    check_matrices(input, mat2)
    if not is_sparse(mat2):
        return times_dense(input, mat2) if is_sparse(input) else input @ mat2
    return times_sparse(input, mat2) if is_sparse(input) else times_dense(t(mat2), input.t()).t()


@handles("mv")
def mv(input: Any, vec: Tensor) -> Tensor:
    """The product of a sparse matrix and a vector."""
    return mm(input, vec.unsqueeze(1)).squeeze(1)


@handles("matmul", "dot", "bmm")
def matmul(input: Any, other: Any) -> Any:
    """The product of matrices, vectors, or batches of matrices, one of which is sparse."""
    if input.ndim == 1 and other.ndim == 1:
        return (input * other).sum()
    if input.ndim == 1:
        return mv(t(other), input)
    if other.ndim == 1:
        return mv(input, other)
    if input.ndim == 2 and other.ndim == 2:
        return mm(input, other)
    return torch.matmul(dense_of(input), dense_of(other))


@handles("addmm", "sparse.addmm")
def addmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """`beta * input + alpha * mat1 @ mat2`.

    >>> import rushlight as torch
    >>> torch.saddmm(torch.ones(1, 1), torch.tensor([[0.0, 2.0]]).to_sparse(), torch.tensor([[1.0], [3.0]]))
    tensor([[7.]])
    """
    product = mm(mat1, mat2)
    product = product if alpha == 1 else product * alpha
    start = input if beta == 1 else input * beta
    return start + product


@handles("linear")
def linear(input: Any, weight: Any, bias: Any = None) -> Any:
    """`input @ weight.T + bias` with a sparse weight."""
    if is_sparse(weight) and not is_sparse(input):
        product = times_dense(weight, input.reshape(-1, input.shape[-1]).t()).t()
        product = product.reshape(*input.shape[:-1], weight.shape[0])
    else:
        product = matmul(input, t(weight) if is_sparse(weight) else weight.t())
    return product if bias is None else product + bias


@handles("smm")
def smm(input: Any, mat: Any) -> SparseTensor:
    """The product of a sparse matrix and a dense one, as a sparse matrix that stores full rows.

    >>> import rushlight as torch
    >>> torch.smm(torch.tensor([[0.0, 2.0]]).to_sparse(), torch.tensor([[1.0], [3.0]])).to_dense()
    tensor([[6.]])
    """
    return rows_of(mm(input, mat), input)


def rows_of(product: Tensor, matrix: SparseTensor) -> SparseTensor:
    """The rows of a product in which the sparse matrix has elements."""
    rows = np.unique(matrix._places[0])
    places = np.stack([np.repeat(rows, product.shape[1]), np.tile(np.arange(product.shape[1]), len(rows))])
    values = product[new_tensor(rows)].reshape(-1)
    return sparse_of(places, values, tuple(product.shape))


@handles("sspaddmm")
def sspaddmm(input: SparseTensor, mat1: SparseTensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> SparseTensor:
    """`beta * input + alpha * mat1 @ mat2`, as a sparse matrix.

    >>> import rushlight as torch
    >>> matrix = torch.tensor([[0.0, 2.0]]).to_sparse()
    >>> torch.sspaddmm(torch.ones(1, 1).to_sparse(), matrix, torch.tensor([[1.0], [3.0]])).to_dense()
    tensor([[7.]])
    """
    product = smm(mat1, mat2)
    index = np.concatenate([input._places, product._places], 1)
    return sparse_of(index, torch.cat([input._stored * beta, product._stored * alpha]), input._sizes)


@handles("hspmm")
def hspmm(mat1: SparseTensor, mat2: Tensor) -> SparseTensor:
    """The product of a sparse matrix and a dense one, as a tensor with sparse rows and dense columns.

    >>> import rushlight as torch
    >>> torch.hspmm(torch.tensor([[0.0, 2.0]]).to_sparse(), torch.tensor([[1.0], [3.0]])).to_dense()
    tensor([[6.]])
    """
    rows = np.unique(mat1._places[0])
    product = mm(mat1, mat2)
    return sparse_of(rows[None], product[new_tensor(rows)], tuple(product.shape))


@handles("sparse.sampled_addmm")
def sampled_addmm(input: SparseTensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> SparseTensor:
    """`beta * input + alpha * mat1 @ mat2`, computed only at the stored elements of `input`."""
    rows, columns = (new_tensor(i) for i in input._places)
    products = (mat1[rows] * mat2.t()[columns]).sum(-1)
    return like(input, input._stored * beta + alpha * products)


spmm = dsmm = hsmm = mm
saddmm = addmm


handles("lobpcg")(lobpcg)
