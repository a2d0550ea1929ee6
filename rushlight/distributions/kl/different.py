"""Divergences between distributions of different families.

Most are -H(p) - E_p[log q], where the expectation needs only the first moments of p.
"""

import math
from typing import Any

import rushlight as torch
from rushlight.core.aliases import Array
from rushlight.distributions.bernoulli import Bernoulli
from rushlight.distributions.beta import Beta
from rushlight.distributions.continuous_bernoulli import ContinuousBernoulli
from rushlight.distributions.exponential import Exponential
from rushlight.distributions.gamma import Gamma
from rushlight.distributions.gumbel import Gumbel
from rushlight.distributions.kl.registry import register_kl
from rushlight.distributions.laplace import Laplace
from rushlight.distributions.normal import Normal
from rushlight.distributions.pareto import Pareto
from rushlight.distributions.poisson import Poisson
from rushlight.distributions.uniform import Uniform
from rushlight.distributions.utils import euler_constant
from rushlight.tensors import Tensor


def to_exponential(p: Any, q: Array) -> Any:
    """The divergence from an exponential distribution, for p with non-negative values."""
    return -p.entropy() - q.rate.log() + q.rate * p.mean


def to_gamma(p: Any, q: Array, log_mean: Any) -> Any:
    """The divergence from a gamma distribution, for p with non-negative values and mean `log_mean` of log x."""
    constant = q.concentration.lgamma() - q.concentration * q.rate.log()
    return -p.entropy() + constant - (q.concentration - 1) * log_mean + q.rate * p.mean


def to_normal(p: Any, q: Array) -> Any:
    """The divergence from a normal distribution, for p with a variance."""
    spread = (p.variance + (p.mean - q.loc).pow(2)) / (2 * q.scale.pow(2))
    return -p.entropy() + 0.5 * math.log(2 * math.pi) + q.scale.log() + spread


def to_continuous_bernoulli(p: Any, q: Array) -> Any:
    """The divergence from a continuous Bernoulli distribution, for p on the unit interval."""
    return -p.entropy() - p.mean * q.logits - torch.log1p(-q.probs) - q._cont_bern_log_norm()


def to_gumbel(p: Any, q: Array, exp_mean: Any) -> Any:
    """The divergence from a Gumbel distribution, for p with mean `exp_mean` of exp(-x / q.scale)."""
    return -p.entropy() + q.scale.log() + (p.mean - q.loc) / q.scale + torch.exp(q.loc / q.scale) * exp_mean


def log_mean(p: Any) -> Any:
    """The mean of log x of a uniform distribution."""
    return (torch.xlogy(p.high, p.high) - torch.xlogy(p.low, p.low)) / (p.high - p.low) - 1


register_kl(Beta, ContinuousBernoulli)(to_continuous_bernoulli)
for positive in (Beta, ContinuousBernoulli, Gamma):
    register_kl(positive, Exponential)(to_exponential)
for family in (Beta, ContinuousBernoulli, Exponential, Gamma, Gumbel, Laplace, Uniform):
    register_kl(family, Normal)(to_normal)


@register_kl(Bernoulli, Poisson)
def _bernoulli_poisson(p: Bernoulli, q: Poisson) -> Tensor:
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Beta, Gamma)
def _beta_gamma(p: Beta, q: Gamma) -> Tensor:
    return to_gamma(p, q, p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma())


@register_kl(Beta, Uniform)
@register_kl(ContinuousBernoulli, Uniform)
def _unit_uniform(p: Beta | ContinuousBernoulli, q: Uniform) -> Tensor:
    result = -p.entropy() + (q.high - q.low).log()
    return result.masked_fill((q.low > 0) | (q.high < 1), torch.inf)


@register_kl(Exponential, Gamma)
def _exponential_gamma(p: Exponential, q: Gamma) -> Tensor:
    return to_gamma(p, q, -euler_constant - p.rate.log())


