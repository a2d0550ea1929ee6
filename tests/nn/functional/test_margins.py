"""Losses of margins between classes: PyTorch's numbers, of special values and of more pairs than fit at once too."""

import numpy as np
import pytest

import rushlight
from rushlight.nn.functional import margins

NUMBERS = np.random.default_rng(0)
SHAPES = [(4, 6), (6,), (1, 1), (30, 20)]


@pytest.fixture(autouse=True, params=["compiled", "numpy"])
def form(request, monkeypatch):
    """Every test runs on the kernel, where it was compiled, and on the NumPy form."""
    if request.param == "numpy":
        monkeypatch.setattr(margins, "fast", None)
    elif margins.fast is None:
        pytest.skip("nothing was compiled")


def found(library, loss, scores, target, **options):
    """The loss and the gradient of the scores."""
    x = library.from_numpy(scores.copy()).requires_grad_()
    y = getattr(library.nn.functional, loss)(x, library.from_numpy(target), **options)
    return [y.detach().numpy(), library.autograd.grad(y.sum() * 3, x)[0].numpy()]


def check(loss, scores, target, **options):
    """Asserts that both libraries find the same."""
    theirs = pytest.importorskip("torch")
    for ours, expected in zip(
        found(rushlight, loss, scores, target, **options), found(theirs, loss, scores, target, **options), strict=True
    ):
        assert ours.dtype == expected.dtype
        assert ours.shape == expected.shape
        np.testing.assert_allclose(ours, expected, rtol=1e-5, atol=1e-6)


def scores_with(special, shape, dtype="float32"):
    """Random scores, some of them special."""
    scores = NUMBERS.standard_normal(shape).astype(dtype)
    scores.reshape(-1)[:: 5 if special is not None else scores.size + 1] = special or 0
    return scores


@pytest.mark.parametrize("special", [None, np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_one_class(shape, special):
    target = NUMBERS.integers(0, shape[-1], shape[:-1] or (1,))
    for p in (1, 2):
        for reduction in ("mean", "sum", "none"):
            check("multi_margin_loss", scores_with(special, shape), target, p=p, margin=0.7, reduction=reduction)


@pytest.mark.parametrize("special", [None, np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("first", [-1, 0])
def test_lists_of_classes(monkeypatch, shape, special, first):
    monkeypatch.setattr(margins, "BLOCK", 1000)  # rows of the largest shape come in several parts
    for reduction in ("mean", "sum", "none"):
        target = NUMBERS.integers(first, shape[-1], shape)
        check("multilabel_margin_loss", scores_with(special, shape, "float64"), target, reduction=reduction)


def test_hinge_of_whole_numbers(torch):
    """The margin becomes a number of the input's type first."""
    x, target = torch.tensor([200, 3], dtype=torch.uint8), torch.tensor([255, 255], dtype=torch.uint8)
    found = torch.nn.functional.hinge_embedding_loss(x, target, margin=7.9, reduction="none")
    assert found.tolist() == [63, 4]


def test_soft_margin_of_other_types(torch):
    loss = torch.nn.functional.soft_margin_loss
    found = loss(torch.tensor([1 + 2j, 3]), torch.tensor([1, -1.0]))
    assert torch.allclose(found, torch.tensor(1.4775 - 0.1881j), atol=1e-4)
    with pytest.raises(RuntimeError, match="Negation, the `-` operator, on a bool tensor"):
        loss(torch.ones(2).bool(), torch.ones(2).bool())
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        loss(torch.ones(2).long(), torch.ones(2).long())


@pytest.mark.parametrize("name", ["elu", "selu", "celu"])
def test_gradients_of_exponential_units_lie_as_their_cotangents(torch, name):
    x = torch.ones(3, 4).t().requires_grad_()
    found = getattr(torch.nn.functional, name)(x)
    for cotangent, strides in ((torch.ones(4, 3), (3, 1)), (torch.ones(3, 4).t(), (1, 4))):
        (grad,) = torch.autograd.grad(found, x, cotangent, retain_graph=True)
        assert grad.stride() == strides
