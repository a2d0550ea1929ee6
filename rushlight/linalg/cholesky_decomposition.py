"""The Cholesky decomposition of positive definite matrices."""

from typing import Any

import numpy as np

from rushlight import return_types
from rushlight.core.aliases import Array
from rushlight.core.batching import leading
from rushlight.core.graph import new_tensor, unbroadcast
from rushlight.core.kinds import kind_of
from rushlight.kernels.elimination import definite_factor
from rushlight.kernels.lapack import computed, computed_with
from rushlight.kernels.products import times
from rushlight.kernels.triangles import mirrored
from rushlight.linalg.calls import check_floating, check_square, failure, linalg
from rushlight.linalg.pieces import adjoint, diagonal_part, lower_part, over_batches, upper_part
from rushlight.linalg.solving import _solve_triangular
from rushlight.machine.blas import lapack_functions
from rushlight.ops.elementwise.selection import where
from rushlight.ops.table import operator
from rushlight.tensors import Tensor

__all__ = ["cholesky", "cholesky_ex"]

NOT_POSITIVE = (
    "The factorization could not be completed because the input is not positive-definite (the leading "
    "minor of order "
    "{} is not positive-definite)."
)


def cholesky_cotangent(grad: Array, upper: bool, result: Array) -> Array:
    """The gradient of A = L L^H: L^-H S L^-1 / 2, where the lower triangle of the Hermitian S is that of L^H gL."""
    L, gL = (adjoint(result), adjoint(grad)) if upper else (result, grad)
    product = times(adjoint(L), gL / 2)
    half = mirrored(product, True)
    if kind_of(product.dtype) == "c":
        half = half + 1j * np.imag(diagonal_part(product))
    left = _solve_triangular(adjoint(L), half, True, False)
    return adjoint(_solve_triangular(adjoint(L), adjoint(left), True, False))


@operator(
    layout="columns",
    batch=leading,
    node="LinalgCholeskyExBackward0",
    holomorphic=False,
    input=cholesky_cotangent,
    slopes={"input": "columns"},
)
def _cholesky(input: Array, upper: bool) -> Array:
    if (found := definite_factor(input, upper)) is not None:
        return found
    result, info = factored(input, upper)
    if info.any():
        raise failure("linalg.cholesky", NOT_POSITIVE, info)
    return result


def factored(A: Array, upper: bool) -> tuple[Array, Array]:
    """The factor of each matrix, and LAPACK's `info`: the number of the first minor that is not positive, or is NaN."""
    if (found := computed("cholesky", A, upper)) is not None:
        return found
    factorize = lapack_functions("potrf", A)

    def of_one(a: Array) -> tuple[Array, Array]:
        if not a.size:
            return a, np.zeros((), np.int32)
        factor, info = factorize(a.T, lower=upper)  # LAPACK takes rows for columns
        factor = factor.T
        total = np.add.reduce(factor.diagonal())
        if not info and total == total:
            return factor, np.zeros((), np.int32)
        missing = np.isnan(factor.diagonal())
        return factor, np.asarray(missing.argmax() + 1 if missing.any() and not info else info, np.int32)

    return over_batches(of_one, (A,), (2,))


def factor_cotangent(change: Any, L: Any, upper: Any) -> Any:
    """The gradient of L in A = L L^H (with `upper`, L^H L), given that of A: zero for the triangle that is not read."""
    both = change + adjoint(change)
    read = upper_part if upper else lower_part
    return read(times(read(L), both) if upper else times(both, read(L)))


def inverse_by_factors(L: Any, upper: Any, B: Any) -> Any:
    """A^-1 B, given the Cholesky factor of A, by two triangular solutions."""
    lower = adjoint(L) if upper else L
    return _solve_triangular(adjoint(lower), _solve_triangular(lower, B, False, False), True, False)


def solve_cotangents(grad: Array, B_shape: Any, L: Any, L_shape: Any, upper: Any, result: Array) -> Any:
    """The gradients of B and L in A^-1 B."""
    of_B = _cholesky_solve(grad, L, upper)
    of_L = factor_cotangent(-times(of_B, adjoint(result)), L, upper)
    return [unbroadcast(of_B, B_shape), unbroadcast(of_L, L_shape)]


@operator(
    layout="columns",
    batch=leading,
    holomorphic=False,
    joint=solve_cotangents,
    inputs=("B", "L"),
    slopes={"B": "columns", "L": "contiguous"},
)
def _cholesky_solve(B: Array, L: Array, upper: bool) -> Array:
    found = computed_with("definite_solution", L, B, upper)
    return inverse_by_factors(L, upper, B) if found is None else found


@operator(
    layout="columns",
    batch=leading,
    holomorphic=False,
    L=lambda grad, L, upper, result: factor_cotangent(-times(times(result, grad), result), L, upper),
    slopes={"L": "contiguous"},
)
def _cholesky_inverse(L: Array, upper: bool) -> Array:
    found = computed("definite_inverse", L, upper)
    return inverse_by_factors(L, upper, np.eye(L.shape[-1], dtype=L.dtype, like=L)) if found is None else found


@linalg
def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """The lower triangular L with A = L L^H, for Hermitian positive definite matrices; with `upper`, L^H.

    Only the lower triangle of A is read (with `upper`, the upper one). LinAlgError for matrices that are not positive
    definite. Formula: Giles 2008, 2.4.1, and Murray 2016, "Differentiation of the Cholesky decomposition".

    >>> import rushlight as torch
    >>> torch.linalg.cholesky(torch.tensor([[4.0, 2.0], [2.0, 5.0]]))
    tensor([[2., 0.],
            [1., 2.]])
    """
    check_square("linalg.cholesky", A)
    check_floating("linalg.cholesky", A)
    return _cholesky(A, bool(upper))


@linalg
def cholesky_ex(A: Tensor, *, upper: bool = False, check_errors: bool = False) -> return_types.linalg_cholesky_ex:
    """`cholesky`, and for each matrix `info`: 0, or the number of the first leading minor that is not positive.

    The factor of such a matrix is NaN; with `check_errors` LinAlgError is raised.

    >>> import rushlight as torch
    >>> torch.linalg.cholesky_ex(torch.tensor([[-1.0]])).info
    tensor(1, dtype=torch.int32)
    """
    check_square("linalg.cholesky", A)
    check_floating("linalg.cholesky_ex", A)
    info = factored(A._array, upper)[1]
    if not info.any():
        return return_types.linalg_cholesky_ex((_cholesky(A, bool(upper)), new_tensor(info)))
    if check_errors:
        raise failure("linalg.cholesky_ex", NOT_POSITIVE, info)
    good = new_tensor((info == 0)[..., None, None])
    identity = new_tensor(np.eye(A._array.shape[-1], dtype=A._array.dtype))
    factor = where(good, _cholesky(where(good, A, identity), bool(upper)), np.nan)
    return return_types.linalg_cholesky_ex((factor, new_tensor(info)))
