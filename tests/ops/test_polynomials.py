"""Orthogonal polynomials against PyTorch, and against their recurrences where it is not installed."""

import numpy as np
import pytest

import rushlight
from rushlight.ops.elementwise import polynomials

X = np.array([-1.0, -0.9, -0.3, 0.0, 0.4, 0.99, 1.0, 1.5])


@pytest.mark.parametrize("name", polynomials.__all__)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_values(name, dtype):
    theirs = pytest.importorskip("torch")
    results = []
    for torch in (rushlight, theirs):
        x = torch.tensor(X, dtype=getattr(torch, dtype))
        n = torch.tensor([-1, 0, 1, 2, 3, 5, 8, 4])
        function = getattr(torch.special, name)
        results.append([function(x, n), function(x, 3), function(0.5, n), function(x[:, None], n)])
    for a, b in zip(*results, strict=True):
        assert str(a.dtype) == str(b.dtype)
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=2e-4 if dtype == "float32" else 1e-9, atol=1e-5)


RECURRENCES = {
    "chebyshev_polynomial_t": lambda n, x, now, last: 2 * x * now - last,
    "hermite_polynomial_he": lambda n, x, now, last: x * now - n * last,
    "laguerre_polynomial_l": lambda n, x, now, last: ((2 * n + 1 - x) * now - n * last) / (n + 1),
    "legendre_polynomial_p": lambda n, x, now, last: ((2 * n + 1) * x * now - n * last) / (n + 1),
}


@pytest.mark.parametrize("name", RECURRENCES)
def test_recurrences(name):
    function = getattr(rushlight.special, name)
    x = rushlight.tensor(X)
    for n in (1, 2, 7):
        last, now, following = (function(x, n + step).numpy() for step in (-1, 0, 1))
        np.testing.assert_allclose(following, RECURRENCES[name](n, X, now, last), rtol=1e-9, atol=1e-12)


def test_there_is_no_derivative(torch):
    x = torch.tensor([0.5], requires_grad=True)
    assert not torch.special.hermite_polynomial_h(x, 2).requires_grad
