"""The singular value decomposition, singular values, ranks and pseudo-inverses."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight import return_types
from rushlight.core.aliases import Array
from rushlight.core.arrays import is_array
from rushlight.core.batched import grown
from rushlight.core.batching import by, leading
from rushlight.core.graph import TensorBase
from rushlight.core.guards import asking
from rushlight.core.kinds import is_half, kind_of
from rushlight.core.recording import recording
from rushlight.kernels import spectra
from rushlight.kernels.products import times
from rushlight.kernels.reductions import total
from rushlight.linalg import decomposed
from rushlight.linalg.calls import check_floating, check_matrix, check_square, failure, linalg
from rushlight.linalg.pieces import adjoint, diagonal_matrix, diagonal_part, gaps, identity_like, quotient, skew
from rushlight.ops.arguments.mismatch import type_name
from rushlight.ops.table import operator
from rushlight.tensors import Tensor

__all__ = ["matrix_rank", "pinv", "svd", "svdvals"]

PHASE = (
    "svd_backward: The singular vectors in the complex case are specified up to multiplication by "
    "e^{i phi}. The "
    "specified loss function depends on this phase term, making it ill-defined."
)


def svd_cotangent(grad: Array, input_shape: Any, result0: Any, result1: Any, result2: Any) -> Any:
    """The gradient of A = U S V^H.

    U ((skew(U^H gU) S + S skew(V^H gV)) / E + gS) V^H with E[i, j] = S[j]^2 - S[i]^2, plus the parts of gU and gV
    outside of the column spaces of U and V.
    """
    k = min(input_shape[-2:])
    S, gS = result1, grad[1]
    U, gU = result0[..., :, :k], grad[0][..., :, :k]
    Vh, gVh = result2[..., :k, :], grad[2][..., :k, :]
    row, column = np.expand_dims(S, -2), np.expand_dims(S, -1)
    along_U, along_V = times(adjoint(U), gU), times(Vh, adjoint(gVh))
    inner = spectra.inner(along_U, along_V, S, gS) if type(along_U) is np.ndarray else None
    if inner is None:
        of_U, of_V = skew(along_U), skew(along_V)
        inner = quotient(of_U * row + column * of_V, gaps(S * S)) + diagonal_matrix(gS)
        if is_complex(result0):
            check_phase(of_U, of_V)
            inner = inner + diagonal_part(of_U) / (2 * row)
    left = times(U, inner)
    if input_shape[-2] > k:
        outside = gU / row
        left = left + outside - times(U, times(adjoint(U), outside))
    cotangent = times(left, Vh)
    if input_shape[-1] > k:
        outside = gVh / column
        outside = outside - times(times(outside, adjoint(Vh)), Vh)
        cotangent = cotangent + times(U, outside)
    return cotangent


def is_complex(x: Any) -> Any:
    """Whether an array or tensor is complex."""
    return (x._array if isinstance(x, TensorBase) else x).dtype.kind == "c"


def check_phase(of_U: Any, of_V: Any) -> None:
    """Raises RuntimeError for gradients of a function that depends on the arbitrary phases of the singular vectors."""
    total = of_U + of_V
    array = total._array if isinstance(total, TensorBase) else total
    phases = np.diagonal(array, axis1=-2, axis2=-1).imag
    if not (np.absolute(phases) <= 1e-2).all():
        raise RuntimeError(PHASE)


def finite(input: Array) -> Array:
    """The matrices themselves; raises LinAlgError if an element is infinite or NaN."""
    if not np.isfinite(total(input)):
        spoiled = ~np.isfinite(input).all((-2, -1))
        if spoiled.any():
            text = "The algorithm failed to converge because the input matrix contained non-finite values."
            raise failure("linalg.svd", text, spoiled)
    return input


@operator(
    layout="columns",
    batch=leading,
    node="LinalgSvdBackward0",
    holomorphic=False,
    input=svd_cotangent,
    slopes={"input": "contiguous"},
)
def _svd(input: Array, full_matrices: bool) -> tuple[Array, ...]:
    return decomposed.svd(finite(input), full_matrices)


def svdvals_cotangent(grad: Array, input: Array, U: Array | None = None, Vh: Array | None = None) -> Array:
    """The gradient of A for its singular values: U gS V^H. For double backward, U and V depend on A."""
    if U is None or Vh is None or not is_array(grad):
        U, _, Vh = _svd(input, False)
    return times(U * np.expand_dims(grad, -2), Vh)


@operator(
    aten="linalg_svdvals",
    batch=leading,
    node="LinalgSvdBackward0",
    holomorphic=False,
    input=lambda grad, input: svdvals_cotangent(grad, input),
    slopes={"input": "contiguous"},
)
def _svdvals(input: Array) -> Array:
    return decomposed.svdvals(finite(input))


@operator(
    aten="linalg_svdvals",
    batch=leading,
    node="LinalgSvdBackward0",
    nondifferentiable=(1, 2),
    holomorphic=False,
    input=lambda grad, input, result1, result2: svdvals_cotangent(grad[0], input, result1, result2),
    slopes={"input": "contiguous"},
)
def _svdvals_kept(input: Array) -> tuple[Array, ...]:
    """The singular values, and the singular vectors that the backward pass needs."""
    U, S, Vh = decomposed.svd(finite(input), False)
    return S, U, Vh


def check_svd(A: Tensor) -> None:
    """Raises the errors of the decomposition."""
    check_matrix("linalg.svd", A)
    check_floating("linalg.svd", A)


@linalg
@asking
def svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> return_types.linalg_svd:
    """The singular value decomposition A = U diag(S) Vh of matrices (*, n, m); S is real and descending.

    U is (*, n, n) and Vh (*, m, m), or (*, n, k) and (*, k, m) with k = min(n, m) if `full_matrices` is False; only
    these k vectors have gradients. The gradients are undefined for equal singular values, and large for close ones.
    LinAlgError for values that are not finite; RuntimeError if a `driver` is given, which is for cuSOLVER. Formula:
    Townsend 2016, "Differentiating the singular value decomposition"; complex: Wan and Zhang 2019, arXiv:1909.02659.

    >>> import rushlight as torch
    >>> torch.linalg.svd(torch.tensor([[0.0, 2.0], [3.0, 0.0]])).S
    tensor([3., 2.])
    """
    if driver is not None:
        raise RuntimeError(
            "linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend."
        )
    check_svd(A)
    return return_types.linalg_svd(_svd(A, bool(full_matrices)))


@linalg
def svdvals(A: Tensor, *, driver: str | None = None) -> Tensor:
    """The singular values of matrices, descending. Unlike that of `svd`, their gradient always exists.

    >>> import rushlight as torch
    >>> torch.linalg.svdvals(torch.tensor([[0.0, 2.0], [3.0, 0.0]]))
    tensor([3., 2.])
    """
    if driver is not None:
        raise RuntimeError(
            "linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend."
        )
    check_svd(A)
    return _svdvals_kept(A)[0] if A.requires_grad and recording() else _svdvals(A)


def cutoff(values: Array, shape: Sequence[int], atol: Any, rtol: Array) -> Array:
    """The size up to which singular values count as 0, for matrices of a given shape."""
    if rtol is None:
        rtol = np.finfo(values.dtype).eps * max(shape) if atol is None or np.all(tolerance_column(atol) == 0) else 0
    largest = np.abs(values).max(-1, keepdims=True, initial=0)
    return np.maximum(tolerance_column(rtol) * largest, tolerance_column(0 if atol is None else atol))


def tolerance_column(value: Any) -> Array:
    """A tolerance as an array that broadcasts with the last dimension of singular values."""
    return np.expand_dims(value, -1) if is_array(value) else value


def with_tolerances(function: Callable[..., Any]) -> Callable[..., Any]:
    """Batches a function of matrices and tolerances, both of which may have batch dimensions."""

    def batched(n: int, input: Array, *args: Any) -> Array:
        return function(input, *[grown(x, n, input.ndim - n - 2) if is_array(x) else x for x in args])

    return batched


@linalg
def matrix_rank(
    A: Tensor,
    tol: Any = None,
    hermitian: bool = False,
    *,
    atol: float | Tensor | None = None,
    rtol: float | Tensor | None = None,
) -> Tensor:
    """The rank of matrices: how many singular values are larger than `max(atol, rtol * largest)`.

    `rtol` is the precision of the dtype times the larger dimension, unless `atol` (or `tol`) is given; with
    `hermitian`, absolute eigenvalues are used as singular values. Not differentiable.

    >>> import rushlight as torch
    >>> torch.linalg.matrix_rank(torch.ones(3, 3))
    tensor(1)
    """
    check_matrix("torch.linalg.matrix_rank", A, "The input tensor input")
    check_svd(A)
    if hermitian and A._array.size:
        check_square("linalg.eigh", A)
    return _matrix_rank(A, tol if atol is None else atol, rtol, bool(hermitian))


@operator(aten="linalg_matrix_rank", batch=by(with_tolerances(lambda *args: _matrix_rank.forward(*args))))
def _matrix_rank(input: Array, atol: float | Array | None, rtol: float | Array | None, hermitian: bool) -> Array:
    if input.size == 0:
        return np.zeros(input.shape[:-2], np.int64)
    values = np.abs(np.linalg.eigvalsh(input)) if hermitian else decomposed.svdvals(finite(input))
    return np.asarray(np.add.reduce(values > cutoff(values, input.shape[-2:], atol, rtol), -1, dtype=np.int64))


def pinv_cotangent(grad: Array, input: Array, result: Array) -> Array:
    """The gradient of A in its pseudo-inverse P."""
    H, G = adjoint(result), adjoint(grad)
    rows = identity_like(adjoint(input)) - times(input, result)
    columns = identity_like(input) - times(result, input)
    within = -times(times(H, grad), H)
    outside = times(times(rows, G), times(result, H)) + times(times(H, result), times(G, columns))
    return within + outside


@operator(
    aten="linalg_pinv",
    node="LinalgPinvBackward0",
    holomorphic=False,
    batch=by(with_tolerances(lambda *args: _pinv.forward(*args))),
    input=pinv_cotangent,
    slopes={"input": "columns"},
)
def _pinv(input: Array, atol: float | Array | None, rtol: float | Array | None, hermitian: bool) -> Array:
    if hermitian and input.size:
        values, vectors = np.linalg.eigh(input)
        left, right = vectors, vectors
    else:
        left, values, right = decomposed.svd(finite(input), False)
        right = right.mT.conj()
    limit = cutoff(values, input.shape[-2:], atol, rtol)
    inverse = np.where(np.abs(values) > limit, 1 / values, 0).astype(values.dtype)
    return times(right * np.expand_dims(inverse, -2), left.mT.conj())


@linalg
def pinv(
    A: Tensor,
    rcond: float | None = None,
    hermitian: bool = False,
    *,
    atol: float | Tensor | None = None,
    rtol: float | Tensor | None = None,
) -> Tensor:
    """The Moore-Penrose pseudo-inverse of matrices (*, n, m): (*, m, n).

    Singular values up to `max(atol, rtol * largest)` count as 0; `rtol` (or `rcond`) is the precision of the dtype
    times the larger dimension, unless `atol` is given. The gradient treats the rank as constant. Formula: Golub and
    Pereyra 1973, "The differentiation of pseudo-inverses and nonlinear least squares problems", 4.12.

    >>> import rushlight as torch
    >>> torch.linalg.pinv(torch.tensor([[2.0], [0.0]]))
    tensor([[0.5000, 0.0000]])
    """
    array = A._array
    if array.ndim < 2 or kind_of(array.dtype) not in "fc" or is_half(array.dtype):
        raise RuntimeError(
            f"linalg.pinv({type_name(array)}{{{list(array.shape)}}}): expected a tensor with 2 or more "
            "dimensions of "
            "float, double, cfloat or cdouble types"
        )
    if not array.size:
        return _pinv(A, None, None, False)
    if hermitian:
        check_square("linalg.eigh", A)
    return _pinv(A, atol, rcond if rtol is None else rtol, bool(hermitian))
