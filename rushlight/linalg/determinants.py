"""Determinants and their logarithms."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight import return_types
from rushlight.core.aliases import Array
from rushlight.core.batching import leading
from rushlight.core.graph import TensorBase
from rushlight.kernels.elimination import determinant, is_spoiled, log_determinant, regular_cofactors
from rushlight.kernels.products import times
from rushlight.linalg.calls import check_floating, check_square, linalg
from rushlight.linalg.pieces import adjoint
from rushlight.linalg.solving import _inv
from rushlight.ops.elementwise.selection import where
from rushlight.ops.table import method, operator
from rushlight.tensors import Tensor

__all__ = ["det", "logdet", "slogdet"]


def as_matrices(x: Array) -> Array:
    """Reshapes numbers (*) to matrices (*, 1, 1)."""
    return np.expand_dims(x, (-2, -1))


@operator(
    saved_as={"input": "A"},
    batch=leading,
    node="LinalgDetBackward0",
    input=lambda grad, input: as_matrices(grad) * _cofactors(input),
    slopes={"input": "columns"},
)
def _det(input: Array) -> Array:
    return determinant(input)


def factors(input: Array) -> Any:
    """From the SVD A = U S V^H: conj(U), S, conj(V)^H, and the phase det(U) det(V^H)."""
    u, s, vh = np.linalg.svd(input)
    return u.conj(), s, vh.conj(), as_matrices(np.linalg.det(u) * np.linalg.det(vh))


@operator(aten=(), batch=leading, input=lambda grad, input: _minors(grad, input))
def _cofactors(input: Array) -> Array:
    """The derivative of the determinant, det(A) A^-T, which also exists for singular matrices.

    With A = U S V^H it is det(U) det(V^H) conj(U) C conj(V)^H, where the diagonal matrix C has, for each singular
    value, the product of all others.
    """
    cofactors = regular_cofactors(input)
    if cofactors is not None:
        return cofactors
    u, s, vh, phase = factors(input)
    ones = np.ones_like(s[..., :1])
    before = np.multiply.accumulate(np.concatenate([ones, s[..., :-1]], -1), -1)
    after = np.multiply.accumulate(np.concatenate([ones, s[..., :0:-1]], -1), -1)[..., ::-1]
    return phase * times(u * np.expand_dims(before * after, -2), vh)


def minors_cotangent(grad: Array, direction: Any, input: Array) -> Any:
    """The third derivative of the determinant along two directions, for nonsingular matrices."""
    inverse = _inv(input)
    first, second = times(inverse, direction), times(inverse, grad)
    of_first, of_second = trace(first), trace(second)
    both, turned = times(first, second), times(second, first)
    parts = both + turned - of_first * second - of_second * first
    whole = of_first * of_second - trace(both)
    return as_matrices(_det(input)) * (times(parts, inverse) + whole * inverse).mT


def trace(x: Array) -> Any:
    """The traces of matrices, of shape (*, 1, 1)."""
    return np.expand_dims(np.add.reduce(np.diagonal(x, 0, -2, -1), axis=-1), (-2, -1))


@operator(batch=leading, direction=lambda grad, input: _minors(grad, input), input=minors_cotangent)
def _minors(direction: Array, input: Array) -> Array:
    """The second derivative of the determinant along a direction, which also exists for singular matrices.

    With A = U S V^H, and both directions E' transformed to E = conj(U)^T E' V, it is the sum over i and j of e_ii f_jj
    - e_ij f_ji times the product of all singular values but the i-th and j-th.
    """
    u, s, vh, phase = factors(input)
    zero = s == 0
    safe = np.where(zero, 1, s)
    zeros = np.add.reduce(zero, -1, keepdims=True)[..., None] - zero[..., None] - zero[..., None, :]
    others = np.multiply.reduce(safe, -1, keepdims=True)[..., None] / (safe[..., None] * safe[..., None, :])
    others = np.where((zeros == 0) & ~np.eye(s.shape[-1], dtype=bool), others, 0)
    along = times(times(np.swapaxes(u, -1, -2), direction), np.swapaxes(vh, -1, -2))
    diagonal = times(others, np.diagonal(along, 0, -2, -1)[..., None])
    inner = diagonal * np.eye(s.shape[-1]) - np.swapaxes(others * along, -1, -2)
    return phase * times(times(u, inner), vh)


@method
@linalg
def det(A: Tensor) -> Tensor:
    """The determinant of square matrices.

    Its first and second derivatives are also right for singular matrices; third ones need an inverse. RuntimeError for
    matrices that are not square and for integers. Formula: Giles 2008, "An extended collection of matrix derivative
    results for forward and reverse mode algorithmic differentiation", 2.2.4.

    >>> import rushlight as torch
    >>> torch.linalg.det(torch.tensor([[2.0, 1.0], [0.0, 3.0]]))
    tensor(6.)
    """
    check_square("linalg.det", A)
    check_floating("linalg.det", A)
    return _det(A)


def slogdet_cotangent(grad: Sequence[Array], input: Any, result0: Array) -> Array:
    """The gradient of A: A^-H times a + ib, where a is the gradient of log |det A| and b that of the sign's phase."""
    weight = grad[1]
    if input.is_complex() if isinstance(input, TensorBase) else input.dtype.kind == "c":
        weight = weight - 1j * np.imag(np.conjugate(grad[0]) * result0)
    return as_matrices(weight) * adjoint(_inv(input))


@operator(
    batch=leading,
    node="LinalgSlogdetBackward0",
    holomorphic=False,
    input=slogdet_cotangent,
    slopes={"input": "columns"},
)
def _slogdet(input: Array) -> tuple[Array, ...]:
    sign, logarithm = log_determinant(input)
    if not np.all(sign):
        spoiled = is_spoiled(input, sign)
        logarithm = np.where(spoiled, np.nan, logarithm).astype(logarithm.dtype)
        if input.dtype.kind == "c":
            sign = np.where(spoiled, sign * np.nan, sign)
    return sign, logarithm


@linalg
def slogdet(A: Tensor) -> return_types.linalg_slogdet:
    """The sign (for complex matrices, the phase) of the determinant, and the logarithm of its absolute value.

    Both are computed without overflow; 0 and -inf for a singular matrix. RuntimeError for matrices that are not square
    and for integers.

    >>> import rushlight as torch
    >>> torch.linalg.slogdet(torch.eye(2))
    torch.return_types.linalg_slogdet(
    sign=tensor(1.),
    logabsdet=tensor(0.))
    """
    check_square("linalg.slogdet", A)
    check_floating("linalg.slogdet", A)
    return return_types.linalg_slogdet(_slogdet(A))


@method
@linalg
def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant of square matrices: -inf for a singular one, NaN for a negative determinant.

    >>> import rushlight as torch
    >>> torch.logdet(torch.eye(2))
    tensor(0.)
    """
    check_square("logdet", input)
    check_floating("logdet", input)
    sign, logarithm = _slogdet(input)
    if input.is_complex():
        return logarithm + sign.log()
    return where(sign == -1, math.nan, logarithm)
