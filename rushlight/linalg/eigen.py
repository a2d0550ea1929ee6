"""Eigenvalues and eigenvectors, of Hermitian and of general matrices."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from rushlight import return_types
from rushlight.core.aliases import Array
from rushlight.core.arrays import is_array
from rushlight.core.batching import leading
from rushlight.core.graph import TensorBase
from rushlight.core.kinds import is_half, kind_of
from rushlight.core.recording import recording
from rushlight.kernels import spectra
from rushlight.kernels.lapack import computed
from rushlight.kernels.products import times
from rushlight.linalg.calls import check_floating, check_square, linalg
from rushlight.linalg.pieces import adjoint, diagonal_matrix, diagonal_part, gaps, quotient, skew
from rushlight.linalg.solving import _solve
from rushlight.ops.arguments.mismatch import type_name
from rushlight.ops.table import operator
from rushlight.tensors import Tensor

__all__ = ["eig", "eigh", "eigvals", "eigvalsh"]

PHASE = (
    "{}: The eigenvectors in the complex case are specified up to multiplication by e^{{i phi}}. The "
    "specified loss "
    "function depends on this quantity, so it is ill-defined."
)


def check_phase(product: Any, name: str) -> None:
    """Raises RuntimeError for gradients of a function that depends on the arbitrary phases of the eigenvectors."""
    array = product._array if isinstance(product, TensorBase) else product
    if not (np.absolute(np.diagonal(array, axis1=-2, axis2=-1).imag) <= 1e-2).all():
        raise RuntimeError(PHASE.format(name))


def eigh_cotangent(grad: Array, result0: Any, result1: Any) -> Any:
    """The gradient of A = V L V^H: V (diag(gL) + skew(V^H gV) / 2 / E) V^H, E[i, j] = L[j] - L[i]."""
    L, V = result0, result1
    if grad[1] is None:
        return of_values(grad[0], V)
    product = times(adjoint(V), grad[1])
    of_L = np.zeros_like(L) if grad[0] is None else grad[0]
    inner = spectra.inner(product, None, L, of_L) if type(product) is np.ndarray else None
    if inner is None:
        check_phase(product, "linalg_eigh_backward")
        turns = skew(product) / 2
        inner = quotient(turns - diagonal_part(turns), gaps(L)) + diagonal_matrix(of_L)
    return times(times(V, inner), adjoint(V))


def of_values(grad: Array, V: Any) -> Any:
    """The gradient of A for its eigenvalues: V gL V^H."""
    return times(V * np.expand_dims(grad, -2), adjoint(V))


@operator(
    aten="linalg_eigh",
    layout="columns",
    batch=leading,
    node="LinalgEighBackward0",
    holomorphic=False,
    input=eigh_cotangent,
    slopes={"input": "contiguous"},
    takes_none=True,
)
def _eigh(input: Array, UPLO: Literal["L", "U"]) -> tuple[Array, ...]:
    found = computed("eigh", input, UPLO == "U", True)
    return tuple(np.linalg.eigh(input, UPLO)) if found is None else found


def eigvalsh_cotangent(grad: Array, input: Array, UPLO: str, V: Array | None = None) -> Array:
    """The gradient of A for its eigenvalues: V gL V^H. For double backward, V is computed as a function of A."""
    if V is None or not is_array(grad):
        V = _eigh(input, UPLO)[1]
    return of_values(grad, V)


@operator(
    aten="linalg_eigvalsh",
    batch=leading,
    node="LinalgEighBackward0",
    holomorphic=False,
    input=lambda grad, input, UPLO: eigvalsh_cotangent(grad, input, UPLO),
    slopes={"input": "contiguous"},
)
def _eigvalsh(input: Array, UPLO: Literal["L", "U"]) -> Array:
    found = computed("eigh", input, UPLO == "U", False)
    return np.linalg.eigvalsh(input, UPLO) if found is None else found[0]


@operator(
    aten="linalg_eigvalsh",
    batch=leading,
    node="LinalgEighBackward0",
    nondifferentiable=(1,),
    holomorphic=False,
    input=lambda grad, input, UPLO, result1: eigvalsh_cotangent(grad[0], input, UPLO, result1),
    slopes={"input": "contiguous"},
)
def _eigvalsh_kept(input: Array, UPLO: Literal["L", "U"]) -> tuple[Array, ...]:
    """The eigenvalues, and the eigenvectors that the backward pass needs."""
    return _eigh.forward(input, UPLO)


def eig_cotangent(grad: Sequence[Array], result0: Array, result1: Array) -> Array:
    """The gradient of A = V L V^-1, where the columns of V have norm 1.

    V^-H (diag(gL) + (V^H gV - V^H V diag(Re(V^H gV))) / E) V^H, E[i, j] = conj(L[j] - L[i]).
    """
    L, V = result0, result1
    if grad[1] is None:
        return _solve(adjoint(V), np.expand_dims(grad[0], -1) * adjoint(V))
    product = times(adjoint(V), grad[1])
    check_phase(product, "linalg_eig_backward")
    lengths = times(adjoint(V), V * np.expand_dims(np.add.reduce(np.real(diagonal_part(product)), -2), -2))
    inner = product - lengths
    inner = quotient(inner - diagonal_part(inner), np.conjugate(gaps(L)))
    if grad[0] is not None:
        inner = inner + diagonal_matrix(grad[0])
    return _solve(adjoint(V), times(inner, adjoint(V)))


def complex_type(dtype: np.dtype) -> np.dtype:
    """The complex dtype of the same precision as a real one."""
    return np.result_type(dtype, np.complex64)


@operator(
    aten="linalg_eig",
    layout="columns",
    batch=leading,
    node="LinalgEigBackward0",
    holomorphic=False,
    input=eig_cotangent,
    slopes={"input": "as computed"},
    takes_none=True,
)
def _eig(input: Array) -> tuple[Array, ...]:
    if (found := computed("eig", input)) is not None:
        return found
    return tuple(x.astype(complex_type(input.dtype), copy=False) for x in np.linalg.eig(input))


@linalg
def eigh(A: Tensor, UPLO: str = "L") -> return_types.linalg_eigh:
    """The eigenvalues, ascending, and orthonormal eigenvectors (columns) of Hermitian matrices.

    Only the lower triangle of A is read, or the upper one with `UPLO="U"`. The gradient of the eigenvectors is
    undefined for equal eigenvalues; RuntimeError for that of a function that depends on their arbitrary phases.
    Formula: Giles 2008, 3.1.

    >>> import rushlight as torch
    >>> torch.linalg.eigh(torch.tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
    tensor([1., 2.])
    """
    check_eigh(A, UPLO)
    return return_types.linalg_eigh(_eigh(A, UPLO.upper()))


@linalg
def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """The eigenvalues, ascending, of Hermitian matrices. Unlike that of `eigh`, their gradient always exists.

    >>> import rushlight as torch
    >>> torch.linalg.eigvalsh(torch.tensor([[2.0, 0.0], [0.0, 1.0]]))
    tensor([1., 2.])
    """
    check_eigh(A, UPLO)
    return _eigvalsh_kept(A, UPLO.upper())[0] if A.requires_grad and recording() else _eigvalsh(A, UPLO.upper())


def check_eigh(A: Tensor, UPLO: str) -> None:
    """Raises the errors of the decomposition."""
    check_square("linalg.eigh", A)
    if kind_of(A._array.dtype) not in "fc" or is_half(A._array.dtype):
        raise NotImplementedError(f"\"linalg_eigh_cpu\" not implemented for '{type_name(A._array)}'")
    if UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")


@linalg
def eig(A: Tensor) -> return_types.linalg_eig:
    """The eigenvalues and eigenvectors (columns of norm 1) of square matrices, always complex, in no particular order.

    Differentiable if the eigenvalues differ. RuntimeError for a function that depends on the arbitrary phases of the
    eigenvectors, and for values that are not finite. Formula: Boeddeker et al. 2017, "On the computation of
    complex-valued gradients with application to statistically optimum beamforming", 4.

    >>> import rushlight as torch
    >>> torch.linalg.eig(torch.tensor([[0.0, -1.0], [1.0, 0.0]])).eigenvalues.imag.abs()
    tensor([1., 1.])
    """
    check_eig(A, "linalg.eig")
    return return_types.linalg_eig(_eig(A))


@linalg
def eigvals(A: Tensor) -> Tensor:
    """The eigenvalues of square matrices, always complex, in no particular order.

    >>> import rushlight as torch
    >>> torch.linalg.eigvals(torch.tensor([[0.0, -1.0], [1.0, 0.0]])).imag.abs()
    tensor([1., 1.])
    """
    check_eig(A, "linalg.eig" if A.requires_grad else "linalg.eigvals")
    return _eig(A)[0]


def check_eig(A: Tensor, name: str) -> None:
    """Raises the errors of the decomposition."""
    check_square(name, A)
    check_floating(name, A)
    if not np.isfinite(A._array).all():
        raise RuntimeError("torch.linalg.eig: input tensor should not contain infs or NaNs.")
