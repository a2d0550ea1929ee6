"""Tests of kernels that have two forms: each test runs with the compiled one and without."""

import numpy as np
import pytest


def both_forms(*modules):
    """A fixture: the modules with their compiled kernels, where they were compiled, and with NumPy alone."""

    @pytest.fixture(params=["compiled", "numpy"], autouse=True)
    def form(request, monkeypatch):
        if request.param == "compiled" and any(module.fast is None for module in modules):
            pytest.skip("the kernels were not compiled")
        for module in modules:
            monkeypatch.setattr(module, "fast", module.fast if request.param == "compiled" else None)
        return request.param

    return form


def normal(*shape, dtype=np.float32, seed=0):
    """Random numbers of a shape."""
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def close(found, expected, dtype, scale=1.0):
    """Asserts that a result is of a dtype, and as precise as that allows."""
    assert found.dtype == dtype
    tolerance = scale * {np.float16: 2e-3, np.float32: 2e-6, np.float64: 1e-14}[np.dtype(dtype).type]
    size = np.abs(expected[np.isfinite(expected)]).max(initial=1.0)
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * size)
