"""Batch normalization in both forms and memory layouts: against the definition in float64."""

import numpy as np
import pytest
from kernels.forms import both_forms, close, normal

import rushlight
from rushlight.kernels import normalization as module
from rushlight.machine import threads

form = both_forms(module)
SHAPES = [(16, 8, 4, 4), (7, 3, 5), (9, 600), (2, 1, 30, 30), (3, 5, 1, 1), (40, 33, 8, 8), (1, 4, 3, 3), (2, 3, 700)]


def innermost(x):
    """The same elements with the batch innermost in memory."""
    return np.ascontiguousarray(np.moveaxis(x, 0, -1)).transpose(-1, *range(x.ndim - 1))


LAYOUTS = {"C order": np.ascontiguousarray, "batch innermost": innermost, "Fortran order": np.asfortranarray}
layouts = pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())


def expected(x, grad, w, b, eps=1e-5):
    """Result, mean and variance, and the cotangents of x, w and b."""
    x, grad, w, b = (a.astype(np.float64) for a in (x, grad, w, b))
    axes, ends = (0, *range(2, x.ndim)), (1, -1, *(1,) * (x.ndim - 2))
    mean, variance = x.mean(axes), x.var(axes)
    invstd = 1 / np.sqrt(variance + eps)
    value = (x - mean.reshape(ends)) * invstd.reshape(ends)
    along = (grad * value).mean(axes).reshape(ends)
    input_grad = (grad - grad.mean(axes).reshape(ends) - value * along) * (invstd * w).reshape(ends)
    result = value * w.reshape(ends) + b.reshape(ends)
    return result, mean, variance, input_grad, (grad * value).sum(axes), grad.sum(axes)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@layouts
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_training(shape, layout, dtype):
    x, grad = layout(3 * normal(*shape, dtype=dtype) + 1), normal(*shape, dtype=dtype, seed=1)
    w, b = (normal(shape[1], dtype=dtype, seed=seed) for seed in (2, 3))
    leaves = [rushlight.from_numpy(a).requires_grad_() for a in (x, w, b)]
    running = rushlight.zeros(shape[1], dtype=leaves[0].dtype), rushlight.ones(shape[1], dtype=leaves[0].dtype)
    result = rushlight.nn.functional.batch_norm(leaves[0], *running, *leaves[1:], training=True, momentum=0.25)
    result.backward(rushlight.tensor(grad))
    value, mean, variance, *cotangents = expected(x, grad, w, b)
    count = x.size // shape[1]
    few = 100 if count < 10 else 1
    close(result.detach().numpy(), value, dtype, 10 * few)
    close(running[0].numpy(), mean / 4, dtype, 10)
    close(running[1].numpy(), 0.75 + variance * count / (count - 1) / 4, dtype, 10)
    for leaf, cotangent in zip(leaves, cotangents, strict=True):
        close(leaf.grad.numpy(), cotangent, dtype, 100 * few)


@layouts
def test_the_result_lies_in_memory_as_the_input(layout):
    x = rushlight.from_numpy(layout(normal(6, 3, 4, 5)))
    result = rushlight.nn.functional.batch_norm(x, None, None, training=True)
    if layout is not np.asfortranarray:
        assert result._array.strides == x._array.strides
    assert result.stride() == (60, 20, 5, 1)


@pytest.mark.parametrize("seed_layout", [np.ascontiguousarray, innermost])
@layouts
def test_a_cotangent_of_another_layout(layout, seed_layout):
    x, grad = normal(6, 3, 4, 5), normal(6, 3, 4, 5, seed=1)
    w = b = np.ones(3, np.float32)
    leaf = rushlight.from_numpy(layout(x)).requires_grad_()
    result = rushlight.nn.functional.batch_norm(leaf, None, None, training=True)
    result.backward(rushlight.from_numpy(seed_layout(grad)))
    close(leaf.grad.numpy(), expected(x, grad, w, b)[3], np.float32, 10)


def test_a_large_mean_costs_no_digits():
    x = normal(50, 3, 4, 4) + 1000
    result = rushlight.nn.functional.batch_norm(rushlight.tensor(x), None, None, training=True)
    ones = np.ones(3)
    np.testing.assert_allclose(result.numpy(), expected(x, x, ones, 0 * ones)[0], atol=1e-3)


def test_large_work_in_parts(monkeypatch):
    monkeypatch.setattr(threads, "NUMBER", 2)
    x, grad = normal(64, 48, 12, 12), normal(64, 48, 12, 12, seed=1)
    ones = np.ones(48, np.float32)
    leaf = rushlight.tensor(x, requires_grad=True)
    result = rushlight.nn.functional.batch_norm(leaf, None, None, training=True)
    result.backward(rushlight.tensor(grad))
    value, _, _, cotangent, *_ = expected(x, grad, ones, 0 * ones)
    close(result.detach().numpy(), value, np.float32, 10)
    close(leaf.grad.numpy(), cotangent, np.float32, 10)
