"""Euclidean distances by the kernel, of short rows from differences and of long rows from products, as by NumPy."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.kernels.compiled import load
from rushlight.ops.reductions import distances

SHAPES = {
    "short": ((40, 3), (30, 3)),
    "one column": ((40, 1), (5, 1)),
    "sixteen": ((30, 16), (70, 16)),
    "long": ((200, 33), (130, 33)),
    "a batch": ((3, 30, 5), (3, 20, 5)),
    "a batch of long rows": ((2, 3, 70, 20), (2, 3, 30, 20)),
    "broadcast": ((3, 30, 5), (30, 5)),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shapes", SHAPES)
def test_euclidean_distances(monkeypatch, shapes, dtype):
    draw = np.random.default_rng(0)
    x, y = (torch.from_numpy(draw.standard_normal(shape).astype(dtype)).requires_grad_() for shape in SHAPES[shapes])
    found = torch.cdist(x, y)
    grads = torch.autograd.grad(found.pow(2).sum(), (x, y))
    monkeypatch.setattr(distances, "fast", None)
    expected = torch.cdist(x, y)
    close = {"rtol": 1e-4, "atol": 1e-4} if dtype is np.float32 else {"rtol": 1e-11, "atol": 1e-11}
    torch.testing.assert_close(found, expected, **close)
    for a, b in zip(grads, torch.autograd.grad(expected.pow(2).sum(), (x, y)), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-3 if dtype is np.float32 else 1e-9, atol=1e-3)


def test_transposed_matrices_and_what_is_not_a_number():
    kernel = load("distances")
    if kernel is None:
        pytest.skip("the kernel was not compiled")
    x = np.random.default_rng(0).standard_normal((10, 30))
    expected = np.sqrt(((x.T[:, None] - x.T[None, ::2]) ** 2).sum(-1))
    np.testing.assert_allclose(kernel.euclidean(x.T, x.T[::2]), expected, atol=1e-7)
    x[3, 4] = np.nan
    assert np.isnan(kernel.euclidean(x.T, x.T)).sum() == 59
    assert kernel.euclidean(x, x) is None  # wide rows: by products
    assert kernel.euclidean(x, x.astype(np.float32)) is None
    assert kernel.euclidean(x, x[:, :5]) is None


def test_distances_from_products():
    kernel = load("distances")
    if kernel is None:
        pytest.skip("the kernel was not compiled")
    x, y = np.random.default_rng(0).standard_normal((2, 3, 40, 30))
    squares, other_squares, found = (x * x).sum(-1), (y * y).sum(-1), x @ y.mT
    assert not kernel.finish_products(found.astype(np.float32), squares, other_squares)
    assert not kernel.finish_products(found.mT, other_squares, squares)
    assert not kernel.finish_products(found, squares[:1], other_squares)
    assert kernel.finish_products(found, squares, other_squares)
    np.testing.assert_allclose(found, np.linalg.norm(x[..., None, :] - y[:, None], axis=-1))
