"""Elementwise operators on arrays of all sizes and layouts: the fast ways for large ones are the plain ones."""

import numpy as np
import pytest
import scipy.special

import rushlight as torch
import rushlight.ops.activation as functional
from rushlight.core.fusion import fused
from rushlight.kernels.erfinv import erfinv
from rushlight.kernels.selection import LARGE, bounded, drop, keep, select

SIZE = 1 << 15  # beyond it arrays are taken in parts, by several threads
SIZES = [0, 1, 7, LARGE - 1, LARGE, 2 * SIZE + 3]
DTYPES = [np.float16, np.float32, np.float64, np.complex64, np.complex128, np.int32]


def normal(shape, dtype=np.float32, seed=0):
    numbers = np.random.default_rng(seed).standard_normal(shape) * 3
    numbers = numbers.astype(dtype)
    if numbers.size > 5 and numbers.dtype.kind == "f":
        numbers.flat[:5] = np.nan, np.inf, -np.inf, 0.0, -0.0
    return numbers


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", SIZES)
def test_selection(size, dtype):
    x, y = normal(size, dtype), normal(size, dtype, seed=1)
    condition = np.random.default_rng(2).random(size) < 0.5
    for found, expected in (
        (select(condition, x, y), np.where(condition, x, y)),
        (select(condition, x, np.asarray(y[:1].sum(), dtype)), np.where(condition, x, y[:1].sum())),
        (keep(condition, x), np.where(condition, x, np.zeros_like(x))),
        (drop(condition, x), np.where(condition, np.zeros_like(x), x)),
    ):
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, expected)


def test_selection_of_views_and_broadcast_arrays():
    x, y = normal((100, 130)).T, normal((1, 100), seed=1)
    condition = normal((130, 1), seed=2) > 0
    np.testing.assert_array_equal(select(condition, x, y), np.where(condition, x, y))
    condition = x > 0.5
    np.testing.assert_array_equal(select(condition, x[::-1, ::-1], x), np.where(condition, x[::-1, ::-1], x))
    np.testing.assert_array_equal(keep(condition, x), np.where(condition, x, 0))


@pytest.mark.parametrize("size", SIZES)
def test_bounds(size):
    x = normal(size)
    for low, high in ((-1, 1), (None, 0.5), (0, None), (2, 1)):
        expected = x if low is None else np.maximum(x, np.float32(low))
        expected = expected if high is None else np.minimum(expected, np.float32(high))
        np.testing.assert_array_equal(bounded(x, low, high), expected)


def test_fused():
    def cubed(x, y, n):
        return x * y + n * x

    x, y = normal((300, 500), np.float64), normal((300, 500), np.float64, seed=1)
    fast = fused(cubed)
    four = fused(lambda x, y, a, b, c: (x * a + y * b) * c)
    np.testing.assert_array_equal(four(x, y, 2, 0.5, 3), (x * 2 + y * 0.5) * 3)
    repeated = np.broadcast_to(np.float64(2.5), x.shape)
    for a, b in ((x, y), (x.T, y.T), (x, y.T.copy().T), (x[::2], y[::2]), (repeated, x), (x, repeated), (x, y[:1])):
        np.testing.assert_array_equal(fast(a, b, 2), cubed(a, b, 2))


SMOOTH = ["sigmoid", "relu", "gelu", "silu", "mish", "elu", "softplus", "hardswish", "logsigmoid"]


@pytest.mark.parametrize("name", SMOOTH)
def test_large_activations(name):
    function = getattr(functional, name)
    values = np.random.default_rng(0).standard_normal(2 * SIZE + 5).astype(np.float32) * 4
    x = torch.tensor(values, requires_grad=True)
    y = function(x)
    y.sum().backward()
    for start in range(0, values.size, values.size // 3):
        part = slice(start, start + 100)
        z = torch.tensor(values[part], requires_grad=True)
        w = function(z)
        w.sum().backward()
        np.testing.assert_allclose(y.detach().numpy()[part], w.detach().numpy(), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(x.grad.numpy()[part], z.grad.numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "points", "limits"),
    [
        ("sigmoid", [-200.0, 200.0], [0.0, 1.0]),
        ("softplus", [-200.0, 200.0], [0.0, 200.0]),
        ("logsigmoid", [-200.0, 200.0], [-200.0, 0.0]),
        ("mish", [-200.0, 200.0], [0.0, 200.0]),
        ("silu", [-200.0, 200.0], [0.0, 200.0]),
        ("elu", [-200.0, 200.0], [-1.0, 200.0]),
        ("gelu", [-200.0, 200.0], [0.0, 200.0]),
    ],
)
def test_far_out(name, points, limits):
    x = torch.tensor(points, requires_grad=True)
    y = getattr(functional, name)(x)
    np.testing.assert_allclose(y.detach().numpy(), limits, atol=1e-6)
    (grad,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    assert np.isfinite(grad.detach().numpy()).all()
    (second,) = torch.autograd.grad(grad.sum(), x)
    np.testing.assert_allclose(second.numpy(), 0, atol=1e-6)


@pytest.mark.parametrize("name", ["erfc", "lgamma", "digamma", "i0"])
def test_special_functions_of_half_precision(name):
    x = torch.tensor([0.5, 1.5], dtype=torch.float16)
    y = getattr(torch, name)(x)
    assert y.dtype == torch.float16
    np.testing.assert_allclose(y.numpy(), getattr(torch, name)(x.float()).numpy(), rtol=2e-3)


def test_empty_and_scalar():
    for shape in ((0,), (2, 0), ()):
        x = torch.ones(shape, requires_grad=True)
        for function in (torch.sigmoid, torch.relu, functional.gelu, torch.erf, lambda x: x.clamp(0, 1), torch.lgamma):
            y = function(x)
            y.sum().backward()
            assert y.shape == x.grad.shape == x.shape


def test_numpy_functions_take_tensors():
    x = torch.tensor([0.25, 0.5], requires_grad=True)
    for numpy_function, function in (
        (np.exp2, torch.exp2),
        (np.arctan2, torch.atan2),
        (np.maximum, torch.maximum),
        (np.sign, torch.sign),
        (np.logaddexp, torch.logaddexp),
        (np.greater, torch.gt),
        (np.logical_not, torch.logical_not),
    ):
        operands = [x, x * x][: numpy_function.nin]
        assert torch.equal(numpy_function(*operands), function(*operands))
    assert np.maximum(0.3, x).tolist() == pytest.approx([0.3, 0.5])
    assert np.where(x > 0.3, x, 0).tolist() == [0.0, 0.5]


@pytest.mark.parametrize("size", [7, 1 << 11, 2 * SIZE + 3])
def test_inverse_of_the_error_function(size):
    generator = np.random.default_rng(0)
    x = generator.uniform(-1, 1, size).astype(np.float32)
    x[: size // 2] = np.sign(x[: size // 2]) * (1 - 10 ** generator.uniform(-7, -1, size // 2))  # near the ends
    expected = scipy.special.erfinv(x.astype(np.float64))
    np.testing.assert_allclose(erfinv(x), expected, rtol=3e-7)
    x[:6] = 1, -1, 0, np.nan, 1.5, 1e-30
    expected = scipy.special.erfinv(x.astype(np.float64))
    np.testing.assert_allclose(erfinv(x), expected, rtol=3e-7)
    assert erfinv(x).dtype == np.float32
    np.testing.assert_array_equal(erfinv(x.astype(np.float64)), expected)
