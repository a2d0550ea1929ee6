"""Elementwise transforms."""

import math
from collections.abc import Sequence
from typing import Any

import rushlight as torch
from rushlight.distributions import constraints
from rushlight.distributions.transforms.base import ParametricTransform, PlainTransform
from rushlight.distributions.transforms.compositions import raised
from rushlight.distributions.utils import broadcast_all, lazy_property
from rushlight.nn.functional import softplus
from rushlight.size import Size
from rushlight.tensors import Tensor


class ExpTransform(PlainTransform):
    """y = exp(x).

    >>> import rushlight as torch
    >>> torch.distributions.ExpTransform().inv(torch.tensor([1.0, 10.0]))
    tensor([0.0000, 2.3026])
    """

    domain: constraints.Constraint = constraints.real
    codomain: constraints.Constraint = constraints.positive
    bijective: bool = True
    sign: int = +1

    def _call(self, x: Tensor) -> Tensor:
        return x.exp()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x


class SigmoidTransform(PlainTransform):
    """y = 1 / (1 + exp(-x)), clamped away from 0 and 1.

    >>> import rushlight as torch
    >>> torch.distributions.SigmoidTransform()(torch.tensor([0.0, 2.0]))
    tensor([0.5000, 0.8808])
    """

    domain: constraints.Constraint = constraints.real
    codomain: constraints.Constraint = constraints.unit_interval
    bijective: bool = True
    sign: int = +1

    def _call(self, x: Tensor) -> Tensor:
        return clipped_sigmoid(x)

    def _inverse(self, y: Tensor) -> Tensor:
        y = inner(y)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -softplus(-x) - softplus(x)


def inner(y: Tensor) -> Tensor:
    """Numbers clamped away from 0 and 1."""
    finfo = torch.finfo(y.dtype)
    return y.clamp(min=finfo.tiny, max=1.0 - finfo.eps)


def clipped_sigmoid(x: Tensor) -> Tensor:
    """The sigmoid, clamped away from 0 and 1."""
    return inner(torch.sigmoid(x))


class SoftplusTransform(PlainTransform):
    """y = log(1 + exp(x)).

    >>> import rushlight as torch
    >>> torch.distributions.SoftplusTransform()(torch.tensor([0.0, 2.0]))
    tensor([0.6931, 2.1269])
    """

    domain: constraints.Constraint = constraints.real
    codomain: constraints.Constraint = constraints.positive
    bijective: bool = True
    sign: int = +1

    def _call(self, x: Tensor) -> Tensor:
        return softplus(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -softplus(-x)


class TanhTransform(PlainTransform):
    """y = tanh(x). The inverse of a value rounded to 1 is infinite; with `cache_size=1` it is the original number.

    >>> import rushlight as torch
    >>> torch.distributions.TanhTransform()(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7616])
    """

    domain: constraints.Constraint = constraints.real
    codomain: constraints.Constraint = constraints.interval(-1.0, 1.0)
    bijective: bool = True
    sign: int = +1

    def _call(self, x: Tensor) -> Tensor:
        return x.tanh()

    def _inverse(self, y: Tensor) -> Tensor:
        return torch.atanh(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return 2.0 * (math.log(2.0) - x - softplus(-2.0 * x))


class AbsTransform(PlainTransform):
    """y = |x|; the inverse is y itself, the positive solution.

    >>> import rushlight as torch
    >>> torch.distributions.AbsTransform()(torch.tensor([-1.0, 2.0]))
    tensor([1., 2.])
    """

    domain: constraints.Constraint = constraints.real
    codomain: constraints.Constraint = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return x.abs()

    def _inverse(self, y: Tensor) -> Tensor:
        return y


class PowerTransform(ParametricTransform):
    """y = x ** exponent.

    >>> import rushlight as torch
    >>> torch.distributions.PowerTransform(torch.tensor(2.0))(torch.tensor([1.0, 3.0]))
    tensor([1., 9.])
    """

    exponent: Tensor

    domain: constraints.Constraint = constraints.positive
    codomain: constraints.Constraint = constraints.positive
    bijective: bool = True

    def __init__(self, exponent: Tensor | float, cache_size: int = 0):
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)

    @lazy_property
    def sign(self) -> Any:
        """The sign of the exponent."""
        return self.exponent.sign()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and bool(self.exponent.eq(other.exponent).all())

    __hash__: None = None  # type: ignore[assignment]  # as in PyTorch

    def _call(self, x: Tensor) -> Tensor:
        return x.pow(self.exponent)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: Sequence[int]) -> Size:
        return torch.broadcast_shapes(Size(shape), self.exponent.shape)

    inverse_shape = forward_shape


class AffineTransform(ParametricTransform):
    """y = loc + scale * x; with `event_dim` 1 or 2, of vectors or matrices, over which log determinants are summed.

    >>> import rushlight as torch
    >>> torch.distributions.AffineTransform(loc=1.0, scale=2.0)(torch.tensor([0.0, 3.0]))
    tensor([1., 7.])
    """

    loc: Tensor | float
    scale: Tensor | float

    bijective = True

    def __init__(self, loc: Tensor | float, scale: Tensor | float, event_dim: int = 0, cache_size: int = 0):
        super().__init__(cache_size=cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    @property
    def event_dim(self) -> int:
        """The number of dimensions of a value."""
        return self._event_dim

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        """The real numbers, or tensors of `event_dim` dimensions of them."""
        return raised(constraints.real, self.event_dim)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        """The real numbers, as the domain."""
        return raised(constraints.real, self.event_dim)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AffineTransform) and all(
            bool(torch.as_tensor(mine == theirs).all())
            for mine, theirs in ((self.loc, other.loc), (self.scale, other.scale))
        )

    __hash__: None = None  # type: ignore[assignment]  # as in PyTorch

    @property
    def sign(self) -> Any:
        """The sign of the scale."""
        if isinstance(self.scale, Tensor):
            return self.scale.sign()
        return (self.scale > 0) - (self.scale < 0)

    def _call(self, x: Tensor) -> Tensor:
        return self.loc + self.scale * x

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        if isinstance(self.scale, Tensor):
            result, shape = torch.abs(self.scale).log(), x.shape
        else:
            result, shape = torch.full_like(x, math.log(abs(self.scale))), x.shape
        if self.event_dim:
            result = result.reshape((*result.shape[: -self.event_dim], -1)).sum(-1)
            shape = shape[: -self.event_dim]
        return result.expand(shape)

    def forward_shape(self, shape: Sequence[int]) -> Size:
        return torch.broadcast_shapes(Size(shape), getattr(self.loc, "shape", ()), getattr(self.scale, "shape", ()))

    inverse_shape = forward_shape


class CumulativeDistributionTransform(ParametricTransform):
    """The cumulative distribution function of a distribution of numbers; its values are in the unit interval.

    >>> import rushlight as torch
    >>> transform = torch.distributions.CumulativeDistributionTransform(torch.distributions.Normal(0.0, 1.0))
    >>> transform(torch.tensor([0.0, 1.96]))
    tensor([0.5000, 0.9750])
    """

    codomain: constraints.Constraint = constraints.unit_interval
    bijective: bool = True
    sign: int = +1

    def __init__(self, distribution: Any, cache_size: int = 0):
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    @property
    def domain(self) -> Any:
        """The support of the distribution."""
        return self.distribution.support

    def _call(self, x: Tensor) -> Tensor:
        return self.distribution.cdf(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return self.distribution.log_prob(x)
