"""Gamma, Dirichlet and binomial numbers: PyTorch's stream, implicit gradients, moments, vmap."""

import numpy as np
import pytest
import scipy.special

import rushlight as torch

LEVELS = np.linspace(0.02, 0.98, 25)


def slopes(quantile, a, scale):
    """d quantile / da by a central difference of fourth order."""
    h = 2e-4 * scale
    steps = ((1, 8 / 12), (2, -1 / 12))
    return sum(w * (quantile(a + i * h) - quantile(a - i * h)) for i, w in steps) / h


@pytest.mark.parametrize("a", [0.05, 0.7, 1.0, 3.0, 11.0, 250.0, 1e5])
def test_gamma_numbers_move_as_quantiles_do(a):
    x = scipy.special.gammaincinv(a, LEVELS)
    found = torch._standard_gamma_grad(torch.full((25,), a, dtype=torch.float64), torch.tensor(x)).numpy()
    expected = slopes(lambda a: scipy.special.gammaincinv(a, LEVELS), a, min(a, a**0.5))
    np.testing.assert_allclose(found, expected, rtol=2e-7)


@pytest.mark.parametrize("a", [0.1, 1.0, 4.0, 90.0])
@pytest.mark.parametrize("b", [0.2, 1.0, 7.0, 300.0])
def test_beta_numbers_move_as_quantiles_do(a, b):
    x = scipy.special.betaincinv(a, b, LEVELS)
    x = np.where(x < 0.999, x, 0.5)
    u = scipy.special.betainc(a, b, x)
    given = [torch.tensor(v) for v in (x, np.full(25, a), np.full(25, a + b))]
    found = torch._dirichlet_grad(*given).numpy() * (1 - x)
    expected = slopes(lambda a: scipy.special.betaincinv(a, b, u), a, min(a, (a * (a + b) / b) ** 0.5))
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-12)


def test_dirichlet_cotangents_keep_the_sum():
    concentration = torch.tensor([[0.5, 2.0, 3.0], [4.0, 1.0, 0.2]], dtype=torch.float64, requires_grad=True)
    torch._sample_dirichlet(concentration).sum().backward()
    np.testing.assert_allclose(concentration.grad.numpy(), 0, atol=1e-12)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("draw", ["_standard_gamma", "_sample_dirichlet", "binomial"])
def test_stream_against_pytorch(draw, dtype):
    theirs, results = pytest.importorskip("torch"), []
    for module in (torch, theirs):
        module.manual_seed(3)
        x = module.linspace(0.05, 6, 300, dtype=module.float64).reshape(100, 3).to(getattr(module, dtype))
        arguments = ((x * 40).floor(), x / 6) if draw == "binomial" else (x,)
        try:
            results.append((getattr(module, draw)(*arguments).numpy(), module.rand(3).numpy()))
        except NotImplementedError as error:
            results.append(str(error))
    if isinstance(results[0], str) or isinstance(results[1], str):
        assert results[0] == results[1]
    else:
        np.testing.assert_allclose(results[0][0], results[1][0], rtol=1e-14 if dtype == "float64" else 0)
        assert (results[0][1] == results[1][1]).all()


def test_moments_of_binomial_numbers():
    torch.manual_seed(0)
    for count, p in ((5.0, 0.3), (40.0, 0.5), (300.0, 0.9)):
        drawn = torch.binomial(torch.full((4000,), count), torch.tensor(p))
        assert abs(drawn.mean().item() - count * p) < 5 * (count * p * (1 - p) / 4000) ** 0.5
        assert drawn.var().item() == pytest.approx(count * p * (1 - p), rel=0.15)


def test_under_vmap():
    concentrations = torch.tensor([0.5, 2.0, 30.0])
    for draw in (torch._standard_gamma, lambda a: torch._sample_dirichlet(torch.stack([a, a]))):
        alike = torch.vmap(lambda a: draw(a), randomness="different")(concentrations)  # noqa: B023
        assert alike.shape[0] == 3
        assert bool((alike > 0).all())
    counts = torch.vmap(lambda p: torch.binomial(torch.tensor(10.0), p), randomness="different")
    assert counts(torch.tensor([0.0, 1.0])).tolist() == [0.0, 10.0]


def test_second_derivatives_are_refused():
    a = torch.ones(2, dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(torch._standard_gamma(a).sum(), a, create_graph=True)
    with pytest.raises(RuntimeError, match="derivative for aten::_standard_gamma_grad is not implemented"):
        slope.sum().backward()
