"""`torch.distributions`: probability distributions with differentiable samples, log probabilities and entropies."""

from typing import Any

from rushlight.absent.misses import no_such_name as _no_such_name
from rushlight.distributions import constraints, transforms, utils
from rushlight.distributions.bernoulli import Bernoulli
from rushlight.distributions.beta import Beta
from rushlight.distributions.binomial import Binomial
from rushlight.distributions.categorical import Categorical
from rushlight.distributions.cauchy import Cauchy
from rushlight.distributions.chi2 import Chi2
from rushlight.distributions.constraint_registry import biject_to, transform_to
from rushlight.distributions.continuous_bernoulli import ContinuousBernoulli
from rushlight.distributions.dirichlet import Dirichlet
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.exp_family import ExponentialFamily
from rushlight.distributions.exponential import Exponential
from rushlight.distributions.fishersnedecor import FisherSnedecor
from rushlight.distributions.gamma import Gamma
from rushlight.distributions.generalized_pareto import GeneralizedPareto
from rushlight.distributions.geometric import Geometric
from rushlight.distributions.gumbel import Gumbel
from rushlight.distributions.half_cauchy import HalfCauchy
from rushlight.distributions.half_normal import HalfNormal
from rushlight.distributions.independent import Independent
from rushlight.distributions.inverse_gamma import InverseGamma
from rushlight.distributions.kl import kl_divergence, register_kl
from rushlight.distributions.kumaraswamy import Kumaraswamy
from rushlight.distributions.laplace import Laplace
from rushlight.distributions.lkj_cholesky import LKJCholesky
from rushlight.distributions.log_normal import LogNormal
from rushlight.distributions.logistic_normal import LogisticNormal
from rushlight.distributions.lowrank_multivariate_normal import LowRankMultivariateNormal
from rushlight.distributions.mixture_same_family import MixtureSameFamily
from rushlight.distributions.multinomial import Multinomial
from rushlight.distributions.multivariate_normal import MultivariateNormal
from rushlight.distributions.negative_binomial import NegativeBinomial
from rushlight.distributions.normal import Normal
from rushlight.distributions.one_hot_categorical import OneHotCategorical, OneHotCategoricalStraightThrough
from rushlight.distributions.pareto import Pareto
from rushlight.distributions.poisson import Poisson
from rushlight.distributions.relaxed_bernoulli import RelaxedBernoulli
from rushlight.distributions.relaxed_categorical import RelaxedOneHotCategorical
from rushlight.distributions.studentT import StudentT
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.distributions.transforms import *
from rushlight.distributions.uniform import Uniform
from rushlight.distributions.von_mises import VonMises
from rushlight.distributions.weibull import Weibull
from rushlight.distributions.wishart import Wishart

__all__ = [
    "Bernoulli",
    "Beta",
    "Binomial",
    "Categorical",
    "Cauchy",
    "Chi2",
    "ContinuousBernoulli",
    "Dirichlet",
    "Distribution",
    "Exponential",
    "ExponentialFamily",
    "FisherSnedecor",
    "Gamma",
    "GeneralizedPareto",
    "Geometric",
    "Gumbel",
    "HalfCauchy",
    "HalfNormal",
    "Independent",
    "InverseGamma",
    "Kumaraswamy",
    "LKJCholesky",
    "Laplace",
    "LogNormal",
    "LogisticNormal",
    "LowRankMultivariateNormal",
    "MixtureSameFamily",
    "Multinomial",
    "MultivariateNormal",
    "NegativeBinomial",
    "Normal",
    "OneHotCategorical",
    "OneHotCategoricalStraightThrough",
    "Pareto",
    "Poisson",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
    "StudentT",
    "TransformedDistribution",
    "Uniform",
    "VonMises",
    "Weibull",
    "Wishart",
    "biject_to",
    "kl_divergence",
    "register_kl",
    "transform_to",
]
__all__ += transforms.__all__


def __getattr__(name: str) -> Any:
    """Raises AttributeError for an unknown name, with similar names."""
    raise _no_such_name("rushlight.distributions", name)
