"""NumPy's linear algebra on tensors: `np.linalg.inv(x)` of a tensor is `torch.linalg.inv(x)`."""

from collections.abc import Sequence
from typing import Any

import rushlight as torch
from rushlight import linalg
from rushlight.core.aliases import Array
from rushlight.numpy_functions import products
from rushlight.numpy_functions.entering import as_tensors, linear_algebra
from rushlight.tensors import Tensor

SAME = (
    linalg.cholesky,
    linalg.det,
    linalg.eig,
    linalg.eigh,
    linalg.eigvals,
    linalg.eigvalsh,
    linalg.inv,
    linalg.matrix_power,
    linalg.slogdet,
    linalg.svdvals,
    linalg.tensorinv,
)

for function in SAME:
    linear_algebra(function)


@linear_algebra
def solve(a: Tensor, b: Tensor) -> Tensor:
    return linalg.solve(*as_tensors((a, b)))


@linear_algebra
def tensorsolve(a: Tensor, b: Tensor, axes: Sequence[int] | None = None) -> Tensor:
    return linalg.tensorsolve(*as_tensors((a, b)), dims=axes)


@linear_algebra
def multi_dot(arrays: Sequence[Any], *, out: Any = None) -> Tensor:
    return linalg.multi_dot(as_tensors(arrays))


@linear_algebra
def qr(a: Tensor, mode: str = "reduced") -> Any:
    return linalg.qr(a)[1] if mode == "r" else linalg.qr(a, mode)  # the derivative of R needs Q


@linear_algebra
def svd(a: Array, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    return linalg.svd(a, full_matrices) if compute_uv else linalg.svdvals(a)


@linear_algebra
def norm(x: Tensor, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Tensor:
    return linalg.norm(x, ord, axis, keepdims)


@linear_algebra
def vector_norm(
    x: Tensor, /, *, axis: Sequence[int] | int | None = None, keepdims: bool = False, ord: float = 2
) -> Tensor:
    return linalg.vector_norm(x, ord, axis, keepdims)


@linear_algebra
def matrix_norm(x: Tensor, /, *, keepdims: bool = False, ord: float | str = "fro") -> Tensor:
    return linalg.matrix_norm(x, ord, keepdim=keepdims)


@linear_algebra
def cond(x: Array, p: Any = None) -> Any:
    return linalg.cond(x, p)


@linear_algebra
def pinv(a: Tensor, rcond: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Tensor:
    return linalg.pinv(a, rcond, hermitian, rtol=rtol)


@linear_algebra
def matrix_rank(A: Tensor, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Tensor:
    return linalg.matrix_rank(A, tol, hermitian, rtol=rtol)


@linear_algebra
def lstsq(a: Any, b: Any, rcond: Any = None) -> tuple[Tensor, Tensor, int, Tensor]:
    a, b = as_tensors((a, b))
    found = linalg.lstsq(a, b[:, None] if b.ndim == 1 else b)
    values = linalg.svdvals(a)
    limit = torch.finfo(a.dtype).eps * max(a.shape) if rcond is None else rcond
    rank = int(torch.count_nonzero(values > limit * values[0])) if len(values) else 0
    solution = found.solution[:, 0] if b.ndim == 1 else found.solution
    if rank < a.shape[1] or a.shape[0] <= a.shape[1]:
        return solution, a.new_zeros(0), rank, values
    rest = a @ solution - b
    return solution, torch.sum(torch.abs(torch.atleast_2d(rest.T)) ** 2, -1), rank, values


@linear_algebra
def diagonal(x: Tensor, /, *, offset: int = 0) -> Tensor:
    return torch.diagonal(x, offset, -2, -1)


@linear_algebra
def trace(x: Tensor, /, *, offset: int = 0, dtype: Any = None) -> Tensor:
    return products.trace(x, offset, -2, -1, dtype)


@linear_algebra
def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    return torch.outer(*as_tensors((x1, x2)))


@linear_algebra
def cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    return products.cross(x1, x2, axis=axis)


@linear_algebra
def matmul(x1: Any, x2: Any, /) -> Any:
    return torch.matmul(*as_tensors((x1, x2)))


@linear_algebra
def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    return linalg.vecdot(*as_tensors((x1, x2)), dim=axis)
