"""Loops of ufuncs: from the fields of NumPy's objects, or, where those are elsewhere, by calls through Python."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.core.formulas import Formula, evaluate
from rushlight.kernels.compiled import load

ufuncs = load("ufuncs")
pytestmark = pytest.mark.skipif(ufuncs is None, reason="nothing was compiled")


@pytest.fixture
def without_fields():
    ufuncs.without_fields(True)
    yield
    ufuncs.without_fields(False)


def test_the_fields_are_where_they_are_expected():
    assert ufuncs.by_fields()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 100, 5000, 300_000])
def test_without_fields_formulas_give_the_same(without_fields, n, dtype):
    x = np.linspace(-2, 2, n).astype(dtype)
    y = np.linspace(1, 3, n).astype(dtype)

    def function(a, b):
        return np.where(np.isfinite(a), np.exp(a) * b - np.tanh(a), 0) + a**3

    for a, b in ((x, y), (x[::-1], y), (x, y[:1]), (x.reshape(-1, 1), y[:7])):
        found = evaluate(Formula(function, 2), a, b, None, None)
        np.testing.assert_allclose(found, function(a, b), 1e-5, 1e-5)


def test_operators_first_used_without_fields(without_fields):
    x = torch.linspace(0.1, 0.9, 4000, requires_grad=True)
    result = torch.special.ndtri(x)
    result.sum().backward()
    torch.testing.assert_close(torch.special.ndtr(result), x)
    torch.testing.assert_close(x.grad, (2 * torch.pi) ** 0.5 * torch.exp(result * result / 2))
