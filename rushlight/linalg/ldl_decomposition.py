"""The LDL decomposition of symmetric and Hermitian matrices that may be indefinite, and solving equations with it."""

from typing import Any

import numpy as np

from rushlight import return_types
from rushlight.core.aliases import Array
from rushlight.core.batched import values
from rushlight.core.batching import leading
from rushlight.core.interpreters import answered
from rushlight.core.kinds import is_half, kind_of
from rushlight.kernels.lapack import computed, computed_with
from rushlight.kernels.triangles import triangle
from rushlight.linalg.calls import any_failed, check_floating, check_matrix, check_square, check_system, linalg
from rushlight.linalg.pieces import over_batches
from rushlight.linalg.solving import check_batches
from rushlight.machine.blas import lapack_functions
from rushlight.ops.arguments.mismatch import check_tensors, type_name
from rushlight.ops.table import no_derivative, operator
from rushlight.tensors import Tensor

__all__ = ["ldl_factor", "ldl_factor_ex", "ldl_solve"]


def of_lapack(step: str, array: Array, hermitian: bool) -> Any:
    """LAPACK's function for Hermitian matrices if `hermitian` and complex, else for symmetric ones."""
    return lapack_functions(f"{'he' if hermitian and kind_of(array.dtype) == 'c' else 'sy'}{step}", array)


@operator(
    aten="linalg_ldl_factor",
    layout="columns",
    batch=leading,
    input=no_derivative("linalg_ldl_factor_ex"),
    nondifferentiable=(1, 2),
)
def _ldl_factor(input: Array, hermitian: bool) -> tuple[Array, ...]:
    """L and D in one lower triangle, LAPACK's pivots and its `info`."""
    if (found := computed("ldl", input, hermitian)) is not None:
        return found
    factor = of_lapack("trf", input, hermitian)

    def factored(a: np.ndarray) -> tuple[Any, ...]:
        packed, pivots, info = factor(a, lower=1)
        return triangle(packed.T, 0, False).T, pivots, np.int32(info)

    if 0 in input.shape[-2:]:
        return input.copy(), np.zeros(input.shape[:-1], np.int32), np.zeros(input.shape[:-2], np.int32)
    return over_batches(factored, (input,), (2,))


@operator(
    layout="columns",
    batch=leading,
    LD=no_derivative("linalg_ldl_solve"),
    B=no_derivative("linalg_ldl_solve"),
)
def _ldl_solve(LD: Array, B: Array, pivots: Array, hermitian: bool) -> Array:
    """The solution of A X = B, given the decomposition of A."""
    if (found := computed_with("ldl_solution", LD, B, pivots, hermitian)) is not None:
        return found
    solve = of_lapack("trs", LD, hermitian)
    if 0 in (*LD.shape[-2:], *B.shape[-2:]):
        return np.zeros(np.broadcast_shapes(LD.shape[:-2], B.shape[:-2]) + B.shape[-2:], B.dtype)
    return over_batches(lambda a, b, p: solve(a, p, b, lower=1)[0], (LD, B, pivots), (2, 2, 1))


def check_ldl(A: Tensor) -> None:
    """Raises the errors of the decomposition."""
    check_square("torch.linalg.ldl_factor_ex", A)
    check_floating("torch.linalg.ldl_factor_ex", A, halves=True)
    if is_half(A._array.dtype):
        raise NotImplementedError(f"\"ldl_factor_kernel_cpu\" not implemented for '{type_name(A._array)}'")


def check_regular(name: str, info: Tensor) -> None:
    """Raises RuntimeError if D has a 0 on its diagonal."""
    found = values(info._array)
    if answered(any_failed, found):
        place = f" (Batch element {int(np.flatnonzero(found)[0])}):" if found.ndim else ""
        number = found[found != 0][0]
        raise RuntimeError(
            f"{name}:{place} D[{number},{number}] is zero and using it on ldl_solve would result in a division by zero."
            " If you still want to perform the factorization, consider calling linalg.ldl_factor_ex(A)"
        )


@linalg
def ldl_factor(A: Tensor, *, hermitian: bool = False) -> return_types.linalg_ldl_factor:
    """The decomposition P A P^T = L D L^T of symmetric matrices (*, n, n), which may be indefinite.

    With `hermitian` it is L D L^H. L (unit lower triangular) and D (with diagonal blocks of size 1 and 2) are stored in
    one lower triangle `LD`; `pivots` (*, n) are LAPACK's, in int32. Only the lower triangle of A is read. RuntimeError
    for matrices that are not square, and if D has a 0 on its diagonal; no derivative, as in PyTorch. Source: Bunch and
    Kaufman 1977, "Some stable methods for calculating inertia and solving symmetric linear systems".

    >>> import rushlight as torch
    >>> torch.linalg.ldl_factor(torch.tensor([[4.0, 2.0], [2.0, -1.0]])).LD
    tensor([[ 4.0000,  0.0000],
            [ 0.5000, -2.0000]])
    """
    check_ldl(A)
    LD, pivots, info = _ldl_factor(A, hermitian)
    check_regular("torch.linalg.ldl_factor", info)
    return return_types.linalg_ldl_factor((LD, pivots))


@linalg
def ldl_factor_ex(
    A: Tensor, *, hermitian: bool = False, check_errors: bool = False
) -> return_types.linalg_ldl_factor_ex:
    """`ldl_factor`, and for each matrix `info`: 0, or the number of the first 0 on the diagonal of D.

    RuntimeError for matrices that are not square, and with `check_errors` if D has a 0 on its diagonal.

    >>> import rushlight as torch
    >>> torch.linalg.ldl_factor_ex(torch.zeros(2, 2)).info
    tensor(1, dtype=torch.int32)
    """
    check_ldl(A)
    LD, pivots, info = _ldl_factor(A, hermitian)
    if check_errors:
        check_regular("torch.linalg.ldl_factor_ex", info)
    return return_types.linalg_ldl_factor_ex((LD, pivots, info))


@linalg
def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False) -> Tensor:
    """The solution X (*, n, k) of A X = B, given the `ldl_factor` of A (*, n, n) with the same `hermitian`.

    RuntimeError for shapes and dtypes that do not match; no derivative, as in PyTorch.

    >>> import rushlight as torch
    >>> A, B = torch.tensor([[4.0, 2.0], [2.0, -1.0]]), torch.tensor([[6.0], [1.0]])
    >>> torch.linalg.ldl_solve(*torch.linalg.ldl_factor(A), B)
    tensor([[1.],
            [1.]])
    """
    name = "torch.linalg.ldl_solve"
    check_tensors("linalg_ldl_solve", LD=LD, pivots=pivots, B=B)
    check_square(name, LD)
    check_matrix(name, B, "The input tensor B")
    check_floating(name, LD)
    check_system(name, B, LD)
    if kind_of(pivots._array.dtype) not in "iu":
        raise RuntimeError(f"{name}: Expected pivots to be integers. Got {type_name(pivots._array)}")
    if pivots._array.shape != LD._array.shape[:-1]:
        raise RuntimeError(
            f"{name}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(pivots._array.shape)} instead"
        )
    check_batches(LD, B)
    return _ldl_solve(LD, B, pivots, hermitian)
