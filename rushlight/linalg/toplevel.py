"""Linear algebra outside `torch.linalg`: top-level functions and methods, mostly older names."""

from typing import Any

import numpy as np

from rushlight import return_types
from rushlight.core.aliases import Array
from rushlight.core.batching import leading
from rushlight.core.graph import new_tensor
from rushlight.core.guards import asking
from rushlight.core.interpreters import answered
from rushlight.core.kinds import is_half, kind_of
from rushlight.dtypes import dtype
from rushlight.linalg.calls import (
    check_batch,
    check_floating,
    check_matrix,
    check_square,
    check_system,
    failure,
    other_ndim,
)
from rushlight.linalg.cholesky_decomposition import _cholesky_inverse, _cholesky_solve
from rushlight.linalg.cholesky_decomposition import cholesky as linalg_cholesky
from rushlight.linalg.determinants import det, logdet
from rushlight.linalg.determinants import slogdet as linalg_slogdet
from rushlight.linalg.few_eigenpairs import lobpcg
from rushlight.linalg.low_rank import pca_lowrank, svd_lowrank
from rushlight.linalg.lu_decomposition import _permutation, lu_factor_ex, triangles
from rushlight.linalg.lu_decomposition import lu_solve as linalg_lu_solve
from rushlight.linalg.norms import matrix_norm, renorm
from rushlight.linalg.pieces import _in_columns
from rushlight.linalg.powers import matrix_exp, matrix_power
from rushlight.linalg.qr_decomposition import householder_product, reflected
from rushlight.linalg.qr_decomposition import qr as linalg_qr
from rushlight.linalg.singular_values import pinv, svdvals
from rushlight.linalg.singular_values import svd as linalg_svd
from rushlight.linalg.solving import SINGULAR, _solve_triangular, inv
from rushlight.linalg.vectors import cross as cross_along
from rushlight.linalg.vectors import vander as vander_along
from rushlight.ops.arguments.dims import size_of
from rushlight.ops.arguments.keywords import keywords
from rushlight.ops.arguments.mismatch import check_tensors, type_name
from rushlight.ops.arguments.promotion import missing
from rushlight.ops.out import takes_out
from rushlight.ops.reductions.norms import vector_norm
from rushlight.ops.reductions.reduction import Dim
from rushlight.ops.table import method, no_derivative, operator, with_public_name
from rushlight.settings import warn_once
from rushlight.tensors import Tensor

__all__ = [
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
    "cross",
    "det",
    "frobenius_norm",
    "geqrf",
    "inverse",
    "lobpcg",
    "logdet",
    "lu",
    "lu_solve",
    "lu_unpack",
    "matrix_exp",
    "matrix_power",
    "norm",
    "nuclear_norm",
    "orgqr",
    "ormqr",
    "pca_lowrank",
    "pinverse",
    "qr",
    "renorm",
    "slogdet",
    "svd",
    "svd_lowrank",
    "triangular_solve",
    "vander",
]


@takes_out
def frobenius_norm(input: Tensor, dim: Dim = (), keepdim: bool = False) -> Tensor:
    """The square root of the sum of squares, over some dimensions or all.

    >>> import rushlight as torch
    >>> torch.frobenius_norm(torch.tensor([[3.0, 0.0], [0.0, 4.0]]), dim=(0, 1))
    tensor(5.)
    """
    return vector_norm(input, 2, None if dim == () else dim, keepdim)


@takes_out
def nuclear_norm(input: Tensor, dim: tuple[int, int] = (-2, -1), keepdim: bool = False) -> Tensor:
    """The sum of the singular values of matrices, whose rows and columns are the two dimensions `dim`.

    >>> import rushlight as torch
    >>> torch.nuclear_norm(torch.tensor([[3.0, 0.0], [0.0, 4.0]]))
    tensor(7.)
    """
    return matrix_norm(input, "nuc", tuple(dim), keepdim)


def warn_of_successor(name: str, successor: str, changes: str) -> None:
    """PyTorch's warning, given once, about a name that is superseded by a function of `torch.linalg`."""
    warn_once(
        f"torch.{name} is deprecated in favor of torch.linalg.{successor} and will be removed in a future PyTorch "
        f"release.\nUse torch.linalg.{successor}: {changes}."
    )


inverse = Tensor.inverse = inv
orgqr = Tensor.orgqr = householder_product


