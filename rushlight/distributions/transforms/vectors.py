"""Transforms of vectors to vectors that sum to 1."""

from collections.abc import Sequence

import rushlight as torch
from rushlight.distributions import constraints
from rushlight.distributions.transforms.base import PlainTransform, require_dims
from rushlight.distributions.transforms.elementwise import clipped_sigmoid
from rushlight.nn.functional import logsigmoid, pad
from rushlight.size import Size
from rushlight.tensors import Tensor


class SoftmaxTransform(PlainTransform):
    """y = exp(x) / sum(exp(x)): not bijective, but it treats all coordinates alike, which suits optimizers.

    >>> import rushlight as torch
    >>> torch.distributions.SoftmaxTransform()(torch.tensor([0.0, 0.0]))
    tensor([0.5000, 0.5000])
    """

    domain: constraints.Constraint = constraints.real_vector
    codomain: constraints.Constraint = constraints.simplex

    def _call(self, x: Tensor) -> Tensor:
        weights = (x - x.max(-1, True)[0]).exp()
        return weights / weights.sum(-1, True)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def forward_shape(self, shape: Sequence[int]) -> Size:
        require_dims(shape, 1)
        return Size(shape)

    inverse_shape = forward_shape


class StickBreakingTransform(PlainTransform):
    """A bijection between n numbers and n + 1 positive numbers that sum to 1: each determines a fraction of the rest.

    >>> import rushlight as torch
    >>> torch.distributions.StickBreakingTransform()(torch.zeros(3))
    tensor([0.2500, 0.2500, 0.2500, 0.2500])
    """

    domain: constraints.Constraint = constraints.real_vector
    codomain: constraints.Constraint = constraints.simplex
    bijective: bool = True

    def _call(self, x: Tensor) -> Tensor:
        broken = clipped_sigmoid(x - log_pieces_left(x))
        left = (1 - broken).cumprod(-1)
        return pad(broken, (0, 1), value=1) * pad(left, (1, 0), value=1)

    def _inverse(self, y: Tensor) -> Tensor:
        shares = y[..., :-1]
        left = torch.clamp(1 - shares.cumsum(-1), min=torch.finfo(y.dtype).tiny)
        return shares.log() - left.log() + log_pieces_left(shares)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        x = x - log_pieces_left(x)
        return (-x + logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Sequence[int]) -> Size:
        require_dims(shape, 1)
        return Size((*shape[:-1], shape[-1] + 1))

    def inverse_shape(self, shape: Sequence[int]) -> Size:
        require_dims(shape, 1)
        return Size((*shape[:-1], shape[-1] - 1))


def log_pieces_left(x: Tensor) -> Tensor:
    """log n, ..., log 1 for n numbers: offsets with which zeros give n + 1 equal parts."""
    return torch.arange(x.shape[-1], 0, -1, dtype=x.dtype).log()
