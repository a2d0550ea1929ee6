"""The QR decomposition, and products with Householder reflections."""

from typing import Any, Literal

import numpy as np

from rushlight import return_types
from rushlight.core.aliases import Array
from rushlight.core.batching import leading
from rushlight.core.graph import new_tensor
from rushlight.core.guards import asking
from rushlight.core.kinds import is_half
from rushlight.kernels.lapack import computed
from rushlight.kernels.products import times
from rushlight.kernels.triangles import mirrored
from rushlight.linalg.calls import check_batch, check_floating, check_matrix, linalg, other_ndim
from rushlight.linalg.pieces import _in_columns, adjoint, of_matrices
from rushlight.linalg.solving import _solve_triangular
from rushlight.ops.arguments.dims import size_of
from rushlight.ops.arguments.mismatch import check_tensors, type_name
from rushlight.ops.arguments.promotion import missing
from rushlight.ops.elementwise.selection import where
from rushlight.ops.table import operator
from rushlight.tensors import Tensor

__all__ = ["householder_product", "qr"]


def qr_cotangent(grad: Array, input: Array, mode: str, result0: Any, result1: Any) -> Any:
    """The gradient of A = Q R. For a wide A, only its square part A1 = Q R1 is decomposed, and R is [R1, Q^H A2]."""
    gQ, gR = grad
    n, m = input.shape[-2:]
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use "
            "linalg.qr(A, "
            "mode='reduced') if you are going to differentiate through linalg.qr."
        )
    if n > m and mode == "complete":
        raise RuntimeError("The QR decomposition is not differentiable when mode='complete' and nrows > ncols.")
    if n >= m:
        return tall_qr_cotangent(gQ, gR, result0, result1)
    gQ = gQ + times(input[..., :, n:], adjoint(gR[..., :, n:]))
    square = tall_qr_cotangent(gQ, gR[..., :, :n], result0, result1[..., :, :n])
    return np.concatenate([square, times(result0, gR[..., :, n:])], -1)


def tall_qr_cotangent(gQ: Any, gR: Any, Q: Any, R: Any) -> Any:
    """The gradient of A = Q R with a square R: (gQ + Q (M + M^H)) R^-H, M the upper part of R gR^H - gQ^H Q."""
    product = times(gR, adjoint(R)) - times(adjoint(Q), gQ)
    total = gQ + times(Q, mirrored(product, False))
    return adjoint(_solve_triangular(R, adjoint(total), True, False))


@operator(
    layout="columns",
    batch=leading,
    node="LinalgQrBackward0",
    holomorphic=False,
    input=qr_cotangent,
    slopes={"input": "tall columns"},
)
def _qr(input: Array, mode: Literal["reduced", "complete", "r"]) -> tuple[Array, ...]:
    if mode == "r":
        return np.empty(0, input.dtype, like=input), np.linalg.qr(input, "r")
    found = computed("qr", input, mode == "complete")
    return of_matrices(lambda part: tuple(np.linalg.qr(part, mode)), input) if found is None else found


@linalg
@asking
def qr(A: Tensor, mode: str = "reduced") -> return_types.linalg_qr:
    """The decomposition A = Q R of matrices (*, n, m): Q has orthonormal columns, R is upper triangular.

    Q is (*, n, k) and R (*, k, m), k = min(n, m); with mode "complete", Q is (*, n, n) and R (*, n, m); with mode "r",
    Q is an empty tensor. Differentiable with mode "reduced" if the first k columns are linearly independent, and with
    "complete" if n <= m. RuntimeError for another mode. Formula: Walter and Lehmann 2018, "Algorithmic differentiation
    of linear algebra functions", 3.2; wide matrices: Liao et al. 2019, arXiv:1903.09650.

    >>> import rushlight as torch
    >>> torch.linalg.qr(torch.tensor([[3.0], [4.0]])).R.abs()
    tensor([[5.]])
    """
    check_matrix("linalg.qr", A)
    check_floating("linalg.qr", A, halves=True)
    if is_half(A._array.dtype):
        raise missing("geqrf_cpu", A._array.dtype)
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )
    return return_types.linalg_qr(_qr(A, mode))


def reflected(A: Tensor, tau: Tensor, C: Tensor, order: Any) -> Tensor:
    """C multiplied from the left by reflections I - tau v v^H, in the given order; v is below the diagonal of A."""
    n, k = A._array.shape[-2], tau._array.shape[-1]
    vectors = A.narrow(-1, 0, k).tril(-1) + new_tensor(np.eye(n, k, dtype=A._array.dtype))
    for i in order:
        v = vectors.narrow(-1, i, 1)
        C = C - tau.narrow(-1, i, 1).unsqueeze(-1) * (v @ (v.mH @ C))
    return C


@linalg
def householder_product(A: Tensor, tau: Tensor) -> Tensor:
    """The first columns of a product of reflections I - tau[i] v[i] v[i]^H: the Q of a QR decomposition.

    v[i] is column i of A (*, n, m) below the diagonal, with 1 on the diagonal; `tau` is (*, k). `torch.geqrf` returns
    both. The result is (*, n, m). RuntimeError for m > n or k > m.

    >>> import rushlight as torch
    >>> torch.linalg.householder_product(torch.zeros(2, 1), torch.tensor([2.0]))
    tensor([[-1.],
            [ 0.]])
    """
    name = "torch.linalg.householder_product"
    check_tensors("linalg_householder_product", A=A, tau=tau)
    check_matrix(name, A, "input")
    n, m = A._array.shape[-2:]
    if n < m:
        raise RuntimeError(f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1]")
    if m < size_of(tau._array.shape, -1):
        raise RuntimeError(f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]")
    if A._array.ndim - tau._array.ndim != 1:
        raise RuntimeError(other_ndim(name, A, "tau", tau))
    check_batch(name, "tau", tau._array.shape[:-1], A._array.shape[:-2])
    if A._array.dtype != tau._array.dtype:
        raise RuntimeError(
            f"{name}: tau dtype {type_name(tau._array)} does not match input dtype {type_name(A._array)}"
        )
    columns = new_tensor(np.broadcast_to(np.eye(n, m, dtype=A._array.dtype), A._array.shape).copy())
    if not tau._array.size:
        columns = where(new_tensor(np.zeros(A._array.shape, bool)), A, columns)  # nothing of A, with its history
    return _in_columns(reflected(A, tau, columns, reversed(range(tau._array.shape[-1]))))