@method
@keywords
def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """The cross product of vectors of three elements along `dim`, by default the first dimension of size 3.

    >>> import rushlight as torch
    >>> torch.cross(torch.tensor([1.0, 0.0, 0.0]), torch.tensor([0.0, 1.0, 0.0]), dim=0)
    tensor([0., 0., 1.])
    """
    if dim is None:
        if 3 not in input._array.shape:
            raise RuntimeError("no dimension of size 3 in input")
        warn_once(
            "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim explicitly "
            "or simply use torch.linalg.cross.\nThe default value of dim will change to agree with that of "
            "linalg.cross in a future release."
        )
        dim = input._array.shape.index(3)
    return cross_along(input, other, dim=dim)


@keywords
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """The Vandermonde matrix of a vector: its powers as columns, from N - 1 to 0, or ascending with `increasing`.

    >>> import rushlight as torch
    >>> torch.vander(torch.tensor([2, 3]), 3)
    tensor([[4, 2, 1],
            [9, 3, 1]])
    """
    if x._array.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    count = x._array.shape[0] if N is None else N
    if count < 0:
        raise RuntimeError("N must be non-negative.")
    powers = vander_along(x, max(count, 2))
    powers = powers.narrow(-1, 0, count) if count < 2 else powers
    return powers if increasing else powers.flip(-1)


@method
@keywords
def cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """The older name of `linalg.cholesky`.

    >>> import rushlight as torch
    >>> torch.cholesky(torch.tensor([[4.0]]))
    tensor([[2.]])
    """
    warn_of_successor("cholesky", "cholesky", "U = torch.linalg.cholesky(A).mH instead of upper=True")
    if not input._array.size:
        return input.clone()
    check_square("cholesky", input)
    return linalg_cholesky(input, upper=upper)


@method
@keywords
@asking
def cholesky_solve(B: Tensor, L: Tensor, upper: bool = False) -> Tensor:
    """The solution X of A X = B, given the Cholesky factor L of A (with `upper`, L^H).

    RuntimeError for fewer than two dimensions and for sizes that do not match.

    >>> import rushlight as torch
    >>> torch.cholesky_solve(torch.tensor([[4.0]]), torch.tensor([[2.0]]))
    tensor([[1.]])
    """
    check_tensors("cholesky_solve", input=B, input2=L)
    for name, x in (("b", B), ("u", L)):
        if x._array.ndim < 2:
            raise RuntimeError(f"{name} should have at least 2 dimensions, but has {x._array.ndim} dimensions instead")
    check_system("cholesky_solve", B, L)
    return _cholesky_solve(B, L, bool(upper))


def zeros_on_diagonal(L: Array) -> Array:
    """Where the diagonal of matrices is zero."""
    return np.diagonal(L, axis1=-2, axis2=-1) == 0


def has_zero_on_diagonal(L: Array) -> bool:
    """Whether the diagonal of a matrix has a zero."""
    return bool(zeros_on_diagonal(L).any())


@method
@keywords
@asking
def cholesky_inverse(L: Tensor, upper: bool = False) -> Tensor:
    """The inverse of A, given its Cholesky factor L (with `upper`, L^H). LinAlgError if A is singular.

    >>> import rushlight as torch
    >>> torch.cholesky_inverse(torch.tensor([[2.0]]))
    tensor([[0.2500]])
    """
    check_square("cholesky_inverse", L)
    check_floating("cholesky_inverse", L)
    if answered(has_zero_on_diagonal, L._array):
        zeros = zeros_on_diagonal(L._array)
        raise failure("cholesky_inverse", SINGULAR, np.asarray(np.where(zeros.any(-1), zeros.argmax(-1) + 1, 0)))
    return _cholesky_inverse(L, bool(upper))


