"""Linear equations: inverses, and solutions with square and triangular matrices."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight import return_types
from rushlight.core.aliases import Array
from rushlight.core.arrays import is_array
from rushlight.core.batched import values
from rushlight.core.batching import elementwise, leading
from rushlight.core.graph import new_tensor, unbroadcast
from rushlight.core.interpreters import answered
from rushlight.core.recording import recording
from rushlight.kernels.elimination import inverse, solution
from rushlight.kernels.lapack import computed, computed_with
from rushlight.kernels.products import times
from rushlight.linalg.calls import any_failed, check_floating, check_matrix, check_square, failure, linalg
from rushlight.linalg.pieces import _in_columns, lower_part, over_batches, upper_part
from rushlight.machine.blas import lapack_functions, settle_scipy
from rushlight.ops.arguments.mismatch import check_tensors, type_name
from rushlight.ops.elementwise.selection import where
from rushlight.ops.table import operator
from rushlight.tensors import Tensor

__all__ = ["inv", "inv_ex", "solve", "solve_ex", "solve_triangular", "tensorinv", "tensorsolve"]

SMALL = 16  # rows up to which equations are solved again in a backward pass
SINGULAR = "The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular."
UNSOLVABLE = "The solver failed because the input matrix is singular."


def zero_pivots(A: np.ndarray) -> np.ndarray:
    """LAPACK's `info` of each LU decomposition: the number (from 1) of the first 0 on the diagonal of U, 0 for none."""
    if (found := computed("lu", A)) is not None:
        return found[2]
    factor = lapack_functions("getrf", A)
    return over_batches(lambda a: np.asarray(factor(a)[2] if a.size else 0, np.int32), (A,), (2,))


@operator(
    aten="linalg_inv_ex",
    layout="columns",
    batch=leading,
    node="LinalgInvExBackward0",
    input=lambda grad, result: -times(times(result.mT, grad), result.mT),
    slopes={"input": "contiguous"},
)
def _inv(input: Array) -> Array:
    """The inverse of square matrices."""
    try:
        return inverse(input)
    except np.linalg.LinAlgError:
        raise failure("linalg.inv", SINGULAR, zero_pivots(input)) from None


