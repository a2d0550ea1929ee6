"""Kullback-Leibler divergences, with a rule for each pair of families."""

from rushlight.distributions.kl import different, infinite, multivariate, same
from rushlight.distributions.kl.registry import _KL_MEMOIZE, _KL_REGISTRY, kl_divergence, register_kl

__all__ = ["kl_divergence", "register_kl"]
