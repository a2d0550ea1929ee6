"""Cross entropy and likelihood loss of class numbers in both forms: against the definition in float64."""

import numpy as np
import pytest
from kernels.forms import both_forms, close, normal

import rushlight
from rushlight.kernels import entropy as module

form = both_forms(module)
F = rushlight.nn.functional
SHAPES = [(64, 10), (1, 1), (3, 17), (5, 5000), (700, 3), (300, 700)]


def log_softmax(x):
    x = x - x.max(-1, keepdims=True)
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def classes(shape):
    return np.random.default_rng(7).integers(0, shape[1], shape[0])


@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_values_and_cotangents(shape, dtype, reduction):
    x, target = 3 * normal(*shape, dtype=dtype), classes(shape)
    share = 1 / shape[0] if reduction == "mean" else 1
    one_hot = np.eye(shape[1])[target]
    logarithms = log_softmax(x.astype(np.float64))
    for loss, value, grad in (
        (F.cross_entropy, -(logarithms * one_hot).sum() * share, (np.exp(logarithms) - one_hot) * share),
        (F.nll_loss, -(x * one_hot).sum() * share, -one_hot * share),
    ):
        leaf = rushlight.tensor(x, requires_grad=True)
        result = loss(leaf, rushlight.tensor(target), reduction=reduction)
        (2 * result).backward()
        close(result.detach().numpy(), np.array(value), dtype, 5)
        close(leaf.grad.numpy(), 2 * grad, dtype, 5)


def test_large_scores_cost_no_digits():
    x, target = normal(6, 9) + 10000, classes((6, 9))
    leaf = rushlight.tensor(x, requires_grad=True)
    F.cross_entropy(leaf, rushlight.tensor(target), reduction="sum").backward()
    close(leaf.grad.numpy(), np.exp(log_softmax(x.astype(np.float64))) - np.eye(9)[target], np.float32, 5)


def test_what_is_not_finite():
    x = np.array([[0, -np.inf, 1], [np.nan, 0, 1], [np.inf, 0, 1]], np.float32)
    losses = [F.cross_entropy(rushlight.tensor(x[k : k + 1]), rushlight.tensor([1])).item() for k in range(3)]
    assert losses[0] == np.inf
    assert np.isnan(losses[1:]).all()


def test_strided_scores_and_half_precision():
    x, target = normal(9, 6), rushlight.tensor(classes((6, 9)))
    expected = -log_softmax(x.T.astype(np.float64))[np.arange(6), target.numpy()].mean()
    close(F.cross_entropy(rushlight.from_numpy(x.T), target).numpy(), expected, np.float32)
    close(F.cross_entropy(rushlight.tensor(x.T.astype(np.float16)), target).numpy(), expected, np.float16)


def test_classes_that_do_not_exist_and_those_ignored(torch):
    scores = torch.tensor([[0.0, 1.0], [2.0, 0.0]])
    for loss in (torch.nn.functional.cross_entropy, torch.nn.functional.nll_loss):
        with pytest.raises(IndexError, match="out of bounds"):
            loss(scores, torch.tensor([0, 2]))
        some = loss(scores, torch.tensor([0, -100])).item()
        assert some == pytest.approx(loss(scores[:1], torch.tensor([0])).item())


def test_derivatives_of_both_orders():
    x, target = rushlight.tensor(normal(4, 5, dtype=np.float64), requires_grad=True), rushlight.tensor([0, 3, 3, 1])
    for loss in (F.cross_entropy, lambda x, target: F.nll_loss(x * x, target)):
        assert rushlight.autograd.gradcheck(lambda x, loss=loss: loss(x, target), (x,))
        assert rushlight.autograd.gradgradcheck(lambda x, loss=loss: loss(x, target), (x,))
