"""Kullback-Leibler divergences, a rule for each pair of distributions."""

from collections.abc import Callable

import rushlight as torch
from rushlight.distributions.bernoulli import Bernoulli
from rushlight.distributions.categorical import Categorical
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.normal import Normal
from rushlight.nn.functional import softplus
from rushlight.tensors import Tensor


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """KL(p || q), the mean under `p` of log p - log q, of the batch's shape.

    NotImplementedError for a pair without a rule: both have to be Normal, Categorical or Bernoulli.

    >>> import rushlight as torch
    >>> from rushlight.distributions import Normal, kl_divergence
    >>> kl_divergence(Normal(0.0, 1.0), Normal(1.0, 2.0))
    tensor(0.4431)
    """
    for family, rule in RULES.items():
        if isinstance(p, family) and isinstance(q, family):
            return rule(p, q)
    raise NotImplementedError(
        f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}. "
        "Estimate it: the mean of p.log_prob(x) - q.log_prob(x) for x = p.sample((n,))."
    )


def _normals(p: Normal, q: Normal) -> Tensor:
    """Of two normal distributions (Kingma and Welling 2014, appendix B)."""
    ratio = (p.scale / q.scale).pow(2)
    shift = ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + shift - 1 - ratio.log())


def _categoricals(p: Categorical, q: Categorical) -> Tensor:
    """Of two categorical distributions."""
    return _weighted(p.probs, p.logits - q.logits, q.probs).sum(-1)


def _bernoullis(p: Bernoulli, q: Bernoulli) -> Tensor:
    """Of two Bernoulli distributions."""
    ones = _weighted(p.probs, softplus(-q.logits) - softplus(-p.logits), q.probs)
    return ones + _weighted(1 - p.probs, softplus(q.logits) - softplus(p.logits), 1 - q.probs)


def _weighted(p: Tensor, log_ratio: Tensor, q: Tensor) -> Tensor:
    """The parts p log(p/q) of the divergence: infinite where only `q` is 0, and 0 where `p` is."""
    return (p * log_ratio).masked_fill(q == 0, torch.inf).masked_fill(p == 0, 0)


RULES: dict[type[Distribution], Callable[..., Tensor]] = {
    Normal: _normals,
    Categorical: _categoricals,
    Bernoulli: _bernoullis,
}
