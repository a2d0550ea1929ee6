"""Distributions to compare: how each is made, and what it is asked."""

import warnings

P, Q = 0, 1  # two sets of parameters for each family, for divergences


def families(torch, kind: int = P) -> dict:
    """A batch of two of each family, in double precision, by name."""
    d, t = torch.distributions, lambda *values: torch.tensor(values, dtype=torch.float64)
    low, high = (t(0.7, 2.5), t(1.6, 0.4)) if kind == P else (t(1.1, 0.8), t(0.9, 3.5))
    probs, shares = (
        (t(0.3, 0.8), t([0.2, 0.3, 0.5], [0.6, 0.3, 0.1]))
        if kind == P
        else (t(0.55, 0.25), t([0.1, 0.5, 0.4], [0.3, 0.3, 0.4]))
    )
    matrix = t([2.0, 0.5], [0.5, 1.0]) if kind == P else t([1.0, -0.3], [-0.3, 0.7])
    loc, temperature = t(0.4, -1.2) + kind, t(0.6)[0]
    factor, diagonal = t([1.0], [0.5]) + kind, t(0.5, 1.5)
    parts = d.Normal(t([0.0, 1.0, 2.0], [3.0, 1.0, -2.0]), t([1.0, 2.0, 0.5], [0.1, 1.0, 2.0]))
    transform = d.ComposeTransform([d.TanhTransform(), d.AffineTransform(1.0, 2.0)])
    return {
        "Bernoulli": d.Bernoulli(probs),
        "Bernoulli logits": d.Bernoulli(logits=loc),
        "Beta": d.Beta(low, high),
        "Binomial": d.Binomial(7, probs),
        "Binomial many": d.Binomial(400, logits=loc),
        "Categorical": d.Categorical(shares),
        "Cauchy": d.Cauchy(loc, low),
        "Chi2": d.Chi2(high),
        "ContinuousBernoulli": d.ContinuousBernoulli(probs),
        "ContinuousBernoulli half": d.ContinuousBernoulli(t(0.5, 0.4995)),
        "Dirichlet": d.Dirichlet(shares * 5),
        "Exponential": d.Exponential(low),
        "FisherSnedecor": d.FisherSnedecor(low + 3, high + 5),
        "Gamma": d.Gamma(low, high),
        "GeneralizedPareto": d.GeneralizedPareto(loc.float(), low.float(), t(0.2, -0.3).float()),
        "GeneralizedPareto zero": d.GeneralizedPareto(loc.float(), low.float(), t(0.0, 0.0).float()),
        "Geometric": d.Geometric(probs),
        "Gumbel": d.Gumbel(loc, low),
        "HalfCauchy": d.HalfCauchy(low),
        "HalfNormal": d.HalfNormal(low),
        "Independent": d.Independent(d.Normal(loc, low), 1),
        "InverseGamma": d.InverseGamma(low + 2, high),
        "Kumaraswamy": d.Kumaraswamy(low + 1, high + 1),
        "LKJCholesky": d.LKJCholesky(3, low),
        "Laplace": d.Laplace(loc, low),
        "LogNormal": d.LogNormal(loc, low),
        "LogisticNormal": d.LogisticNormal(shares, shares + 0.5),
        "LowRankMultivariateNormal": d.LowRankMultivariateNormal(loc, factor, diagonal),
        "MixtureSameFamily": d.MixtureSameFamily(d.Categorical(shares), parts),
        "Multinomial": d.Multinomial(6, shares),
        "MultivariateNormal": d.MultivariateNormal(loc, matrix),
        "MultivariateNormal precision": d.MultivariateNormal(loc, precision_matrix=matrix),
        "MultivariateNormal batch": d.MultivariateNormal(loc, torch.stack([matrix, matrix * 2 + 0.1])),
        "NegativeBinomial": d.NegativeBinomial(low + 3, probs),
        "Normal": d.Normal(loc, low),
        "OneHotCategorical": d.OneHotCategorical(shares),
        "OneHotCategoricalStraightThrough": d.OneHotCategoricalStraightThrough(logits=shares),
        "Pareto": d.Pareto(low, high + 2),
        "Poisson": d.Poisson(low * 6),
        "RelaxedBernoulli": d.RelaxedBernoulli(temperature, probs),
        "RelaxedOneHotCategorical": d.RelaxedOneHotCategorical(temperature, shares),
        "StudentT": d.StudentT(low + 2, loc, high),
        "TransformedDistribution": d.TransformedDistribution(d.Normal(loc, low), transform),
        "Uniform": d.Uniform(low - 0.5, low + high),
        "Uniform within": d.Uniform(probs * 0.2, 0.5 + probs * 0.4),
        "VonMises": d.VonMises(loc, low * 3),
        "Weibull": d.Weibull(low, high + 1),
        "Wishart": d.Wishart(low + 3, matrix),
    }


