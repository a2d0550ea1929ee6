"""Pairs of families whose divergence is infinite: the first has values outside the support of the second."""

from typing import Any

import rushlight as torch
from rushlight.core.aliases import Array
from rushlight.distributions.bernoulli import Bernoulli
from rushlight.distributions.beta import Beta
from rushlight.distributions.binomial import Binomial
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
from rushlight.distributions.utils import constant_like

BOUNDED: list[type] = [Beta, ContinuousBernoulli, Pareto, Uniform]
HALF: list[type] = [Exponential, Gamma]
PAIRS: dict[type, list[type]] = {
    Beta: [Pareto],
    ContinuousBernoulli: [Pareto],
    Exponential: BOUNDED,
    Gamma: BOUNDED,
    Gumbel: BOUNDED + HALF,
    Laplace: BOUNDED + HALF,
    Normal: BOUNDED + HALF,
    Pareto: [Beta, ContinuousBernoulli, Uniform],
    Poisson: [Bernoulli, Binomial],
}


def infinite(p: Any, q: Array) -> Any:
    """Infinity, in the batch's shape."""
    return constant_like(p.mean, p.batch_shape, torch.inf)


for family, others in PAIRS.items():
    for other in others:
        register_kl(family, other)(infinite)
