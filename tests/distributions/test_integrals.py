"""Divergences, entropies and distribution functions against integrals and sums of densities, for families and pairs.

PyTorch is not asked here: what it has wrong would show (docs/pytorch-mistakes.md).
"""

import contextlib

import numpy as np
import pytest
from distributions.cases import P, Q, families, pairs

import rushlight as torch

POINTS = 40001
d = torch.distributions


def divergences():
    """All pairs of distributions that there is a rule for, by name."""
    found = dict(pairs(torch))
    for name, p in families(torch, P).items():
        q = families(torch, Q)[name]
        if type(p) is d.TransformedDistribution:  # its divergence is that of what it transforms
            continue
        with contextlib.suppress(NotImplementedError):
            d.kl_divergence(p, q)
            found[f"{name} and another"] = p, q
    return found


DIVERGENCES = divergences()
CONTINUOUS = [n for n, (p, _) in DIVERGENCES.items() if not p.event_shape and not p.support.is_discrete]
DISCRETE = [n for n, (p, _) in DIVERGENCES.items() if not p.event_shape and p.support.is_discrete]
SEVERAL = [n for n, (p, _) in DIVERGENCES.items() if p.event_shape]
ENTROPIC = [
    n for n, p in families(torch).items() if not p.event_shape and type(p).entropy is not d.Distribution.entropy
]


def grid(p):
    """Points that cover the support of each distribution of a batch of two, and the weights of an integral: (n, 2)."""
    low = torch.as_tensor(getattr(p.support, "lower_bound", -np.inf)).expand(2).double().numpy()
    high = torch.as_tensor(getattr(p.support, "upper_bound", np.inf)).expand(2).double().numpy()
    u = np.linspace(-1, 1, POINTS)[:, None]
    if np.isfinite(low).all() and np.isfinite(high).all():
        part = 1 / (1 + np.exp(-36 * u))
        x, slope = low + (high - low) * part, (high - low) * part * (1 - part) * 36
    elif np.isfinite(low).all():
        x, slope = low + np.exp(80 * u - 30), np.exp(80 * u - 30) * 80 * np.ones(2)
    else:
        x, slope = np.sinh(30 * u) * np.ones(2), np.cosh(30 * u) * 30 * np.ones(2)
    x = np.where(x <= low, np.nextafter(low, np.inf), np.where(x >= high, np.nextafter(high, -np.inf), x))
    return torch.from_numpy(x), torch.from_numpy(slope * (u[1] - u[0]))


def logs(p, x):
    """The log density at some points: -inf outside the support."""
    inside = p.support.check(x).expand(x.shape)
    found = p.log_prob(torch.where(inside, x, p.sample().to(x.dtype)))
    return torch.where(inside, found, torch.tensor(-torch.inf, dtype=torch.float64))


def expectation(p, of, x, weights):
    """The sum of a function times the density, where that is not zero."""
    density = logs(p, x).exp()
    values = torch.where(density > 1e-290, density * of, torch.zeros(()).double())
    return (values * weights).sum(0).numpy()


def covers(p, q):
    """For each distribution of the batch, whether the second one's support has no less than the first one's."""
    ends = [torch.as_tensor(getattr(s, "lower_bound", -np.inf)).expand(2) for s in (p.support, q.support)]
    tops = [torch.as_tensor(getattr(s, "upper_bound", np.inf)).expand(2) for s in (p.support, q.support)]
    return ((ends[0] >= ends[1]) & (tops[0] <= tops[1])).numpy()


@pytest.mark.parametrize("name", CONTINUOUS)
def test_divergences_are_integrals(name):
    p, q = DIVERGENCES[name]
    x, weights = grid(p)
    expected = expectation(p, logs(p, x) - logs(q, x), x, weights)
    expected = np.where(covers(p, q), expected, np.inf)
    single = p.mean.dtype == torch.float32
    np.testing.assert_allclose(d.kl_divergence(p, q).numpy(), expected, rtol=1e-4 if single else 2e-5, atol=1e-7)


@pytest.mark.parametrize("name", DISCRETE)
def test_divergences_are_sums(name):
    p, q = DIVERGENCES[name]
    x = torch.arange(600.0, dtype=torch.float64)[:, None].expand(-1, 2)
    inside = p.support.check(x).expand(x.shape).all(1)
    x = x[inside]
    expected = expectation(p, logs(p, x) - logs(q, x), x, 1.0)
    np.testing.assert_allclose(d.kl_divergence(p, q).detach().numpy(), expected, rtol=1e-7)


@pytest.mark.parametrize("name", SEVERAL)
def test_divergences_of_vectors_and_matrices_are_means(name):
    p, q = DIVERGENCES[name]
    torch.manual_seed(0)
    x = p.sample((20000,))
    ratio = p.log_prob(x) - q.log_prob(x)
    error = (ratio.mean(0) - d.kl_divergence(p, q)).abs() / (ratio.std(0) / 20000**0.5 + 1e-9)
    assert error.max() < 4.5


@pytest.mark.parametrize("name", ENTROPIC)
def test_entropies_are_integrals(name):
    p = families(torch)[name]
    discrete = p.support.is_discrete
    x = torch.arange(600.0, dtype=torch.float64)[:, None].expand(-1, 2) if discrete else None
    x, weights = (x[p.support.check(x).expand(x.shape).all(1)], 1.0) if discrete else grid(p)
    try:
        found = p.entropy()
    except NotImplementedError:
        pytest.skip("no entropy")
    np.testing.assert_allclose(found.numpy(), -expectation(p, logs(p, x), x, weights), rtol=1e-4, atol=1e-6)


def test_divergences_of_batches_of_wishart_distributions():
    n, m = (torch.tensor(values, dtype=torch.float64, requires_grad=True) for values in ([3.7, 5.0], [4.0, 4.5]))
    a = torch.tensor(1.3, dtype=torch.float64, requires_grad=True)
    first = torch.tensor([[2.0, 0.5], [0.5, 1.0]], dtype=torch.float64)
    second = torch.tensor([[1.0, -0.3], [-0.3, 0.7]], dtype=torch.float64)
    divergence = lambda n, m, a: d.kl_divergence(d.Wishart(n, first * a), d.Wishart(m, second))
    both = divergence(n, m, a)
    assert torch.allclose(both, torch.stack([divergence(n[i], m[i], a) for i in (0, 1)]))
    assert torch.allclose(divergence(n[0], m, a)[0], both[0])
    assert torch.autograd.gradcheck(divergence, (n, m, a))
