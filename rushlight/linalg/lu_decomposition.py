"""The LU decomposition with partial pivoting, and solving equations with it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight import return_types
from rushlight.core.aliases import Array
from rushlight.core.batched import values
from rushlight.core.batching import leading
from rushlight.core.graph import new_tensor
from rushlight.core.interpreters import answered
from rushlight.core.kinds import is_half, kind_of
from rushlight.kernels.lapack import computed
from rushlight.kernels.products import times
from rushlight.linalg.calls import any_failed, check_floating, check_matrix, check_square, linalg
from rushlight.linalg.pieces import _in_columns, identity_like, lower_part, over_batches, upper_part
from rushlight.linalg.solving import _solve_triangular, check_batches, check_system_sizes
from rushlight.machine.blas import lapack_functions
from rushlight.ops.arguments.dims import size_of
from rushlight.ops.arguments.mismatch import check_tensors, type_name
from rushlight.ops.table import operator
from rushlight.tensors import Tensor

__all__ = ["lu", "lu_factor", "lu_factor_ex", "lu_solve"]


def lu_cotangent(grad: Sequence[Array], result0: Array, result1: Array) -> Array:
    """The gradient of A = P L U, given that of L and U packed into one matrix.

    For square matrices it is P L^-T (tril(L^T gL) + triu(gU U^T)) U^-T. If A is wide, its further columns are L U2; if
    it is tall, its further rows are L2 U.
    """
    packed, gLU = result0, grad[0]
    n, m = packed.shape[-2:]
    k = min(n, m)
    square, g = packed[..., :k, :k], gLU[..., :k, :k]
    gL, gU, beyond = lower_part(g, -1), upper_part(g), None
    if m > k:
        beyond = _solve_triangular(square.mT, gLU[..., :, k:], True, True)
        gL = gL - lower_part(times(beyond, packed[..., :, k:].mT), -1)
    elif n > k:
        beyond = _solve_triangular(square, gLU[..., k:, :].mT, True, False).mT
        gU = gU - upper_part(times(packed[..., k:, :].mT, beyond))
    inner = lower_part(times(unit_lower(square).mT, gL), -1) + upper_part(times(gU, upper_part(square).mT))
    left = _solve_triangular(square.mT, inner, True, True)
    cotangent = _solve_triangular(square, left.mT, True, False).mT
    if beyond is not None:
        cotangent = np.concatenate([cotangent, beyond], -1 if m > k else -2)
    return times(_permutation(result1, n, packed.dtype), cotangent)


def unit_lower(x: Array) -> Array:
    """The lower triangle of square matrices, with ones on the diagonal."""
    return lower_part(x, -1) + identity_like(x)


@operator(
    aten="linalg_lu_factor",
    layout="columns",
    batch=leading,
    node="LinalgLuFactorExBackward0",
    input=lu_cotangent,
    slopes={"input": "contiguous"},
    nondifferentiable=(1, 2),
)
def _lu_factor(input: Array) -> tuple[Array, ...]:
    """L and U in one matrix, the row exchanges (counted from 1), and LAPACK's `info`."""
    if (found := computed("lu", input)) is not None:
        return found
    factor = lapack_functions("getrf", input)
    size = min(input.shape[-2:])

    def factored(a: np.ndarray) -> tuple[Any, ...]:
        if a.size == 0:
            return a.copy(), np.zeros(size, np.int32), np.int32(0)
        packed, pivots, info = factor(a)
        return packed, pivots + np.int32(1), np.int32(info)

    return over_batches(factored, (input,), (2,))


def permutations(pivots: Array, n: int, dtype: np.dtype) -> Array:
    """The permutation matrices P of A = P L U, from the row exchanges."""

    def permutation(exchanges: np.ndarray) -> np.ndarray:
        order = list(range(n))
        for i, j in enumerate(exchanges.tolist()):
            order[i], order[j - 1] = order[j - 1], order[i]
        return np.eye(n, dtype=dtype)[:, order]

    return over_batches(permutation, (pivots,), (1,))


@operator(aten=(), batch=leading)
def _permutation(pivots: Array, n: int, dtype: np.dtype[Any]) -> Array:
    return permutations(pivots, n, dtype)


def check_lu(name: str, A: Tensor, pivot: bool) -> None:
    """Raises the errors of the decomposition."""
    array = A._array
    if array.ndim < 2:
        raise RuntimeError(f"{name}: Expected tensor with 2 or more dimensions. Got size: {list(array.shape)} instead")
    if kind_of(array.dtype) not in "fc" or is_half(array.dtype):
        raise NotImplementedError(f"\"lu_cpu\" not implemented for '{type_name(array)}'")
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")


