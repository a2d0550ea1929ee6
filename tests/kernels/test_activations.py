"""GELU, ReLU and clamp in both forms: against their definitions in float64, in any layout, at the edges."""

import math

import numpy as np
import pytest
from kernels.forms import both_forms, close, normal
from scipy.special import erf

import rushlight
from rushlight.kernels import selection
from rushlight.machine import threads
from rushlight.ops.activation import gated

form = both_forms(selection, gated)
SHAPES = [(4, 10), (1,), (1025,), (33, 1000), (300, 1000), (0, 3)]
LAYOUTS = {"C order": lambda x: x, "turned": lambda x: x.T, "gaps": lambda x: np.repeat(x, 2, -1)[..., ::2]}


def gelu(x, approximate):
    """The value and the derivative."""
    if approximate == "none":
        gate = (1 + erf(x / math.sqrt(2))) / 2
        return x * gate, gate + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    scale = math.sqrt(2 / math.pi)
    t = np.tanh(scale * (x + 0.044715 * x**3))
    return x * (1 + t) / 2, (1 + t) / 2 + x / 2 * (1 - t * t) * scale * (1 + 3 * 0.044715 * x * x)


def check(function, x, grad, value, slope, scale=1):
    """Compares a function's result and the cotangent of its input."""
    leaf = rushlight.from_numpy(x).requires_grad_()
    result = function(leaf)
    result.backward(rushlight.from_numpy(grad))
    close(result.detach().numpy(), value, x.dtype, scale)
    close(leaf.grad.numpy(), grad * slope, x.dtype, scale)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_gelu(shape, layout, dtype, approximate):
    x, grad = layout(3 * normal(*shape, dtype=dtype)), layout(normal(*shape, dtype=dtype, seed=1))
    call = lambda x: rushlight.nn.functional.gelu(x, approximate=approximate)
    check(call, x, grad, *gelu(x.astype(np.float64), approximate), 5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_bounds(shape, layout, dtype):
    x, grad = layout(normal(*shape, dtype=dtype)), layout(normal(*shape, dtype=dtype, seed=1))
    check(rushlight.relu, x, grad, np.maximum(x, 0), x > 0)
    check(lambda x: x.clamp(-0.5, 0.25), x, grad, x.clip(-0.5, 0.25), (x >= -0.5) & (x <= 0.25))
    check(lambda x: x.clamp_min(0.5), x, grad, np.maximum(x, 0.5), x >= 0.5)
    check(lambda x: x.clamp_max(0.5), x, grad, np.minimum(x, 0.5), x <= 0.5)


def test_a_cotangent_of_another_layout():
    x = normal(40, 30)
    leaf = rushlight.tensor(x, requires_grad=True)
    rushlight.relu(leaf).sum().backward()
    close(leaf.grad.numpy(), 1.0 * (x > 0), np.float32)
    turned = rushlight.from_numpy(normal(30, 40, seed=1).T)
    (found,) = rushlight.autograd.grad(rushlight.nn.functional.gelu(leaf), leaf, turned)
    close(found.numpy(), turned.numpy() * gelu(x.astype(np.float64), "none")[1], np.float32, 5)


@pytest.mark.parametrize("repeat", [1, 2000])
def test_what_is_not_finite(torch, repeat):
    x = torch.tensor([math.nan, math.inf, -math.inf, -0.0, 0.0, 1.0] * repeat, requires_grad=True)
    grad = torch.tensor([2.0, 3.0, math.nan, math.inf, 5.0, math.nan] * repeat)
    inf, nan = math.inf, math.nan
    for call, values, grads in (
        (torch.relu, [nan, inf, 0, 0, 0, 1], [2, 3, 0, 0, 0, nan]),
        (lambda x: x.clamp_min(0), [nan, inf, 0, 0, 0, 1], [0, 3, 0, inf, 5, nan]),
        (lambda x: x.clamp(-1, 0.5), [nan, 0.5, -1, 0, 0, 0.5], [0, 0, 0, inf, 5, 0]),
    ):
        result = call(x)
        (found,) = torch.autograd.grad(result, x, grad)
        np.testing.assert_array_equal(result.detach().numpy(), np.array(values * repeat, np.float32))
        np.testing.assert_array_equal(found.numpy(), np.array(grads * repeat, np.float32))


def test_bounds_that_are_no_numbers_or_in_the_wrong_order(torch):
    x = torch.tensor([-1.0, 0.5, 2.0])
    assert np.isnan(x.clamp(min=math.nan).numpy()).all()
    assert x.clamp(1, 0).tolist() == [0, 0, 0]


def test_large_work_in_parts(monkeypatch):
    monkeypatch.setattr(threads, "NUMBER", 2)
    x, grad = normal(700_001), normal(700_001, seed=1)
    check(rushlight.relu, x, grad, np.maximum(x, 0), x > 0)
    check(rushlight.nn.functional.gelu, x, grad, *gelu(x.astype(np.float64), "none"), 5)
