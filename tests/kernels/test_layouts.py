"""Arrays in the memory order of others keep their values."""

import numpy as np
import pytest

from rushlight.kernels import layouts, parts
from rushlight.kernels.layouts import laid_out_like, transposed
from rushlight.kernels.patches import batch_first


@pytest.fixture(params=["compiled", "NumPy"], autouse=True)
def form(request, monkeypatch):
    """Both forms of the kernel."""
    if request.param == "NumPy":
        monkeypatch.setattr(parts, "fast", None)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("shape", [(1, 1), (3, 70), (70, 3), (16, 16), (300, 200), (33, 4099)], ids=str)
def test_transpose(shape, dtype):
    x = np.random.default_rng(0).uniform(-9, 9, shape).astype(dtype)
    found = transposed(x)
    np.testing.assert_array_equal(found, x.T)
    assert found.flags.c_contiguous


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("shape", [(40, 7, 5, 4), (2000, 3), (9, 31, 20), (2, 3)], ids=str)
def test_orders(shape, dtype):
    """Between C order, the batch innermost, and Fortran order, both ways."""
    x = np.random.default_rng(0).uniform(-9, 9, shape).astype(dtype)
    orders = [x, batch_first(np.ascontiguousarray(np.moveaxis(x, 0, -1))), np.asfortranarray(x)]
    for given in orders:
        for model in orders:
            found = laid_out_like(given, model)
            np.testing.assert_array_equal(found, x)
            assert found.strides == model.strides or (found is given and x.size < layouts.LARGE)


def test_what_fits_is_not_copied():
    x = np.ones((100, 100), np.float32)
    assert laid_out_like(x, x + 1) is x
