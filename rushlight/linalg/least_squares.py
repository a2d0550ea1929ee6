"""Least squares solutions of overdetermined and underdetermined linear equations."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight import return_types
from rushlight.core.aliases import Array
from rushlight.core.batching import elementwise
from rushlight.core.graph import unbroadcast
from rushlight.kernels.lapack import computed_with
from rushlight.kernels.products import times
from rushlight.linalg.calls import check_floating, check_matrix, linalg
from rushlight.linalg.pieces import adjoint, over_batches
from rushlight.linalg.singular_values import _pinv, pinv_cotangent
from rushlight.ops.arguments.mismatch import check_tensors, type_name
from rushlight.ops.table import operator
from rushlight.tensors import Tensor

__all__ = ["lstsq"]

DRIVERS = {"gels": "gelsd", "gelsy": "gelsy", "gelsd": "gelsd", "gelss": "gelss"}  # SciPy does not have gels


def lstsq_cotangents(
    grad: Sequence[Array],
    A: Array,
    A_shape: Sequence[int],
    B: Array,
    B_shape: Sequence[int],
    rcond: float,
    result0: Array,
) -> list[Array]:
    """The gradients of A and B, computed with the pseudo-inverse P of A, since the solution X is P B.

    X does not contribute to the gradient of the residuals, since it minimizes them.
    """
    P = _pinv(A, None, rcond, False)
    of_solution, of_residuals = grad[:2]
    of_A = pinv_cotangent(times(of_solution, adjoint(B)), A, P)
    of_B = times(adjoint(P), of_solution)
    if of_residuals.shape[-1:] == of_solution.shape[-1:]:
        errors = 2 * (times(A, result0) - B) * np.expand_dims(of_residuals, -2)
        of_A = of_A + times(errors, adjoint(result0))
        of_B = of_B - errors
    return [unbroadcast(of_A, A_shape), unbroadcast(of_B, B_shape)]


def solved_batch(op: Any, args: Sequence[Any], levels: Any) -> list[Array]:
    """The batch rule of `lstsq`: the examples are further matrices."""
    sizes = tuple([level.size for level in levels])
    parts = elementwise(op, args, levels)
    return [part if part.shape != (0,) else np.zeros((*sizes, 0), part.dtype, like=part) for part in parts]


def as_first_rows(solution: Array, rows: int) -> Array:
    """The solution in the form in which LAPACK returns it: in the first rows of a larger column-major array."""
    *batch, m, k = solution.shape
    memory = np.zeros((*batch, k, max(m, rows)), solution.dtype, like=solution)
    memory[..., :m] = solution.mT
    return memory[..., :m].mT


@operator(
    aten="linalg_lstsq",
    layout="as computed",
    node="LinalgLstsqBackward0",
    holomorphic=False,
    joint=lstsq_cotangents,
    inputs=("A", "B"),
    slopes={"A": "columns", "B": "contiguous"},
    nondifferentiable=(2, 3),
    batch=solved_batch,
)
def _lstsq(A: Array, B: Array, rcond: float | None, driver: str) -> tuple[Array, ...]:
    """The solution, squared residuals, rank and singular values that the LAPACK driver returns."""
    if driver == "gelsy" and (found := computed_with("least_squares", A, B, rcond)) is not None:
        none = np.zeros(0, A.dtype)
        return found[0][..., : A.shape[-1], :], none, found[1], none
    from scipy.linalg import lstsq

    def solved(a: np.ndarray, b: np.ndarray) -> tuple[Any, ...]:
        if not b.shape[1]:
            solution, rank, values = solved(a, np.zeros((b.shape[0], 1), b.dtype))
            return solution[:, :0], rank, values
        solution, _, rank, values = lstsq(a, b, rcond, lapack_driver=DRIVERS[driver], check_finite=False)
        return solution, np.int64(rank), np.zeros(min(a.shape), a.real.dtype) if values is None else values

    solution, rank, values = over_batches(solved, (A, B), (2, 2))
    n, m = A.shape[-2:]
    none = residuals = np.zeros(0, values.dtype, like=values)
    if n > m and driver != "gelsy" and np.all(rank == m):
        difference = np.abs(times(A, solution) - B)
        residuals = np.add.reduce(difference * difference, -2)
    if driver == "gels":
        rank = np.zeros(0, np.int64)
    solution = as_first_rows(solution, n)
    return solution, residuals, rank, none if driver in ("gels", "gelsy") else values


@linalg
def lstsq(A: Tensor, B: Tensor, rcond: float | None = None, *, driver: str | None = None) -> return_types.linalg_lstsq:
    """The X that minimizes the norm of A X - B; if there are several, the one with the smallest norm.

    A is (*, n, m), B (*, n, k) or (*, n), the solution (*, m, k) or (*, m). `residuals` are empty unless n > m, A has
    full rank, and the driver is not "gelsy", the default. `singular_values` are returned by "gelsd" and "gelss", `rank`
    by all drivers but "gels". Singular values below `rcond` (by default the precision times the larger dimension) times
    the largest count as 0. Solution and residuals have gradients. RuntimeError for shapes that do not match.

    >>> import rushlight as torch
    >>> torch.linalg.lstsq(torch.tensor([[1.0], [1.0]]), torch.tensor([[1.0], [3.0]])).solution.round()
    tensor([[2.]])
    """
    check_tensors("linalg_lstsq", A=A, B=B)
    a, b = A._array, B._array
    check_matrix("torch.linalg.lstsq", A, "input")
    if b.ndim == 0:
        raise RuntimeError("torch.linalg.lstsq: other must have at least 1 dimension.")
    driver = driver or "gelsy"
    if driver not in DRIVERS:
        raise RuntimeError("torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)")
    if a.dtype != b.dtype:
        raise RuntimeError(
            "torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's dtype "
            f"{type_name(a)} and other's dtype {type_name(b)}"
        )
    check_floating("torch.linalg.lstsq", A)
    if not 0 <= a.ndim - b.ndim <= 1:
        raise RuntimeError(
            "torch.linalg.lstsq: input.dim() must be greater or equal to other.dim() and "
            "(input.dim() - other.dim()) <= 1"
        )
    vector = b.ndim == 1 or (a.ndim - 1 == b.ndim and b.shape == a.shape[:-1])
    if vector:
        B = B.unsqueeze(-1)
    if a.shape[-2] != B._array.shape[-2]:
        raise RuntimeError(f"torch.linalg.lstsq: input.size(-2) should match other.size({-1 if vector else -2})")
    rcond = np.finfo(a.dtype).eps * max(a.shape[-2:]) if rcond is None else rcond
    solution, *others = _lstsq(A, B, float(rcond), driver)
    return return_types.linalg_lstsq((solution.squeeze(-1) if vector else solution, *others))