@register_kl(Exponential, Gumbel)
def _exponential_gumbel(p: Exponential, q: Gumbel) -> Tensor:
    return to_gumbel(p, q, p.rate / (p.rate + q.scale.reciprocal()))


@register_kl(Gamma, Gumbel)
def _gamma_gumbel(p: Gamma, q: Gumbel) -> Tensor:
    return to_gumbel(p, q, (1 + (p.rate * q.scale).reciprocal()).pow(-p.concentration))


@register_kl(Normal, Gumbel)
def _normal_gumbel(p: Normal, q: Gumbel) -> Tensor:
    return to_gumbel(p, q, torch.exp(-p.loc / q.scale + 0.5 * (p.scale / q.scale).pow(2)))


@register_kl(Uniform, Gumbel)
def _uniform_gumbel(p: Uniform, q: Gumbel) -> Tensor:
    ends = torch.exp(-p.low / q.scale) - torch.exp(-p.high / q.scale)
    return to_gumbel(p, q, q.scale * ends / (p.high - p.low))


@register_kl(Normal, Laplace)
def _normal_laplace(p: Normal, q: Laplace) -> Tensor:
    shift = p.loc - q.loc
    deviation = shift / p.scale
    near = math.sqrt(2 / math.pi) * p.scale * torch.exp(-0.5 * deviation.pow(2))
    distance = near + shift * torch.erf(math.sqrt(0.5) * deviation)  # the mean of |x - q.loc|
    return -p.entropy() + torch.log(2 * q.scale) + distance / q.scale


@register_kl(Pareto, Exponential)
def _pareto_exponential(p: Pareto, q: Exponential) -> Tensor:
    return to_exponential(p, q).masked_fill(p.alpha <= 1, torch.inf)


@register_kl(Pareto, Gamma)
def _pareto_gamma(p: Pareto, q: Gamma) -> Tensor:
    return to_gamma(p, q, p.scale.log() + p.alpha.reciprocal()).masked_fill(p.alpha <= 1, torch.inf)


@register_kl(Pareto, Normal)
def _pareto_normal(p: Pareto, q: Normal) -> Tensor:
    return to_normal(p, q).masked_fill(p.alpha <= 2, torch.inf)


@register_kl(Uniform, Beta)
def _uniform_beta(p: Uniform, q: Beta) -> Tensor:
    width = p.high - p.low
    rest = (torch.xlogy(1 - p.low, 1 - p.low) - torch.xlogy(1 - p.high, 1 - p.high)) / width - 1  # of log(1 - x)
    constant = q.concentration1.lgamma() + q.concentration0.lgamma() - (q.concentration1 + q.concentration0).lgamma()
    result = constant - width.log() - (q.concentration1 - 1) * log_mean(p) - (q.concentration0 - 1) * rest
    return result.masked_fill((p.high > 1) | (p.low < 0), torch.inf)


@register_kl(Uniform, ContinuousBernoulli)
def _uniform_continuous_bernoulli(p: Uniform, q: ContinuousBernoulli) -> Tensor:
    return to_continuous_bernoulli(p, q).masked_fill((p.high > 1) | (p.low < 0), torch.inf)


@register_kl(Uniform, Exponential)
def _uniform_exponential(p: Uniform, q: Exponential) -> Tensor:
    return to_exponential(p, q).masked_fill(p.low < 0, torch.inf)


@register_kl(Uniform, Gamma)
def _uniform_gamma(p: Uniform, q: Gamma) -> Tensor:
    return to_gamma(p, q, log_mean(p)).masked_fill(p.low < 0, torch.inf)


@register_kl(Uniform, Pareto)
def _uniform_pareto(p: Uniform, q: Pareto) -> Tensor:
    result = -p.entropy() - q.alpha.log() - q.alpha * q.scale.log() + (q.alpha + 1) * log_mean(p)
    return result.masked_fill(p.low < q.scale, torch.inf)
