"""How gamma and beta numbers move with a concentration: compiled, and by differences."""

import numpy as np
import pytest
import scipy.special

from rushlight.kernels import implicit

LEVELS = np.linspace(1e-4, 1 - 1e-4, 25)
CONCENTRATIONS = (1e-3, 0.05, 0.3, 1.0, 2.5, 11.0, 250.0, 1e4)


def both(monkeypatch, function, *arrays):
    """What the compiled form and the plain one give."""
    if implicit.fast is None:
        pytest.skip("nothing was compiled")
    compiled = function(*arrays)
    monkeypatch.setattr(implicit, "fast", None)
    return compiled, function(*arrays)


def test_gamma_numbers(monkeypatch):
    a = np.repeat(CONCENTRATIONS, LEVELS.size).reshape(-1, LEVELS.size)
    x = scipy.special.gammaincinv(a, LEVELS)
    x, a = x[x > 1e-300], a[x > 1e-300]
    kernel = implicit.fast and implicit.fast.gamma_slopes(a, x)
    compiled, plain = both(monkeypatch, implicit.gamma_slope, a, x)
    np.testing.assert_allclose(compiled, plain, rtol=1e-9)
    assert not np.isnan(kernel).any()


def test_beta_numbers(monkeypatch):
    a, b = (each[..., None] + 0 * LEVELS for each in np.meshgrid(CONCENTRATIONS, CONCENTRATIONS))
    x = scipy.special.betaincinv(a, b, LEVELS)
    good = (x > 1e-200) & (1 - x > 1e-9)
    x, a, total = x[good], a[good], (a + b)[good]
    kernel = implicit.fast and implicit.fast.beta_slopes(a, x, total)
    compiled, plain = both(monkeypatch, implicit.beta_slope, x, a, total)
    np.testing.assert_allclose(compiled, plain, rtol=1e-6)
    assert np.isnan(kernel).mean() < 0.1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_has_no_series(monkeypatch, dtype):
    a = np.array([0.0, -1.0, np.nan, 1e9, 2.0, 1.0], dtype)
    x = np.array([1.0, 1.0, 1.0, 1e9, 0.0, 1.0], dtype)
    compiled, plain = both(monkeypatch, implicit.gamma_slope, a, x)
    assert compiled.dtype == plain.dtype == dtype
    np.testing.assert_allclose(compiled, plain, rtol=1e-6)


def test_shapes_broadcast(monkeypatch):
    a, x = np.array([[0.5], [2.0]]), np.array([0.3, 1.0, 4.0])
    for found in both(monkeypatch, implicit.gamma_slope, a, x):
        assert found.shape == (2, 3)
    assert implicit.gamma_slope(np.array(2.0), np.array(1.0)).shape == ()
