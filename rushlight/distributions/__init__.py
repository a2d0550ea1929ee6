"""Probability distributions, as torch.distributions: sampling, log probabilities and entropies, all differentiable."""

from rushlight.distributions.bernoulli import Bernoulli
from rushlight.distributions.categorical import Categorical
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.kl import kl_divergence
from rushlight.distributions.normal import Normal

__all__ = ["Bernoulli", "Categorical", "Distribution", "Normal", "kl_divergence"]


def __getattr__(name):
    """Says that there is no such name, and which ones are near."""
    from rushlight.missing import no_such_name

    raise no_such_name("rushlight.distributions", name)
