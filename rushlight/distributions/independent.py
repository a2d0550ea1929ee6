"""Batch dimensions reinterpreted as event dimensions."""

from collections.abc import Sequence
from typing import Any, ClassVar

from rushlight.distributions import constraints
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.utils import _sum_rightmost
from rushlight.tensors import Tensor

__all__ = ["Independent"]


class Independent(Distribution):
    """A distribution whose last `reinterpreted_batch_ndims` batch dimensions become event dimensions.

    ValueError if the batch has fewer dimensions.

    >>> import rushlight as torch
    >>> from rushlight.distributions import Independent, Normal
    >>> Independent(Normal(torch.zeros(3), torch.ones(3)), 1).log_prob(torch.zeros(3))
    tensor(-2.7568)
    """

    base_dist: Any
    reinterpreted_batch_ndims: int

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {}

    def __init__(self, base_distribution: Any, reinterpreted_batch_ndims: int, validate_args: bool | None = None):
        batch = base_distribution.batch_shape
        if reinterpreted_batch_ndims > len(batch):
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual "
                f"{reinterpreted_batch_ndims} vs {len(batch)}"
            )
        kept = len(batch) - reinterpreted_batch_ndims
        self.base_dist, self.reinterpreted_batch_ndims = base_distribution, reinterpreted_batch_ndims
        super().__init__(batch[:kept], batch[kept:] + base_distribution.event_shape, validate_args=validate_args)

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]  # an attribute of other classes
        """Whether samples have gradients."""
        return self.base_dist.has_rsample

    @property
    def has_enumerate_support(self) -> bool:  # type: ignore[override]  # likewise
        """Whether the values can be enumerated: not if batch dimensions were reinterpreted."""
        return self.reinterpreted_batch_ndims == 0 and self.base_dist.has_enumerate_support

    @constraints.dependent_property
    def support(self) -> Any:
        """The support of the base distribution, with more event dimensions."""
        dims = self.reinterpreted_batch_ndims
        return constraints.independent(self.base_dist.support, dims) if dims else self.base_dist.support

    @property
    def mean(self) -> Tensor:
        """The mean of the base distribution."""
        return self.base_dist.mean

    @property
    def mode(self) -> Tensor:
        """The mode of the base distribution."""
        return self.base_dist.mode

    @property
    def variance(self) -> Tensor:
        """The variance of the base distribution."""
        return self.base_dist.variance

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        return _sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        return _sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values, if no batch dimension was reinterpreted; else NotImplementedError."""
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand=expand)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"
