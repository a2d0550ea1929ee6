"""Distributions: samples, log probabilities, gradients, messages. Every test holds for PyTorch too."""

import math

import pytest


def families(torch):
    """A batch of two of each family, and values that they can have."""
    d = torch.distributions
    rows = torch.tensor([[0.2, 0.3, 0.5], [0.1, 0.9, 0.0]])
    yield d.Normal(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 2.0])), torch.tensor([0.5, -1.0])
    yield d.Categorical(rows), torch.tensor([2, 1])
    yield d.Categorical(logits=rows), torch.tensor([0, 2])
    yield d.Bernoulli(torch.tensor([0.25, 0.5])), torch.tensor([1.0, 0.0])
    yield d.Bernoulli(logits=torch.tensor([-1.0, 3.0])), torch.tensor([0.0, 1.0])


def test_log_probabilities(torch):
    expected = [
        [-0.918939 - 0.125, -0.918939 - math.log(2) - 0.5],
        [math.log(0.5), math.log(0.9)],
        [0.2 - math.log(sum(map(math.exp, [0.2, 0.3, 0.5]))), 0.0 - math.log(sum(map(math.exp, [0.1, 0.9, 0.0])))],
        [math.log(0.25), math.log(0.5)],
        [-math.log1p(math.exp(-1)), -math.log1p(math.exp(-3))],
    ]
    found = [distribution.log_prob(value).tolist() for distribution, value in families(torch)]
    assert found == [pytest.approx(row, abs=2e-6) for row in expected]


def test_seeded_samples(torch):
    torch.manual_seed(0)
    assert torch.distributions.Normal(1.0, 2.0).sample((2,)).tolist() == pytest.approx([4.08199, 0.413143], abs=1e-5)
    samples = torch.distributions.Categorical(torch.tensor([0.2, 0.3, 0.5])).sample((8,))
    assert samples.dtype == torch.int64
    assert samples.tolist() == [1, 2, 2, 2, 0, 1, 2, 1]
    assert torch.distributions.Bernoulli(torch.tensor([0.25, 0.5])).sample((3,)).tolist() == [
        [0.0, 0.0],
        [0.0, 0.0],
        [0.0, 0.0],
    ]


def test_shapes(torch):
    for distribution, value in families(torch):
        larger = distribution.expand((4, 2))
        assert (distribution.batch_shape, distribution.event_shape) == ((2,), ())
        assert distribution.sample().shape == (2,)
        assert distribution.sample((3, 1)).shape == (3, 1, 2)
        assert larger.sample((5,)).shape == (5, 4, 2)
        assert torch.equal(larger.log_prob(value), distribution.log_prob(value).expand(4, 2))
        assert torch.equal(distribution.entropy().exp(), distribution.perplexity())


def test_the_whole_support_has_probability_one(torch):
    for distribution, _ in list(families(torch))[1:]:
        total = distribution.log_prob(distribution.enumerate_support()).exp().sum(0)
        assert total.tolist() == pytest.approx([1.0, 1.0], abs=1e-6)


def test_moments(torch):
    normal = torch.distributions.Normal(torch.tensor(1.0), torch.tensor(2.0))
    bernoulli = torch.distributions.Bernoulli(torch.tensor([0.25, 0.5, 0.75]))
    assert (normal.mean.item(), normal.mode.item(), normal.variance.item(), normal.stddev.item()) == (1, 1, 4, 2)
    assert bernoulli.variance.tolist() == [0.1875, 0.25, 0.1875]
    assert bernoulli.mode.isnan().tolist() == [False, True, False]
    assert torch.distributions.Categorical(torch.tensor([0.2, 0.8])).mode.item() == 1
    assert normal.icdf(normal.cdf(torch.tensor(0.3))).item() == pytest.approx(0.3, abs=1e-5)


def test_a_reparametrised_sample_has_gradients_and_a_sample_has_none(torch):
    loc, scale = torch.tensor([0.5], requires_grad=True), torch.tensor([2.0], requires_grad=True)
    normal = torch.distributions.Normal(loc, scale)
    sample = normal.rsample((4,))
    sample.sum().backward()
    assert loc.grad.item() == 4
    assert scale.grad.item() == pytest.approx(((sample - loc) / scale).sum().item(), abs=1e-5)
    assert not normal.sample().requires_grad


