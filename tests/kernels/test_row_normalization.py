"""Layer and RMS normalization in both forms: against the definition in float64, central differences, and PyTorch."""

import numpy as np
import pytest
from kernels.forms import both_forms, close, normal

import rushlight
from rushlight.kernels import row_normalization as module

form = both_forms(module)
SHAPES = [((8, 64), 1), ((3, 17), 1), ((2, 3, 5), 2), ((1, 1), 1), ((5, 4100), 1), ((4099, 40), 1), ((7,), 1)]


def normalized(x, dims, centered, eps=1e-5):
    axes = tuple(range(x.ndim - dims, x.ndim))
    centred = x - x.mean(axes, keepdims=True) if centered else x
    return centred / np.sqrt((centred * centred).mean(axes, keepdims=True) + eps)


def cotangent(grad, x, dims, centered, eps=1e-5):
    axes = tuple(range(x.ndim - dims, x.ndim))
    normal = normalized(x, dims, centered, eps)
    centred = x - x.mean(axes, keepdims=True) if centered else x
    invstd = 1 / np.sqrt((centred * centred).mean(axes, keepdims=True) + eps)
    grad = grad - grad.mean(axes, keepdims=True) * centered
    return (grad - normal * (grad * normal).mean(axes, keepdims=True)) * invstd


def apply(x, w, b, dims, centered):
    F = rushlight.nn.functional
    shape = tuple(x.shape[x.ndim - dims :])
    return F.layer_norm(x, shape, w, b) if centered else F.rms_norm(x, shape, w, 1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("centered", [True, False], ids=["layer", "rms"])
@pytest.mark.parametrize(("shape", "dims"), SHAPES, ids=str)
def test_values_and_cotangents(shape, dims, centered, dtype):
    x, grad = 3 * normal(*shape, dtype=dtype) + 1, normal(*shape, dtype=dtype, seed=1)
    w, b = (normal(*shape[-dims:], dtype=dtype, seed=seed) for seed in (2, 3))
    leaves = [rushlight.tensor(a, requires_grad=True) for a in (x, w, b)]
    result = apply(*leaves, dims, centered)
    result.backward(rushlight.tensor(grad))
    x, grad, w, b = (a.astype(np.float64) for a in (x, grad, w, b))
    value, lead = normalized(x, dims, centered), tuple(range(len(shape) - dims))
    scale = 500 if x.shape[-1] == 1 else 50
    close(result.detach().numpy(), value * w + b * centered, dtype, scale)
    close(leaves[0].grad.numpy(), cotangent(grad * w, x, dims, centered), dtype, scale)
    close(leaves[1].grad.numpy(), (grad * value).sum(lead), dtype, scale)
    if centered:
        close(leaves[2].grad.numpy(), grad.sum(lead), dtype, scale)


@pytest.mark.parametrize("centered", [True, False], ids=["layer", "rms"])
@pytest.mark.parametrize("weight", [True, False], ids=["weight", "no weight"])
def test_only_what_is_wanted(weight, centered):
    x = rushlight.tensor(normal(6, 9), requires_grad=not weight)
    w = rushlight.ones(9, requires_grad=True) if weight else None
    apply(x, w, None, 1, centered).pow(3).sum().backward()
    assert (x.grad is None) == weight
    value = normalized(x.detach().numpy().astype(np.float64), 1, centered)
    if weight:
        close(w.grad.numpy(), (3 * value**3).sum(0), np.float32, 50)
    else:
        expected = cotangent(3 * value**2, x.detach().numpy().astype(np.float64), 1, centered)
        close(x.grad.numpy(), expected, np.float32, 50)


def test_strided_and_half_precision():
    x = normal(9, 6).T
    close(apply(rushlight.from_numpy(x), None, None, 1, True).numpy(), normalized(x, 1, True), np.float32, 5)
    half = x.astype(np.float16)
    close(apply(rushlight.tensor(half), None, None, 1, True).numpy(), normalized(half * 1.0, 1, True), np.float16)


def test_a_large_mean_costs_no_digits():
    x = normal(4, 64) + 1000
    found = apply(rushlight.tensor(x), None, None, 1, True).numpy()
    np.testing.assert_allclose(found, normalized(x.astype(np.float64), 1, True), atol=1e-3)


def test_nothing_to_normalize():
    for shape in ((0, 3), (3, 0)):
        assert apply(rushlight.zeros(shape), None, None, 1, True).shape == shape


@pytest.mark.parametrize("centered", [True, False], ids=["layer", "rms"])
def test_derivatives_of_both_orders(centered):
    leaves = [rushlight.tensor(normal(*s, dtype=np.float64), requires_grad=True) for s in ((3, 5), (5,), (5,))]
    call = lambda x, w, b: apply(x, w, b, 1, centered) + b
    assert rushlight.autograd.gradcheck(call, leaves)
    assert rushlight.autograd.gradgradcheck(call, leaves)


@pytest.mark.parametrize("centered", [True, False], ids=["layer", "rms"])
def test_as_pytorch(centered):
    torch = pytest.importorskip("torch")
    x, w, b = normal(5, 33), normal(33, seed=1), normal(33, seed=2)
    mine = apply(*(rushlight.tensor(a) for a in (x, w, b)), 1, centered).numpy()
    F, x, w, b = torch.nn.functional, *(torch.tensor(a) for a in (x, w, b))
    close(mine, (F.layer_norm(x, (33,), w, b) if centered else F.rms_norm(x, (33,), w, 1e-5)).numpy(), np.float32, 5)
