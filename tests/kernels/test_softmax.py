"""Softmax and its logarithm in both forms: against the definition in float64, and PyTorch at the edges."""

import numpy as np
import pytest
from kernels.forms import both_forms, close, normal

import rushlight
from rushlight.ops.reductions import softmax as module

form = both_forms(module)
SHAPES = [(4, 10), (64, 10), (1, 1), (3, 17), (2, 5, 64), (3, 5000), (700, 1), (600, 700), (5,), (2, 0), (0, 3)]


def softmax(x, dim=-1):
    exponentials = np.exp(x - x.max(dim, keepdims=True))
    return exponentials / exponentials.sum(dim, keepdims=True)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_values_and_cotangents(shape, dtype):
    x, grad = 3 * normal(*shape, dtype=dtype), normal(*shape, dtype=dtype, seed=1)
    wide, c = x.astype(np.float64), grad.astype(np.float64)
    y = softmax(wide) if x.size else wide
    for name, value, cotangent in (
        ("softmax", y, y * (c - (c * y).sum(-1, keepdims=True))),
        ("log_softmax", np.log(y), c - y * c.sum(-1, keepdims=True)),
    ):
        leaf = rushlight.tensor(x, requires_grad=True)
        result = getattr(rushlight, name)(leaf, -1)
        result.backward(rushlight.tensor(grad))
        close(result.detach().numpy(), value, dtype)
        close(leaf.grad.numpy(), cotangent, dtype, 10)


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_any_dimension_of_any_layout(dim):
    x = normal(6, 4, 5).transpose(1, 2, 0)[:, ::2]
    close(rushlight.softmax(rushlight.from_numpy(x), dim).numpy(), softmax(x.astype(np.float64), dim), np.float32)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(16, 100, 50), (3, 4, 300), (2, 1, 3), (1, 700, 5), (2, 9, 4, 4), (5, 3, 1)])
def test_values_and_cotangents_along_another_dimension(shape, dtype):
    x, grad = 3 * normal(*shape, dtype=dtype), normal(*shape, dtype=dtype, seed=1)
    x[:, 0, 0] = -50 if shape[1] > 1 else 0
    c, y = grad.astype(np.float64), softmax(x.astype(np.float64), 1)
    for name, value, cotangent in (
        ("softmax", y, y * (c - (c * y).sum(1, keepdims=True))),
        ("log_softmax", np.log(y), c - y * c.sum(1, keepdims=True)),
    ):
        leaf = rushlight.tensor(x, requires_grad=True)
        result = getattr(rushlight, name)(leaf, 1)
        result.backward(rushlight.tensor(grad))
        close(result.detach().numpy(), value, dtype, 5)
        close(leaf.grad.numpy(), cotangent, dtype, 10)


def test_a_cotangent_that_repeats_a_number():
    x = rushlight.tensor(normal(8, 20), requires_grad=True)
    rushlight.log_softmax(x, 1).sum().backward()
    close(x.grad.numpy(), 1 - 20 * softmax(x.detach().numpy().astype(np.float64)), np.float32, 10)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [3, 40])
def test_what_is_not_finite(n, dtype):
    inf, nan = np.inf, np.nan
    x = np.zeros((6, n), dtype)
    x[:, :3] = [[0, -inf, 3], [nan, 1, 2], [inf, 1, 2], [-inf, -inf, -inf], [-1000, 0, 1000], [1, 2, nan]]
    x[3] = -inf
    with np.errstate(all="ignore"):
        expected = softmax(x.astype(np.float64))
        logarithms = (x - x.max(-1, keepdims=True)).astype(np.float64)
        logarithms -= np.log(np.exp(logarithms).sum(-1, keepdims=True))
    close(rushlight.softmax(rushlight.tensor(x), 1).numpy(), expected, dtype)
    close(rushlight.log_softmax(rushlight.tensor(x), 1).numpy(), logarithms, dtype)


def test_small_probabilities_are_as_precise_as_large_ones():
    x = np.linspace(-80, 0, 1000, dtype=np.float32)[None]
    found = rushlight.softmax(rushlight.tensor(x), 1).numpy()
    np.testing.assert_allclose(found, softmax(x.astype(np.float64)), rtol=1e-6)


def test_half_precision_and_another_dtype():
    x = normal(3, 7, dtype=np.float16)
    close(rushlight.softmax(rushlight.tensor(x), 1).numpy(), softmax(x.astype(np.float64)), np.float16)
    wide = rushlight.softmax(rushlight.tensor([1, 2, 3]), 0, dtype=rushlight.float64)
    close(wide.numpy(), softmax(np.array([1.0, 2, 3])), np.float64)


def test_second_derivative():
    x = rushlight.tensor(normal(3, 5, dtype=np.float64), requires_grad=True)
    assert rushlight.autograd.gradgradcheck(lambda x: rushlight.softmax(x, 1), (x,))
    assert rushlight.autograd.gradgradcheck(lambda x: rushlight.log_softmax(x, 1), (x,))
