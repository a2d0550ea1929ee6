"""The continuous Bernoulli distribution, on the unit interval."""

import math
from collections.abc import Sequence
from typing import ClassVar

import rushlight as torch
from rushlight.distributions import constraints
from rushlight.distributions.exp_family import ExponentialFamily
from rushlight.distributions.odds import InnerOdds
from rushlight.distributions.utils import broadcast_all
from rushlight.nn.functional import binary_cross_entropy_with_logits
from rushlight.tensors import Tensor

__all__ = ["ContinuousBernoulli"]


class ContinuousBernoulli(InnerOdds, ExponentialFamily):
    """Numbers in [0, 1] of density C probs**x (1 - probs)**(1 - x).

    G. Loaiza-Ganem and J. P. Cunningham, "The continuous Bernoulli: fixing a pervasive error in variational
    autoencoders", 2019. If `probs` is between the two `lims`, which are close to 1/2, the first terms of series replace
    the formulas, which would be inaccurate there.

    >>> import rushlight as torch
    >>> torch.distributions.ContinuousBernoulli(0.5).log_prob(torch.tensor(0.3)).abs() < 1e-6
    tensor(True)
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support: constraints.Constraint = constraints.unit_interval
    _mean_carrier_measure = 0
    has_rsample = True

    def __init__(
        self,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ):
        if validate_args and probs is not None and not constraints.unit_interval.check(*broadcast_all(probs)).all():
            raise ValueError("The parameter probs has invalid values")
        self._take(probs, logits)
        self._lims = lims
        super().__init__(self._param.shape, validate_args=validate_args)

    def _outside_unstable_region(self) -> Tensor:
        """Whether the formulas are accurate: `probs` is not close to 1/2."""
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _cut_probs(self) -> Tensor:
        """The probabilities, replaced by `lims[0]` where the formulas would be inaccurate."""
        return torch.where(self._outside_unstable_region(), self.probs, self._lims[0])

    def _cont_bern_log_norm(self) -> Tensor:
        """log C."""
        p = self._cut_probs()
        low, high = torch.where(p <= 0.5, p, 0.0), torch.where(p >= 0.5, p, 1.0)
        difference = torch.where(p <= 0.5, torch.log1p(-2.0 * low), torch.log(2.0 * high - 1.0))
        exact = torch.log(torch.abs(torch.log1p(-p) - torch.log(p))) - difference
        x = (self.probs - 0.5) ** 2
        series = math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x
        return torch.where(self._outside_unstable_region(), exact, series)

    @property
    def mean(self) -> Tensor:
        """p / (2p - 1) + 1 / (2 artanh(1 - 2p)) for p = `probs`; 1/2 at 1/2."""
        p, x = self._cut_probs(), self.probs - 0.5
        exact = p / (2.0 * p - 1.0) + 1.0 / (torch.log1p(-p) - torch.log(p))
        series = 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x**2) * x
        return torch.where(self._outside_unstable_region(), exact, series)

    @property
    def variance(self) -> Tensor:
        """The variance, by its Taylor series where `probs` is near 1/2."""
        p, x = self._cut_probs(), (self.probs - 0.5) ** 2
        exact = p * (p - 1.0) / (1.0 - 2.0 * p) ** 2 + 1.0 / (torch.log1p(-p) - torch.log(p)) ** 2
        series = 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x
        return torch.where(self._outside_unstable_region(), exact, series)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.icdf(torch.rand(self._extended_shape(sample_shape), dtype=self.probs.dtype))

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none") + self._cont_bern_log_norm()

    def cdf(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        p = self._cut_probs()
        exact = (p**value * (1.0 - p) ** (1.0 - value) + p - 1.0) / (2.0 * p - 1.0)
        inside = torch.where(self._outside_unstable_region(), exact, value)
        return torch.where(value <= 0.0, 0.0, torch.where(value >= 1.0, 1.0, inside))

    def icdf(self, value: Tensor) -> Tensor:
        p = self._cut_probs()
        exact = (torch.log1p(-p + value * (2.0 * p - 1.0)) - torch.log1p(-p)) / (torch.log(p) - torch.log1p(-p))
        return torch.where(self._outside_unstable_region(), exact, value)

    def entropy(self) -> Tensor:
        log0, log1 = torch.log1p(-self.probs), torch.log(self.probs)
        return self.mean * (log0 - log1) - self._cont_bern_log_norm() - log0

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.logits,)

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        (x,) = natural_params
        outside = (x <= self._lims[0] - 0.5) | (x > self._lims[1] - 0.5)
        cut = torch.where(outside, x, self._lims[0] - 0.5)
        exact = torch.log(torch.abs(torch.expm1(cut))) - torch.log(torch.abs(cut))
        return torch.where(outside, exact, 0.5 * x + x**2 / 24.0 - x**4 / 2880.0)