@linalg
def lu(A: Tensor, *, pivot: bool = True) -> return_types.linalg_lu:
    """The decomposition A = P L U of matrices (*, n, m): a permutation, a unit lower and an upper triangular matrix.

    P is (*, n, n), L (*, n, k), U (*, k, m) with k = min(n, m). RuntimeError for `pivot=False`, which PyTorch supports
    only on GPUs. Formula: PyTorch's `plu_backward`, from de Hoog, Anderssen and Lukas 2011, "Differentiation of matrix
    functionals using triangular factorization".

    >>> import rushlight as torch
    >>> torch.linalg.lu(torch.tensor([[0.0, 2.0], [4.0, 2.0]])).U
    tensor([[4., 2.],
            [0., 2.]])
    """
    check_lu("linalg.lu", A, pivot)
    packed, pivots, _ = _lu_factor(A)
    P = _permutation(pivots, A._array.shape[-2], A._array.dtype)
    return return_types.linalg_lu((P, *triangles(packed)))


def triangles(packed: Any) -> Any:
    """L and U, unpacked from the one matrix that the decomposition returns."""
    n, m = packed._array.shape[-2:]
    k = min(n, m)
    lower = packed.narrow(-1, 0, k).tril(-1) + new_tensor(np.eye(n, k, dtype=packed._array.dtype))
    return lower, packed.narrow(-2, 0, k).triu()


@linalg
def lu_factor(A: Tensor, *, pivot: bool = True) -> return_types.linalg_lu_factor:
    """The decomposition A = P L U with L and U in one matrix, and the row exchanges (counted from 1) that define P.

    RuntimeError if U has a 0 on its diagonal.

    >>> import rushlight as torch
    >>> torch.linalg.lu_factor(torch.tensor([[0.0, 2.0], [4.0, 2.0]])).pivots
    tensor([2, 2], dtype=torch.int32)
    """
    check_lu("torch.lu_factor", A, pivot)
    packed, pivots, info = _lu_factor(A)
    if answered(any_failed, values(info._array)):
        raise singular_factor("torch.linalg.lu_factor", info._array)
    return return_types.linalg_lu_factor((packed, pivots))


def singular_factor(name: str, info: Any) -> Any:
    """The error for a U with a 0 on its diagonal."""
    info = values(info)
    found = int(np.flatnonzero(info)[0])
    place = f" (Batch element {found}):" if info.ndim else ""
    number = info.reshape(-1)[found]
    return RuntimeError(
        f"{name}:{place} U[{number},{number}] is zero and using it on lu_solve would result in a division "
        "by zero. If "
        "you still want to perform the factorization, consider calling linalg.lu(A, pivot) or "
        "linalg.lu_factor_ex(A, pivot)"
    )


@linalg
def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False) -> return_types.linalg_lu_factor_ex:
    """`lu_factor`, and for each matrix `info`: 0, or the number of the first 0 on the diagonal of U.

    >>> import rushlight as torch
    >>> torch.linalg.lu_factor_ex(torch.zeros(2, 2)).info
    tensor(1, dtype=torch.int32)
    """
    check_lu("torch.lu_factor", A, pivot)
    packed, pivots, info = _lu_factor(A)
    if check_errors and answered(any_failed, values(info._array)):
        raise singular_factor("torch.linalg.lu_factor_ex", info._array)
    return return_types.linalg_lu_factor_ex((packed, pivots, info))


def check_pivots(wanted: Sequence[int], found: Sequence[int]) -> None:
    """Raises the errors for pivots whose shape does not match the matrices."""
    if size_of(found, -1) != wanted[-1]:
        raise RuntimeError("linalg.lu_solve: Number of pivots per batch should be same as the dimension of the matrix")
    if found != wanted:
        raise RuntimeError(
            "linalg.lu_solve: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(found)} instead"
        )


@linalg
def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False) -> Tensor:
    """The solution X of A X = B, given the `lu_factor` of A; of X A = B if `left` is False, with A^H if `adjoint`.

    RuntimeError for shapes that do not match and for pivots that are not int32.

    >>> import rushlight as torch
    >>> A, B = torch.tensor([[0.0, 2.0], [4.0, 2.0]]), torch.tensor([[2.0], [6.0]])
    >>> torch.linalg.lu_solve(*torch.linalg.lu_factor(A), B)
    tensor([[1.],
            [1.]])
    """
    check_tensors("linalg_lu_solve", LU=LU, pivots=pivots, B=B)
    if pivots._array.dtype != np.int32:
        raise RuntimeError("linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32")
    check_square("torch.linalg.lu_solve", LU)
    check_floating("torch.linalg.lu_solve", LU, halves=True)
    if LU._array.dtype != B._array.dtype:
        raise RuntimeError(
            f"linalg.lu_solve: Expected LU and B to have the same dtype, but found LU of type {type_name(LU._array)} "
            f"and B of type {type_name(B._array)} instead"
        )
    check_matrix("linalg.lu_solve", B, "The input tensor B")
    check_system_sizes("linalg.lu_solve", LU, B, left)
    check_pivots(LU._array.shape[:-1], pivots._array.shape)
    check_batches(LU, B)
    if not left:
        return lu_solve(LU, pivots, B.mH, adjoint=not adjoint).mH.resolve_conj()
    P = _permutation(pivots, LU._array.shape[-1], LU._array.dtype)
    if adjoint:
        return _in_columns(P @ _solve_triangular(LU.mH, _solve_triangular(LU.mH, B, False, False), True, True))
    return _in_columns(_solve_triangular(LU, _solve_triangular(LU, P.mT @ B, False, True), True, False))