def asked(torch, name: str) -> dict:
    """What a family says of itself and of values: its own samples, after a seed. What it cannot say is left out."""
    distribution, said = families(torch)[name], {}
    torch.manual_seed(5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        samples = distribution.sample((20,))
    said["samples"] = samples
    value = samples[3]
    quantile = torch.tensor([0.3, 0.9], dtype=torch.float64)
    questions = {
        "log_prob": lambda: distribution.log_prob(value),
        "cdf": lambda: distribution.cdf(value),
        "icdf": lambda: distribution.icdf(quantile),
        "support": lambda: distribution.enumerate_support(),
        "kl": lambda: torch.distributions.kl_divergence(distribution, families(torch, Q)[name]),
        "shape": lambda: torch.tensor([*distribution.batch_shape, *distribution.event_shape, -1]),
        "expanded": lambda: distribution.expand((3, *distribution.batch_shape)).log_prob(value),
        **{name: lambda name=name: getattr(distribution, name) for name in ("mean", "variance", "stddev", "mode")},
        **{name: lambda name=name: getattr(distribution, name)() for name in ("entropy", "perplexity")},
    }
    for question, answer in questions.items():
        try:
            said[question] = answer()
        except NotImplementedError:
            continue
    said["value"] = value
    return said


def pairs(torch) -> dict:
    """Two distributions of each pair of different families that PyTorch has a rule for, by their names."""
    d, t = torch.distributions, lambda *values: torch.tensor(values, dtype=torch.float64)
    loc, low, high, probs = t(0.4, -1.2), t(0.7, 2.5), t(2.6, 3.4), t(0.3, 0.8)
    matrix, factor = t([2.0, 0.5], [0.5, 1.0]), t([1.0], [0.5])
    made = {
        "Bernoulli": d.Bernoulli(probs),
        "Beta": d.Beta(low, high),
        "Binomial": d.Binomial(7, probs),
        "ContinuousBernoulli": d.ContinuousBernoulli(probs),
        "Exponential": d.Exponential(low),
        "Gamma": d.Gamma(low, high),
        "Gumbel": d.Gumbel(loc, low),
        "Laplace": d.Laplace(loc, low),
        "LowRankMultivariateNormal": d.LowRankMultivariateNormal(loc, factor, low),
        "MultivariateNormal": d.MultivariateNormal(-loc, matrix),
        "Normal": d.Normal(loc, low),
        "Pareto": d.Pareto(low / 10, high),
        "Poisson": d.Poisson(low),
        "Uniform": d.Uniform(probs / 2, probs),
        "Uniform wide": d.Uniform(probs - 1, probs + 1),
    }
    rules = {(p.__name__, q.__name__) for p, q in d.kl._KL_REGISTRY if p is not q}
    named = {(p, q) for p in made for q in made if (p.split()[0], q.split()[0]) in rules}
    return {f"{p} and {q}": (made[p], made[q]) for p, q in sorted(named)}
