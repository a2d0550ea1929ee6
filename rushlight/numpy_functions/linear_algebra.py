"""NumPy's linear algebra on tensors: `np.linalg.inv(x)` of a tensor is `torch.linalg.inv(x)`."""

import rushlight as torch
from rushlight import linalg
from rushlight.numpy_functions import products
from rushlight.numpy_functions.entering import as_tensors, linear_algebra

SAME = (
    linalg.cholesky,
    linalg.det,
    linalg.eig,
    linalg.eigh,
    linalg.eigvals,
    linalg.eigvalsh,
    linalg.inv,
    linalg.matrix_power,
    linalg.multi_dot,
    linalg.slogdet,
    linalg.svdvals,
    linalg.tensorinv,
    linalg.tensorsolve,
)

for function in SAME:
    linear_algebra(function)


@linear_algebra
def solve(a, b):
    return linalg.solve(*as_tensors((a, b)))


@linear_algebra
def qr(a, mode="reduced"):
    return linalg.qr(a, "r")[1] if mode == "r" else linalg.qr(a, mode)


@linear_algebra
def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    return linalg.svd(a, full_matrices) if compute_uv else linalg.svdvals(a)


@linear_algebra
def norm(x, ord=None, axis=None, keepdims=False):
    return linalg.norm(x, ord, axis, keepdims)


@linear_algebra
def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    return linalg.vector_norm(x, ord, axis, keepdims)


@linear_algebra
def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    return linalg.matrix_norm(x, ord, keepdim=keepdims)


@linear_algebra
def cond(x, p=None):
    return linalg.cond(x, p)


@linear_algebra
def pinv(a, rcond=None, hermitian=False, *, rtol=None):
    return linalg.pinv(a, rcond, hermitian, rtol=rtol)


@linear_algebra
def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    return linalg.matrix_rank(A, tol, hermitian, rtol=rtol)


@linear_algebra
def lstsq(a, b, rcond=None):
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
def diagonal(x, /, *, offset=0):
    return torch.diagonal(x, offset, -2, -1)


@linear_algebra
def trace(x, /, *, offset=0, dtype=None):
    return products.trace(x, offset, -2, -1, dtype)


@linear_algebra
def outer(x1, x2, /):
    return torch.outer(*as_tensors((x1, x2)))


@linear_algebra
def cross(x1, x2, /, *, axis=-1):
    return linalg.cross(*as_tensors((x1, x2)), dim=axis)


@linear_algebra
def matmul(x1, x2, /):
    return torch.matmul(*as_tensors((x1, x2)))


@linear_algebra
def vecdot(x1, x2, /, *, axis=-1):
    return linalg.vecdot(*as_tensors((x1, x2)), dim=axis)
