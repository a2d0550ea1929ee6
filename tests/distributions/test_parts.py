"""Transforms, constraints, registries, gradients of samples, messages. Every test without rushlight's name holds for
PyTorch too."""

import math
import pickle

import numpy as np
import pytest
import scipy.integrate
from distributions.cases import families


def transforms(torch):
    """Bijections, and inputs of theirs."""
    d, numbers = torch.distributions, torch.tensor([[0.3, -0.7, 1.2], [0.1, 0.5, -2.0]], dtype=torch.float64)
    scale = torch.tensor([2.0, -0.5, 1.0], dtype=torch.float64)
    return [
        (d.ExpTransform(), numbers),
        (d.SigmoidTransform(), numbers),
        (d.SoftplusTransform(), numbers),
        (d.TanhTransform(), numbers),
        (d.PowerTransform(scale), numbers.abs()),
        (d.AffineTransform(1.0, scale), numbers),
        (d.AffineTransform(1.0, scale, event_dim=1), numbers),
        (d.StickBreakingTransform(), numbers),
        (d.CorrCholeskyTransform(), numbers),
        (d.ReshapeTransform((3,), (3, 1)), numbers),
        (d.CumulativeDistributionTransform(d.Normal(numbers[0, 0], scale[0])), numbers),
        (d.CatTransform([d.ExpTransform(), d.TanhTransform()], dim=-1, lengths=[2, 1]), numbers),
        (d.StackTransform([d.ExpTransform(), d.TanhTransform()]), numbers),
        (d.ComposeTransform([d.AffineTransform(0.0, 2.0), d.StickBreakingTransform()]), numbers),
        (d.IndependentTransform(d.ExpTransform(), 1), numbers),
    ]


@pytest.mark.parametrize("index", range(15))
def test_transforms(torch, index):
    transform, x = transforms(torch)[index]
    y = transform(x)
    assert torch.allclose(transform.inv(y), x, rtol=1e-8)
    assert transform.inv.inv is transform
    assert tuple(transform.forward_shape(x.shape)) == tuple(y.shape)
    assert tuple(transform.inverse_shape(y.shape)) == tuple(x.shape)
    assert torch.allclose(transform.inv.log_abs_det_jacobian(y, x), -transform.log_abs_det_jacobian(x, y))
    assert pickle.loads(pickle.dumps(transform))(x).equal(y)
    remembering = transform.with_cache()
    assert isinstance(transform, torch.distributions.ComposeTransform) or remembering.inv(remembering(x)) is x


@pytest.mark.parametrize("index", range(6))
def test_slopes_of_elementwise_transforms(torch, index):
    transform, x = transforms(torch)[index]
    x = x.clone().requires_grad_()
    y = transform(x)
    (slope,) = torch.autograd.grad(y.sum(), x)
    assert torch.allclose(transform.log_abs_det_jacobian(x, y), slope.abs().log(), rtol=1e-8)


def test_registries(torch):
    d = torch.distributions
    c, x = d.constraints, torch.tensor([[0.3, -0.7], [0.1, 0.5]])
    both = [c.real, c.positive, c.nonnegative, c.greater_than(2.0), c.less_than(-1.0), c.interval(1.0, 3.0)]
    both += [c.unit_interval, c.half_open_interval(0.0, 4.0), c.simplex, c.independent(c.positive, 1)]
    both += [c.cat([c.positive, c.real], -1, [1, 1]), c.stack([c.positive, c.real], -1)]
    for constraint in [*both, c.lower_cholesky, c.positive_definite]:
        assert constraint.check(d.transform_to(constraint)(x)).all(), constraint
    for constraint in both:
        assert d.biject_to(constraint).bijective, constraint
    assert c.corr_cholesky.check(d.biject_to(c.corr_cholesky)(torch.tensor([0.1, 2.0, -3.0])))
    with pytest.raises(NotImplementedError, match="Cannot transform _Boolean constraints"):
        d.biject_to(c.boolean)
    with pytest.raises(TypeError, match="Expected constraint to be either a Constraint subclass or instance"):
        d.transform_to.register(3, lambda constraint: None)


