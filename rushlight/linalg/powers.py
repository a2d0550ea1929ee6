"""Powers and exponentials of square matrices."""

from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batching import leading
from rushlight.linalg.calls import check_floating, check_square, linalg
from rushlight.linalg.exponentials import derivative, exponential
from rushlight.linalg.solving import inv
from rushlight.ops.table import method, operator
from rushlight.tensors import Tensor

__all__ = ["matrix_exp", "matrix_power"]


@operator(aten=(), batch=leading, input=lambda grad: np.zeros_like(grad))
def _power_0(input: Array) -> Array:
    """Identity matrices; as in PyTorch, the constant result is part of the input's graph."""
    return np.broadcast_to(np.eye(input.shape[-1], dtype=input.dtype, like=input), input.shape).copy()


@method
@linalg
def matrix_power(A: Tensor, n: int) -> Tensor:
    """The n-th power of square matrices, by repeated squaring; for a negative n that of the inverse.

    RuntimeError for matrices that are not square, LinAlgError for singular ones with a negative n.

    >>> import rushlight as torch
    >>> torch.linalg.matrix_power(torch.tensor([[1, 1], [0, 1]]), 5)
    tensor([[1, 5],
            [0, 1]])
    """
    check_square("linalg.matrix_power", A)
    if n == 0:
        return _power_0(A)
    if n == 1:
        return A.clone()
    if n == 3:
        return A @ A @ A
    return by_squares(A, n) if n > 0 else matrix_power(inv(A), -n)


def by_squares(A: Tensor, n: int) -> Any:
    """The n-th power of square matrices, n > 1, as the product of some of A, A^2, A^4, ..."""
    square, result = A, A if n % 2 else None
    while n := n // 2:
        square = square @ square
        if n % 2:
            result = square if result is None else result @ square
    return result


def exp_cotangent(grad: Array, input: Array) -> Any:
    """The gradient of A in exp(A): the derivative at A^T along the cotangent.

    For double backward it is the upper right block of the exponential of [[A^T, grad], [0, A^T]].
    """
    n, transposed = input.shape[-1], input.mT
    if type(grad) is type(input) is np.ndarray:
        return derivative(transposed, grad)
    above = np.concatenate([transposed, grad], -1)
    below = np.concatenate([np.zeros_like(grad), transposed], -1)
    return _matrix_exp(np.concatenate([above, below], -2))[..., :n, n:]


@operator(batch=leading, node="LinalgMatrixExpBackward0", input=exp_cotangent)
def _matrix_exp(input: Array) -> Array:
    wide = input.astype(np.float32) if input.dtype.itemsize < 4 else input
    return exponential(wide).astype(input.dtype, copy=False)


@method
@linalg
def matrix_exp(A: Tensor) -> Tensor:
    """The exponential of square matrices, I + A + A^2 / 2 + ...

    RuntimeError for matrices that are not square and for integers. Derivative: Mathias 1996, "A chain rule for matrix
    functions".

    >>> import rushlight as torch
    >>> torch.linalg.matrix_exp(torch.tensor([[0.0, 1.0], [0.0, 0.0]]))
    tensor([[1., 1.],
            [0., 1.]])
    """
    check_square("linalg.matrix_exp", A)
    check_floating("linalg.matrix_exp", A, halves=True)
    return _matrix_exp(A)
