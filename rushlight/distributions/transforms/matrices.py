"""Transforms to Cholesky factors and positive definite matrices."""

import math
from collections.abc import Sequence
from typing import Any

import rushlight as torch
from rushlight.distributions import constraints
from rushlight.distributions.transforms.base import PlainTransform, require_dims
from rushlight.distributions.utils import tril_matrix_to_vec, vec_to_tril_matrix
from rushlight.nn.functional import pad, softplus
from rushlight.size import Size
from rushlight.tensors import Tensor


class LowerCholeskyTransform(PlainTransform):
    """Keeps the lower triangle of a matrix, with the exponential of its diagonal.

    >>> import rushlight as torch
    >>> torch.distributions.LowerCholeskyTransform()(torch.tensor([[0.0, 9.0], [2.0, 0.0]]))
    tensor([[1., 0.],
            [2., 1.]])
    """

    domain: constraints.Constraint = constraints.independent(constraints.real, 2)
    codomain: constraints.Constraint = constraints.lower_cholesky

    def _call(self, x: Tensor) -> Tensor:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(PlainTransform):
    """L Lᵀ, where L is the result of `LowerCholeskyTransform`.

    >>> import rushlight as torch
    >>> torch.distributions.PositiveDefiniteTransform()(torch.tensor([[0.0, 9.0], [2.0, 0.0]]))
    tensor([[1., 2.],
            [2., 5.]])
    """

    domain: constraints.Constraint = constraints.independent(constraints.real, 2)
    codomain: constraints.Constraint = constraints.positive_definite

    def _call(self, x: Tensor) -> Tensor:
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y: Tensor) -> Tensor:
        return LowerCholeskyTransform().inv(torch.linalg.cholesky(y))


class CorrCholeskyTransform(PlainTransform):
    """A bijection between D (D - 1) / 2 numbers and the Cholesky factors of D x D correlation matrices.

    Each row is a point on a half sphere, computed by signed stick breaking of tanh(x) (Stan's reference manual,
    "Cholesky factors of correlation matrices").

    >>> import rushlight as torch
    >>> torch.distributions.CorrCholeskyTransform()(torch.tensor([0.5]))
    tensor([[1.0000, 0.0000],
            [0.4621, 0.8868]])
    """

    domain: constraints.Constraint = constraints.real_vector
    codomain: constraints.Constraint = constraints.corr_cholesky
    bijective: bool = True

    def _call(self, x: Tensor) -> Tensor:
        eps = torch.finfo(x.dtype).eps
        parts = vec_to_tril_matrix(torch.tanh(x).clamp(min=-1 + eps, max=1 - eps), diag=-1)
        left = (1 - parts**2).sqrt().cumprod(-1)
        parts = parts + torch.eye(parts.shape[-1], dtype=parts.dtype)
        return parts * pad(left[..., :-1], (1, 0), value=1)

    def _inverse(self, y: Tensor) -> Tensor:
        left = 1 - torch.cumsum(y * y, dim=-1)
        left = tril_matrix_to_vec(pad(left[..., :-1], (1, 0), value=1), diag=-1)
        t = tril_matrix_to_vec(y, diag=-1) / left.sqrt()
        return (t.log1p() - t.neg().log1p()) / 2  # more accurate than atanh

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor, intermediates: Any = None) -> Tensor:
        left = tril_matrix_to_vec(1 - (y * y).cumsum(dim=-1), diag=-2)
        slope = -2 * (x + softplus(-2 * x) - math.log(2.0)).sum(dim=-1)  # of tanh
        return 0.5 * left.log().sum(-1) + slope

    def forward_shape(self, shape: Sequence[int]) -> Size:
        require_dims(shape, 1)
        n = shape[-1]
        d = round((0.25 + 2 * n) ** 0.5 + 0.5)
        if d * (d - 1) // 2 != n:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return Size((*shape[:-1], d, d))

    def inverse_shape(self, shape: Sequence[int]) -> Size:
        require_dims(shape, 2)
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        d = shape[-1]
        return Size((*shape[:-2], d * (d - 1) // 2))