@method
@keywords
@asking
def triangular_solve(
    b: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> return_types.triangular_solve:
    """The solution X of A X = b (or A^T X = b with `transpose`) with a triangular A, and a copy of A.

    Use `linalg.solve_triangular` instead.

    >>> import rushlight as torch
    >>> torch.triangular_solve(torch.tensor([[4.0]]), torch.tensor([[2.0]])).solution
    tensor([[2.]])
    """
    warn_of_successor("triangular_solve", "solve_triangular", "its arguments are reversed, and it returns X alone")
    check_tensors("triangular_solve", b=b, A=A)
    for name, x in (("b", b), ("A", A)):
        if x._array.ndim < 2:
            raise RuntimeError(
                f"torch.triangular_solve: Expected {name} to have at least 2 dimensions, but it has {x._array.ndim} "
                "dimensions instead"
            )
    check_system("triangular_solve", b, A)
    matrix, up = (A.mT, not upper) if transpose else (A, upper)
    solution = _in_columns(_solve_triangular(matrix, b, up, unitriangular))
    of_all = A.expand(*solution._array.shape[:-2], *A._array.shape[-2:])
    return return_types.triangular_solve((solution, _in_columns(of_all)))


@method
def slogdet(input: Tensor) -> return_types.slogdet:
    """The older name of `linalg.slogdet`.

    >>> import rushlight as torch
    >>> torch.slogdet(torch.eye(2)).logabsdet
    tensor(0.)
    """
    return return_types.slogdet(linalg_slogdet(input))


@method
@keywords
@asking
def svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> return_types.svd:
    """The decomposition A = U diag(S) V^H; returns V, while `linalg.svd` returns V^H.

    `some` leaves out the columns without a singular value; with `compute_uv=False`, U and V are zeros.

    >>> import rushlight as torch
    >>> torch.svd(torch.tensor([[0.0, 2.0], [3.0, 0.0]])).S
    tensor([3., 2.])
    """
    if input._array.ndim < 2:
        raise RuntimeError(
            f"linalg.svd: input should have at least 2 dimensions, but has {input._array.ndim} dimensions instead"
        )
    if compute_uv:
        U, S, Vh = linalg_svd(input, full_matrices=not some)
        return return_types.svd((U, S, Vh.mH))
    *batch, n, m = input._array.shape
    U, V = (new_tensor(np.zeros((*batch, k, k), input._array.dtype)) for k in (n, m))
    return return_types.svd((U, svdvals(input), V))


@method
@keywords
def qr(input: Tensor, some: bool = True) -> return_types.qr:
    """The older name of `linalg.qr`; `some` means mode "reduced", else it is "complete".

    >>> import rushlight as torch
    >>> torch.qr(torch.tensor([[3.0], [4.0]])).R.abs()
    tensor([[5.]])
    """
    warn_of_successor("qr", "qr", "mode='reduced' instead of some=True, mode='complete' instead of some=False")
    return return_types.qr(linalg_qr(input, "reduced" if some else "complete"))


@method
@keywords
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """The older name of `linalg.pinv`, with another default tolerance.

    >>> import rushlight as torch
    >>> torch.pinverse(torch.tensor([[2.0], [0.0]]))
    tensor([[0.5000, 0.0000]])
    """
    return pinv(input, rcond)


@keywords
def lu(A: Tensor, pivot: bool = True, get_infos: bool = False) -> tuple[Tensor, ...]:
    """The older name of `linalg.lu_factor_ex`: L and U in one matrix, pivots, and with `get_infos` the infos.

    Singular matrices raise no error.

    >>> import rushlight as torch
    >>> torch.lu(torch.tensor([[0.0, 2.0], [4.0, 2.0]]))[1]
    tensor([2, 2], dtype=torch.int32)
    """
    warn_of_successor("lu", "lu_factor", "torch.linalg.lu_factor_ex instead of get_infos=True")
    packed, pivots, info = lu_factor_ex(A, pivot=pivot, check_errors=False)
    return (packed, pivots, info) if get_infos else (packed, pivots)


Tensor.lu = lu


@method
@keywords
@asking
def lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """The older name of `linalg.lu_solve`, with another order of arguments.

    >>> import rushlight as torch
    >>> torch.lu_solve(torch.tensor([[4.0]]), *torch.lu(torch.tensor([[2.0]])))
    tensor([[2.]])
    """
    return linalg_lu_solve(LU_data, LU_pivots, b)


@keywords
def lu_unpack(
    LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True
) -> return_types.lu_unpack:
    """P, L and U from the result of `linalg.lu_factor`; empty tensors for those that are not asked for.

    RuntimeError for pivots that are not int32.

    >>> import rushlight as torch
    >>> torch.lu_unpack(*torch.linalg.lu_factor(torch.tensor([[0.0, 2.0], [4.0, 2.0]]))).P
    tensor([[0., 1.],
            [1., 0.]])
    """
    check_tensors("lu_unpack", LU_data=LU_data, LU_pivots=LU_pivots)
    if LU_pivots._array.dtype != np.int32:
        raise RuntimeError(
            "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\n"
            "Note: this function is intended to be used with the output produced by torch.linalg.lu_factor"
        )
    data = LU_data._array
    P = L = U = new_tensor(np.empty(0, data.dtype))
    if unpack_pivots:
        P = _permutation(LU_pivots, data.shape[-2], data.dtype)
    if unpack_data:
        L, U = triangles(LU_data)
    return return_types.lu_unpack((P, L, U))


@method
@keywords
@asking
def geqrf(input: Tensor) -> return_types.geqrf:
    """The QR decomposition in LAPACK's form: R on and above the diagonal, Householder vectors below it, and `tau`.

    `linalg.householder_product` computes Q from it. Not differentiable; use `linalg.qr` for gradients.

    >>> import rushlight as torch
    >>> torch.geqrf(torch.tensor([[3.0], [4.0]])).a[0].abs()
    tensor([5.])
    """
    check_matrix("torch.geqrf", input, "input")
    check_floating("torch.geqrf", input)
    return return_types.geqrf(_geqrf(input))


@operator(layout="columns", batch=leading, input=no_derivative("geqrf"))
def _geqrf(input: Array) -> tuple[Array, ...]:
    transposed, tau = np.linalg.qr(input, "raw")
    return np.ascontiguousarray(transposed.mT), tau


@method
@keywords
def ormqr(input: Tensor, tau: Tensor, other: Tensor, left: bool = True, transpose: bool = False) -> Tensor:
    """`other` multiplied by the full Q (with `transpose`, Q^H) of a QR decomposition computed by `geqrf`.

    From the left if `left`, else from the right. RuntimeError for sizes that do not match.

    >>> import rushlight as torch
    >>> a, tau = torch.geqrf(torch.tensor([[3.0], [4.0]]))
    >>> torch.ormqr(a, tau, torch.tensor([[3.0], [4.0]]), transpose=True).abs()
    tensor([[5.],
            [0.]])
    """
    check_tensors("ormqr", input=input, tau=tau, other=other)
    check_ormqr(input, tau, other, -2 if left else -1)
    k = tau._array.shape[-1]
    if not left:
        return _in_columns(ormqr(input, tau, other.mH, True, not transpose).mH.resolve_conj())
    conjugated = tau.conj_physical() if transpose else tau
    return _in_columns(reflected(input, conjugated, other, range(k) if transpose else reversed(range(k))))


def check_ormqr(input: Array, tau: Any, other: Array, side: Any) -> None:
    """Raises the errors of `ormqr`; `side` is the dimension of `other` that is multiplied."""
    name = "torch.ormqr"
    check_matrix(name, input, "input")
    check_matrix(name, other, "other")
    rows = other._array.shape[side]
    if rows != input._array.shape[-2]:
        raise RuntimeError(f"{name}: other.shape[{side}] must be equal to input.shape[-2]")
    if min(rows, input._array.shape[-1]) != size_of(tau._array.shape, -1):
        raise RuntimeError(f"{name}: tau.shape[-1] must be equal to min(other.shape[{side}], input.shape[-1])")
    for argument, x, less in (("tau", tau, 1), ("other", other, 0)):
        if input._array.ndim - x._array.ndim != less:
            raise RuntimeError(other_ndim(name, input, argument, x))
    check_batch(name, "tau", tau._array.shape[:-1], input._array.shape[:-2])
    check_batch(name, "other", other._array.shape[:-2], input._array.shape[:-2])
    for argument, x in (("tau", tau), ("other", other)):
        if x._array.dtype != input._array.dtype:
            raise RuntimeError(
                f"{name}: Expected input and {argument} to have the same dtype, but input has dtype "
                f"{type_name(input._array)} and {argument} has dtype {type_name(x._array)}"
            )
    if kind_of(input._array.dtype) not in "fc" or is_half(input._array.dtype):
        raise missing("ormqr_cpu", input._array.dtype)


@keywords
def norm(
    input: Tensor,
    p: float | str | None = "fro",
    dim: Dim = None,
    keepdim: bool = False,
    out: Tensor | None = None,
    dtype: dtype | None = None,
) -> Tensor:
    """The p-norm over all or some dimensions: (sum |x|^p)^(1/p), with its limits for 0, inf and -inf.

    "fro", the default, is 2; "nuc" is the sum of a matrix's singular values. The gradient at 0 is 0.

    >>> import rushlight as torch
    >>> torch.norm(torch.tensor([3.0, 4.0])), torch.norm(torch.tensor([3.0, 4.0]), p=1)
    (tensor(5.), tensor(7.))
    """
    if out is not None:
        return norm(input, p, dim, keepdim, dtype=dtype, out=out)
    if p == "nuc":
        return matrix_norm(input, "nuc", (-2, -1) if dim is None else dim, keepdim, dtype=dtype)
    if isinstance(p, str) and p != "fro":
        raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.")
    return vector_norm(input, 2.0 if p is None or isinstance(p, str) else p, dim, keepdim, dtype)


def norm_of_tensor(
    self: Tensor, p: float | str | None = "fro", dim: Dim = None, keepdim: bool = False, dtype: dtype | None = None
) -> Tensor:
    """See `torch.norm`."""
    return norm(self, p, dim, keepdim, dtype=dtype)


Tensor.norm = with_public_name(norm_of_tensor, "norm", str(norm.__doc__))
