"""Determinants and their logarithms."""

import math

import numpy as np

from rushlight import return_types
from rushlight.core.batching import leading
from rushlight.linalg.calls import check_floating, check_square, linalg
from rushlight.linalg.pieces import adjoint
from rushlight.linalg.solving import _inv
from rushlight.ops.selection import where
from rushlight.ops.table import method, operator
from rushlight.tensors import Tensor

__all__ = ["det", "logdet", "slogdet"]


def as_matrices(x):
    """Numbers, one for each matrix of a batch, as matrices of one element."""
    return np.expand_dims(x, (-2, -1))


@operator(
    batch=leading,
    node="LinalgDetBackward0",
    input=lambda grad, input: as_matrices(grad) * _cofactors(input),
)
def _det(input):
    return np.linalg.det(input)


def cofactors_cotangent(grad, input):
    """The cotangent of A in det(A) A^-T, for an A that is not singular."""
    inverse = _inv(input).mT
    trace = np.add.reduce(grad * inverse, axis=(-2, -1), keepdims=True)
    return as_matrices(_det(input)) * (trace * inverse - np.matmul(np.matmul(inverse, grad.mT), inverse))


@operator(batch=leading, input=cofactors_cotangent)
def _cofactors(input):
    """The derivative of the determinant: det(A) A^-T, which singular matrices have too.

    With A = U S V^H it is det(U) det(V^H) conj(U) C conj(V)^H, where C has the product of all other singular values
    in the place of each.
    """
    determinant = as_matrices(np.linalg.det(input))
    if np.all(determinant != 0):
        return determinant * np.linalg.inv(input).mT
    u, s, vh = np.linalg.svd(input)
    ones = np.ones_like(s[..., :1])
    before = np.multiply.accumulate(np.concatenate([ones, s[..., :-1]], -1), -1)
    after = np.multiply.accumulate(np.concatenate([ones, s[..., :0:-1]], -1), -1)[..., ::-1]
    phase = as_matrices(np.linalg.det(u) * np.linalg.det(vh))
    return phase * np.matmul(u.conj() * np.expand_dims(before * after, -2), vh.conj())


@method
@linalg
def det(A: Tensor) -> Tensor:
    """The determinant of square matrices.

    Its gradient is that of singular matrices too (the cofactors); second derivatives need an inverse. RuntimeError
    for matrices that are not square and for integers. Formula: Giles 2008, "An extended collection of matrix
    derivative results for forward and reverse mode algorithmic differentiation", 2.2.4.

    >>> import rushlight as torch
    >>> torch.linalg.det(torch.tensor([[2.0, 1.0], [0.0, 3.0]]))
    tensor(6.)
    """
    check_square("linalg.det", A)
    check_floating("linalg.det", A)
    return _det(A)


def slogdet_cotangent(grad, input, result0):
    """The cotangent of A: that of log det A, a + ib, times A^-H; the phase b is that of the sign."""
    weight = grad[1]
    if input.dtype.kind == "c" if isinstance(input, np.ndarray) else input.is_complex():
        weight = weight - 1j * np.imag(np.conjugate(grad[0]) * result0)
    return as_matrices(weight) * adjoint(_inv(input))


@operator(batch=leading, node="LinalgSlogdetBackward0", holomorphic=False, input=slogdet_cotangent)
def _slogdet(input):
    return tuple(np.linalg.slogdet(input))


@method
@linalg
def slogdet(A: Tensor) -> return_types.linalg_slogdet:
    """The sign (for complex matrices, the phase) of the determinant and the logarithm of its absolute value.

    Both without overflow; 0 and -inf for a singular matrix. RuntimeError for matrices that are not square and for
    integers.

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
    """The logarithm of the determinant of square matrices: -inf for a singular one, nan for a negative determinant.

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