@linalg
def inv(A: Tensor) -> Tensor:
    """The inverse of square matrices.

    LinAlgError (a RuntimeError) for a singular one. Formula: Giles 2008, 2.2.3.

    >>> import rushlight as torch
    >>> torch.linalg.inv(torch.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    check_square("linalg.inv", A)
    check_floating("linalg.inv", A)
    return _inv(A)


@linalg
def inv_ex(A: Tensor, *, check_errors: bool = False) -> return_types.linalg_inv_ex:
    """The inverse of square matrices, and for each `info`: 0, or for a singular one the number of the pivot that is 0.

    The inverse of a singular matrix is NaN; with `check_errors` LinAlgError is raised.

    >>> import rushlight as torch
    >>> torch.linalg.inv_ex(torch.zeros(1, 1)).info
    tensor(1, dtype=torch.int32)
    """
    check_square("linalg.inv", A)
    check_floating("linalg.inv", A)
    good, info = regular(A)
    if check_errors and answered(any_failed, values(info._array)):
        raise failure("linalg.inv_ex", SINGULAR, info._array)
    return return_types.linalg_inv_ex((without_singular(_inv(good), info), info))


def regular(A: Array) -> Any:
    """Matrices in which singular ones are replaced by the identity, and their `info`."""
    info = zero_pivots(A._array)
    if not info.any():
        return A, new_tensor(info)
    identity = new_tensor(np.eye(A._array.shape[-1], dtype=A._array.dtype))
    return where(new_tensor((info == 0)[..., None, None]), A, identity), new_tensor(info)


def without_singular(result: Array, info: Any) -> Any:
    """A result, with NaN for singular matrices."""
    if not info._array.any():
        return result
    return where(new_tensor((info._array == 0)[..., None, None]), result, math.nan)


SOLVING: dict[str, Any] = {
    "aten": ("linalg_solve", "_linalg_solve_ex"),
    "layout": "columns",
    "batch": elementwise,
    "node": "LinalgSolveExBackward0",
    "inputs": ("A", "B"),
    "slopes": {"A": "contiguous", "B": "columns"},
}


def solve_cotangents(
    grad: Array, A: Array, A_shape: Sequence[int], B_shape: Sequence[int], result: Array, needs: Sequence[bool]
) -> list[Array]:
    """The gradients of A and B in A^-1 B."""
    return cotangents_by(_solve(A.mT, grad), result, A_shape, B_shape, needs)


def cotangents_by(
    of_B: Array, X: Array, A_shape: Sequence[int], B_shape: Sequence[int], needs: Sequence[bool]
) -> list[Array]:
    """The gradients of A and B, given that of B for each solution."""
    of_A = unbroadcast(-times(of_B, X.mT), A_shape) if needs[0] else None
    return [of_A, unbroadcast(of_B, B_shape)]


@operator(joint=solve_cotangents, **SOLVING)
def _solve(A: Array, B: Array) -> Array:
    """The solution X of A X = B; all are matrices."""
    try:
        return solution(A, B)
    except np.linalg.LinAlgError:
        raise failure("torch.linalg.solve", UNSOLVABLE, zero_pivots(A)) from None


def kept_cotangents(
    grad: Sequence[Array],
    A: Array,
    A_shape: Sequence[int],
    B_shape: Sequence[int],
    result0: Array,
    result1: Array,
    result2: Array,
    needs: Sequence[bool],
) -> list[Array]:
    """`solve_cotangents` with the kept decomposition of A; for double backward, the solution depends on A."""
    of_X, X, LU = grad[0], result0, result1
    keeps = is_array(of_X) and LU.shape[-1] == A.shape[-1]
    of_B = computed_with("lu_solution", LU, of_X, result2, True) if keeps else None
    return cotangents_by(_solve(A.mT, of_X) if of_B is None else of_B, X, A_shape, B_shape, needs)


@operator(joint=kept_cotangents, nondifferentiable=(1, 2), **SOLVING)
def _solve_kept(A: Array, B: Array) -> tuple[Array, ...]:
    """`_solve`, and the LU decomposition of A and its row exchanges, or a number where there are none to keep."""
    parts = computed_with("solution", A, B)
    if parts is not None:
        return parts
    X = _solve.forward(A, B)
    none = np.zeros((*X.shape[:-2], 1, 1), X.dtype, like=X)
    return X, none, none[..., 0].astype(np.int32)


@linalg
def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """The solution X of A X = B, or of X A = B if `left` is False.

    A is (*, n, n); B is a matrix (*, n, k), or a vector (n) or a batch of vectors with the batch dimensions of A.
    RuntimeError for shapes or dtypes that do not match, LinAlgError for a singular matrix. Formula: Giles 2008, 2.3.1.

    >>> import rushlight as torch
    >>> torch.linalg.solve(torch.tensor([[2.0, 0.0], [0.0, 4.0]]), torch.tensor([2.0, 2.0]))
    tensor([1.0000, 0.5000])
    """
    vector = check_solve(A, B)
    if vector:
        B = B.unsqueeze(-1)
    check_sides("linalg.solve", A, B, left)
    result = solved(A, B) if left else solved(A.mT, B.mT).mT
    return result.squeeze(-1) if vector else result


def solved(A: Tensor, B: Tensor) -> Tensor:
    """The solution of A X = B; for large matrices whose backward pass will come, with what it needs."""
    keeps = A._array.shape[-1] > SMALL and (A.requires_grad or B.requires_grad) and recording()
    return _solve_kept(A, B)[0] if keeps else _solve(A, B)


def check_solve(A: Tensor, B: Tensor) -> bool:
    """Raises the errors of `solve`, except those about sizes; returns whether B is a vector or a batch of vectors."""
    check_tensors("linalg_solve", A=A, B=B)
    check_square("linalg.solve", A)
    check_floating("linalg.solve", A, halves=True)
    a, b = A._array, B._array
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"linalg.solve: Expected A and B to have the same dtype, but found A of type {type_name(a)} "
            "and B of "
            f"type {type_name(b)} instead"
        )
    vector = b.ndim == 1 or (a.ndim - 1 == b.ndim and b.shape == a.shape[:-1])
    if not vector:
        check_matrix("linalg.solve", B, "The input tensor B")
    return vector


def check_sides(name: str, A: Tensor, B: Tensor, left: bool) -> None:
    """Raises RuntimeError if the sizes of A X = B, or of X A = B, do not match."""
    check_system_sizes(name, A, B, left)
    check_batches(A, B)


def check_system_sizes(name: str, A: Any, B: Tensor, left: bool) -> None:
    """Raises RuntimeError for matrices whose sizes do not match."""
    a, b = A._array, B._array
    if a.shape[-1] != b.shape[-2 if left else -1]:
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation {'AX' if left else 'XA'} = B "
            f"({a.shape[-2]}x{a.shape[-1]} and {b.shape[-2]}x{b.shape[-1]})"
        )


def check_batches(A: Tensor, B: Tensor) -> None:
    """Raises RuntimeError for batch dimensions that do not match."""
    a, b = A._array, B._array
    for i in range(3, min(a.ndim, b.ndim) + 1):
        n, m = b.shape[-i], a.shape[-i]
        if n != m and 1 not in (n, m):
            raise RuntimeError(
                f"The size of tensor a ({n}) must match the size of tensor b ({m}) at non-singleton "
                "dimension "
                f"{max(a.ndim, b.ndim) - i}"
            )


@linalg
def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False) -> return_types.linalg_solve_ex:
    """`solve`, and for each matrix `info`: 0, or for a singular one the number of the pivot that is 0.

    The solution for a singular matrix is NaN; with `check_errors` LinAlgError is raised.

    >>> import rushlight as torch
    >>> torch.linalg.solve_ex(torch.zeros(1, 1), torch.ones(1, 1)).info
    tensor(1, dtype=torch.int32)
    """
    vector = check_solve(A, B)
    if vector:
        B = B.unsqueeze(-1)
    check_sides("linalg.solve", A, B, left)
    good, info = regular(A)
    if check_errors and answered(any_failed, values(info._array)):
        raise failure("torch.linalg.solve_ex", UNSOLVABLE, info._array)
    result = without_singular(_solve(good, B) if left else _solve(good.mT, B.mT).mT, info)
    return return_types.linalg_solve_ex((result.squeeze(-1) if vector else result, info))


def triangular_cotangents(
    grad: Array,
    A: Array,
    A_shape: Sequence[int],
    B_shape: Sequence[int],
    upper: bool,
    unitriangular: bool,
    result: Array,
    needs: Sequence[bool],
) -> list[Array]:
    """The gradients of A (of its one triangle) and B in A^-1 B."""
    of_B = _solve_triangular(A.mT, grad, not upper, unitriangular)
    of_A = None
    if needs[0]:
        product = times(of_B, result.mT)
        part = upper_part(product, int(unitriangular)) if upper else lower_part(product, -int(unitriangular))
        of_A = unbroadcast(-part, A_shape)
    return [of_A, unbroadcast(of_B, B_shape)]


@operator(
    aten="linalg_solve_triangular",
    layout="columns",
    batch=leading,
    node="LinalgSolveTriangularBackward0",
    joint=triangular_cotangents,
    inputs=("A", "B"),
    slopes={"A": "contiguous", "B": "columns"},
)
def _solve_triangular(A: Array, B: Array, upper: bool, unitriangular: bool) -> Array:
    """The solution X of A X = B with a triangular A; the other triangle is not read."""
    if (found := computed_with("triangular_solution", A, B, upper, unitriangular)) is not None:
        return found
    from scipy.linalg.blas import get_blas_funcs

    solver = get_blas_funcs("trsm", (A, B))
    settle_scipy(A.shape[-1])

    def solved(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """The solution of X^T A^T = B^T: BLAS takes rows for columns."""
        if not b.size:
            return b.copy()
        columns = a.flags.f_contiguous
        lower = upper if not columns else not upper
        factor = a if columns else a.T
        return solver(1, factor, b.T, side=1, lower=lower, trans_a=int(columns), diag=unitriangular).T

    return np.ascontiguousarray(over_batches(solved, (A, B), (2, 2)))


@linalg
def solve_triangular(A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Tensor:
    """The solution X of A X = B, or of X A = B if `left` is False, with a triangular A.

    The other triangle of A is not read. With `unitriangular`, neither is its diagonal, which then counts as ones.
    RuntimeError for shapes that do not match.

    >>> import rushlight as torch
    >>> torch.linalg.solve_triangular(torch.tensor([[1.0, 1.0], [0.0, 2.0]]), torch.ones(2, 1), upper=True)
    tensor([[0.5000],
            [0.5000]])
    """
    name = "linalg.solve_triangular"
    check_tensors("linalg_solve_triangular", A=A, B=B)
    check_square(name, A)
    check_matrix(name, B, "The input tensor B")
    check_floating(name, A)
    check_sides(name, A, B, left)
    if A._array.dtype != B._array.dtype:
        found = f"{type_name(A._array)} and {type_name(B._array)}"
        raise RuntimeError(f"{name}: Expected A and B to have the same dtype, but found {found}")
    if left:
        return _solve_triangular(A, B, upper, unitriangular)
    return _in_columns(_solve_triangular(A.mT, B.mT, not upper, unitriangular).mT)


@linalg
def tensorinv(A: Tensor, ind: int = 2) -> Tensor:
    """The inverse of a tensor as a matrix: its first `ind` dimensions are the rows, the others the columns.

    RuntimeError if that matrix is not square, LinAlgError if it is singular.

    >>> import rushlight as torch
    >>> torch.linalg.tensorinv(torch.eye(6).reshape(2, 3, 6)).shape
    torch.Size([6, 2, 3])
    """
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    if ind > A._array.ndim:
        raise RuntimeError(f"ArrayRef: invalid slice, N = {ind}; size = {A._array.ndim}: there is no such dimension")
    rows, columns = A._array.shape[:ind], A._array.shape[ind:]
    check_cube("ind", rows, columns)
    return inv(A.reshape(math.prod(rows), math.prod(columns))).reshape(columns + rows)


@linalg
def tensorsolve(A: Tensor, B: Tensor, dims: tuple[int, ...] | None = None) -> Tensor:
    """The solution X of tensordot(A, X, X.ndim) = B; the dimensions `dims` of A are first moved to its end.

    RuntimeError if A as a matrix is not square, LinAlgError if it is singular.

    >>> import rushlight as torch
    >>> torch.linalg.tensorsolve(torch.eye(6).reshape(2, 3, 6), torch.ones(2, 3)).shape
    torch.Size([6])
    """
    check_tensors("linalg_tensorsolve", A=A, B=B)
    if dims is not None:
        A = A.movedim(tuple(dims), tuple(range(-len(dims), 0)))
    columns = A._array.shape[B._array.ndim :]
    check_cube("other.ndim", B._array.shape, columns)
    return solve(A.reshape(math.prod(columns), math.prod(columns)), B.reshape(-1)).reshape(columns)


def check_cube(index: str, rows: Sequence[int], columns: Sequence[int]) -> None:
    """Raises RuntimeError if the products of row sizes and column sizes differ."""
    n, m = math.prod(rows), math.prod(columns)
    if n != m:
        raise RuntimeError(
            f"Expected self to satisfy the requirement prod(self.shape[{index}:]) == "
            f"prod(self.shape[:{index}]), but "
            f"got {m} != {n}"
        )