def test_names_of_constraints(torch):
    c = torch.distributions.constraints
    made = [
        c.positive,
        c.real_vector,
        c.integer_interval(0, 3),
        c.simplex,
        c.corr_cholesky,
        c.less_than(1.0),
        c.one_hot,
    ]
    assert repr(made) == (
        "[GreaterThan(lower_bound=0.0), IndependentConstraint(Real(), 1), IntegerInterval(lower_bound=0, "
        "upper_bound=3), Simplex(), CorrCholesky(), LessThan(upper_bound=1.0), OneHot()]"
    )
    assert c.is_dependent(torch.distributions.Uniform.support)
    with pytest.raises(ValueError, match="Cannot determine validity of dependent constraint"):
        c.dependent.check(torch.zeros(1))


def test_subclasses_and_expansion(torch):
    for name, distribution in families(torch).items():
        larger = distribution.expand((3, *distribution.batch_shape))
        assert type(larger) is type(distribution), name
        assert larger.sample((2,)).shape == (2, 3, *distribution.batch_shape, *distribution.event_shape), name

    class Own(torch.distributions.Normal):
        def __init__(self):
            super().__init__(0.0, 1.0)

    with pytest.raises(NotImplementedError, match="Subclass Own of Normal that defines a custom __init__ method must"):
        Own().expand((2,))


def test_rules_for_the_nearest_classes(torch):
    d = torch.distributions

    class Near(d.Normal):
        pass

    assert d.kl_divergence(Near(0.0, 1.0), d.Normal(0.0, 1.0)) == 0
    d.register_kl(Near, d.Normal)(lambda p, q: p.loc + 7)
    assert d.kl_divergence(Near(0.0, 1.0), d.Normal(0.0, 1.0)) == 7
    d.register_kl(d.Normal, Near)(lambda p, q: p.loc + 8)
    with pytest.warns(RuntimeWarning, match="Ambiguous kl_divergence"):
        d.kl_divergence(Near(0.0, 1.0), Near(0.0, 1.0))


GRADIENTS = {
    "Gamma": lambda d, a: d.Gamma(a, 2.0),
    "Beta": lambda d, a: d.Beta(a, 2.0),
    "Chi2": lambda d, a: d.Chi2(a),
    "StudentT": lambda d, a: d.StudentT(a),
    "FisherSnedecor": lambda d, a: d.FisherSnedecor(a, 9.0),
    "InverseGamma": lambda d, a: d.InverseGamma(a, 2.0),
    "Weibull": lambda d, a: d.Weibull(a, a),
    "Gumbel": lambda d, a: d.Gumbel(a, a),
    "Kumaraswamy": lambda d, a: d.Kumaraswamy(a, 2.0),
    "Pareto": lambda d, a: d.Pareto(a, a),
    "RelaxedBernoulli": lambda d, a: d.RelaxedBernoulli(a, logits=a),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients_of_samples_against_pytorch(name):
    theirs, found = pytest.importorskip("torch"), []
    for module in (theirs, __import__("rushlight")):
        module.manual_seed(1)
        a = module.tensor([0.8, 1.5, 4.0], dtype=module.float64, requires_grad=True)
        GRADIENTS[name](module.distributions, a).rsample((50,)).log().nan_to_num().sum().backward()
        found.append(a.grad.numpy())
    np.testing.assert_allclose(found[1], found[0], rtol=2e-3)  # PyTorch's implicit gradients have three digits


def test_divergence_from_a_uniform_distribution_that_just_covers():
    import rushlight as torch

    d = torch.distributions
    p, unit = d.ContinuousBernoulli(torch.tensor(0.3, dtype=torch.float64)), d.Uniform(0.0, 1.0)
    log_p = lambda x: p.log_prob(torch.tensor(x, dtype=torch.float64)).item()
    forward, _ = scipy.integrate.quad(lambda x: math.exp(log_p(x)) * log_p(x), 0, 1)
    backward, _ = scipy.integrate.quad(lambda x: -log_p(x), 0, 1)
    assert d.kl_divergence(p, unit).item() == pytest.approx(forward, abs=1e-6)
    assert d.kl_divergence(unit, p).item() == pytest.approx(backward, abs=1e-6)
