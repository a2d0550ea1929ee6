"""Limiting gradients by their norm."""

import numpy as np
import pytest

SHAPES = [(7, 5), (3,), ()]


def parameters(torch, dtype, special):
    rng, found = np.random.default_rng(0), []
    for shape in SHAPES:
        param = torch.zeros(shape, dtype=getattr(torch, dtype), requires_grad=True)
        value = np.asarray(rng.standard_normal(shape), dtype)
        if special is not None and value.ndim == 2:
            value[2, 2] = special
        param.grad = torch.tensor(value)
        found.append(param)
    return [*found, torch.zeros(2, requires_grad=True)]


def clipped(torch, dtype, max_norm, order, special):
    params = parameters(torch, dtype, special)
    norm = torch.nn.utils.clip_grad_norm_(params, max_norm, order)
    return [norm.numpy(), *[param.grad.numpy() for param in params if param.grad is not None]]


@pytest.mark.parametrize("special", [None, np.nan, np.inf])
@pytest.mark.parametrize("order", [2.0, 1.0, 3.0, float("inf")])
@pytest.mark.parametrize("max_norm", [1.0, 1e6, 0.0])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_as_in_pytorch(dtype, max_norm, order, special):
    import rushlight

    oracle = pytest.importorskip("torch")
    expected = clipped(oracle, dtype, max_norm, order, special)
    for a, b in zip(clipped(rushlight, dtype, max_norm, order, special), expected, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=3e-3 if dtype == "float16" else 3e-6)


def test_the_norm_is_that_of_all_gradients(torch):
    x, y = torch.zeros(1, requires_grad=True), torch.zeros(2, requires_grad=True)
    x.grad, y.grad = torch.tensor([2.0]), torch.tensor([3.0, 6.0])
    assert torch.nn.utils.clip_grad_norm_([x, y], 3.5).item() == pytest.approx(7.0)
    assert [*x.grad.tolist(), *y.grad.tolist()] == pytest.approx([1.0, 1.5, 3.0])


def test_small_gradients_stay(torch):
    x = torch.zeros(2, requires_grad=True)
    x.grad = torch.tensor([0.1, 0.2])
    grad = x.grad
    torch.nn.utils.clip_grad_norm_(x, 1.0)
    assert x.grad is grad
    assert x.grad.tolist() == torch.tensor([0.1, 0.2]).tolist()
