"""Distributions of transformed random numbers."""

from collections.abc import Sequence
from typing import Any, ClassVar

import rushlight as torch
from rushlight.distributions import constraints
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.independent import Independent
from rushlight.distributions.transforms import ComposeTransform, Transform
from rushlight.distributions.transforms.compositions import raised
from rushlight.distributions.utils import _sum_rightmost
from rushlight.tensors import Tensor

__all__ = ["TransformedDistribution"]


class TransformedDistribution(Distribution):
    """The distribution of samples of `base_distribution` after `transforms` (one or a list, in order of application).

    ValueError for arguments that are not transforms, and for a distribution with too few dimensions.

    >>> import rushlight as torch
    >>> from rushlight.distributions import ExpTransform, Normal, TransformedDistribution
    >>> TransformedDistribution(Normal(0.0, 1.0), ExpTransform()).cdf(torch.tensor(1.0))
    tensor(0.5000)
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {}
    base_dist: Any

    def __init__(
        self, base_distribution: Any, transforms: Transform | Sequence[Transform], validate_args: bool | None = None
    ):
        self.transforms: list[Transform] = transforms_listed(transforms)
        transform = ComposeTransform(self.transforms)
        domain, codomain = transform.domain, transform.codomain
        event_dim = len(base_distribution.event_shape)
        base_shape = base_distribution.batch_shape + base_distribution.event_shape
        if len(base_shape) < domain.event_dim:
            raise ValueError(
                f"base_distribution needs to have shape with size at least {domain.event_dim}, but got {base_shape}."
            )
        shape = transform.forward_shape(base_shape)
        grown = transform.inverse_shape(shape)
        if base_shape != grown:
            base_distribution = base_distribution.expand(grown[: len(grown) - event_dim])
        if domain.event_dim > event_dim:
            base_distribution = Independent(base_distribution, domain.event_dim - event_dim)
        self.base_dist = base_distribution
        cut = len(shape) - max(codomain.event_dim, event_dim + codomain.event_dim - domain.event_dim)
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Any:
        """The codomain of the last transform."""
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        return raised(support, max(len(self.event_shape), support.event_dim))

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """Whether samples have gradients."""
        return self.base_dist.has_rsample

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with torch.no_grad():
            return self._transformed(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self._transformed(self.base_dist.rsample(sample_shape))

    def _transformed(self, x: Tensor) -> Tensor:
        """A value after all transforms."""
        for transform in self.transforms:
            x = transform(x)
        return x

    def log_prob(self, value: Tensor) -> Tensor:
        """The log density of the base distribution, minus the log determinants of the Jacobians."""
        self._check_sample(value)
        event_dim, y = len(self.event_shape), value
        log_prob: Any = 0.0
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            event_dim += transform.domain.event_dim - transform.codomain.event_dim
            log_slope = transform.log_abs_det_jacobian(x, y)
            log_prob = log_prob - _sum_rightmost(log_slope, event_dim - transform.domain.event_dim)
            y = x
        return log_prob + _sum_rightmost(self.base_dist.log_prob(y), event_dim - len(self.base_dist.event_shape))

    def cdf(self, value: Tensor) -> Tensor:
        for transform in reversed(self.transforms):
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._monotonize_cdf(self.base_dist.cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        return self._transformed(self.base_dist.icdf(self._monotonize_cdf(value)))

    def _monotonize_cdf(self, value: Tensor) -> Tensor:
        """A probability p, or 1 - p if the composed transforms are decreasing."""
        sign: Any = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5


def transforms_listed(transforms: Any) -> list[Transform]:
    """Transforms as a list. ValueError for anything else."""
    if isinstance(transforms, Transform):
        return [transforms]
    if not isinstance(transforms, list):
        raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
    if not all(isinstance(t, Transform) for t in transforms):
        raise ValueError("transforms must be a Transform or a list of Transforms")
    return transforms