def test_policy_gradient(torch):
    logits = torch.tensor([0.0, 1.0], dtype=torch.float64, requires_grad=True)
    policy = torch.distributions.Categorical(logits=logits)
    (policy.log_prob(torch.tensor(1)) + policy.entropy()).backward()
    p = 1 / (1 + math.e)
    slope = p * (1 - p) * math.log(p / (1 - p))  # of the entropy, by the second logit, is its opposite
    assert logits.grad.tolist() == pytest.approx([-p - slope, p + slope])


@pytest.mark.parametrize(
    ("family", "p", "q", "expected"),
    [
        ("Normal", (0.0, 1.0), (1.0, 2.0), math.log(2) + 2 / 8 - 0.5),
        ("Bernoulli", (0.25,), (0.5,), 0.25 * math.log(0.5) + 0.75 * math.log(1.5)),
        ("Bernoulli", (1.0,), (0.0,), math.inf),
        ("Categorical", ([0.5, 0.5, 0.0],), ([0.25, 0.5, 0.25],), 0.5 * math.log(2)),
        ("Categorical", ([0.5, 0.5],), ([1.0, 0.0],), math.inf),
    ],
)
def test_divergences(torch, family, p, q, expected):
    make = getattr(torch.distributions, family)
    p, q = (make(*(torch.tensor(parameter) for parameter in parameters)) for parameters in (p, q))
    assert torch.distributions.kl_divergence(p, q).item() == pytest.approx(expected, abs=1e-6)
    assert torch.distributions.kl_divergence(p, p).item() == pytest.approx(0, abs=1e-6)


def test_divergence_without_a_rule(torch):
    d = torch.distributions
    with pytest.raises(NotImplementedError, match=r"No KL\(p \|\| q\) is implemented for p type Normal"):
        d.kl_divergence(d.Normal(0.0, 1.0), d.Categorical(torch.tensor([0.5, 0.5])))


def test_messages(torch, monkeypatch):
    d = torch.distributions
    monkeypatch.setattr(d.Distribution, "_validate_args", True)  # PyTorch's compiler switches it off for good
    with pytest.raises(ValueError, match=r"Expected parameter scale \(Tensor of shape \(2,\)\) of distribution Normal"):
        d.Normal(0.0, torch.tensor([1.0, -1.0]))
    with pytest.raises(ValueError, match=r"to satisfy the constraint Simplex\(\), but found invalid values"):
        d.Categorical(torch.tensor([-0.5, 1.5]))
    with pytest.raises(ValueError, match="Either `probs` or `logits` must be specified, but not both"):
        d.Bernoulli()
    with pytest.raises(ValueError, match=r"within the support \(IntegerInterval\(lower_bound=0, upper_bound=1\)\)"):
        d.Categorical(torch.tensor([0.5, 0.5])).log_prob(torch.tensor(2))
    with pytest.raises(ValueError, match="Value is not broadcastable with batch_shape"):
        d.Normal(torch.zeros(2), torch.ones(2)).log_prob(torch.zeros(3))
    with pytest.raises(ValueError, match="The value argument to log_prob must be a Tensor"):
        d.Normal(0.0, 1.0).log_prob(0.0)
    assert d.Normal(0.0, -1.0, validate_args=False).scale.item() == -1


def test_repr(torch):
    assert [repr(distribution) for distribution, _ in families(torch)] == [
        "Normal(loc: torch.Size([2]), scale: torch.Size([2]))",
        "Categorical(probs: torch.Size([2, 3]))",
        "Categorical(logits: torch.Size([2, 3]))",
        "Bernoulli(probs: torch.Size([2]))",
        "Bernoulli(logits: torch.Size([2]))",
    ]
    assert repr(torch.distributions.Normal(0.0, 1.0)) == "Normal(loc: 0.0, scale: 1.0)"


@pytest.mark.parametrize("name", ["MultivariateNormal", "LowRankMultivariateNormal", "Wishart"])
def test_moments_have_the_shapes_of_the_fields_whatever_samples_have(torch, name):
    base = getattr(torch.distributions, name)

    class Reshaped(base):
        def _extended_shape(self, sample_shape=()):
            return torch.Size((*sample_shape, 7))

    matrix = torch.eye(2) + torch.ones(2, 2)
    if name == "Wishart":
        made = Reshaped(torch.tensor(3.0), matrix)
        assert made.covariance_matrix.shape == made.precision_matrix.shape == made.scale_tril.shape == (2, 2)
    else:
        arguments = (torch.ones(2, 1), torch.ones(2)) if name.startswith("Low") else (matrix,)
        assert Reshaped(torch.zeros(2), *arguments).variance.shape == (2,)
