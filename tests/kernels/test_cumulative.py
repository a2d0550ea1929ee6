"""Cumulative sums, products and logarithms of sums, in both forms: against NumPy, along lines and columns."""

import numpy as np
import pytest
from kernels.forms import both_forms, close, normal

import rushlight
from rushlight.ops.reductions import cumulative, prod

form = both_forms(cumulative, prod)
SHAPES = [(5,), (70, 3), (3, 70), (9, 70, 130), (2, 3, 4)]
UFUNCS = {"cumsum": np.add, "cumprod": np.multiply, "logcumsumexp": np.logaddexp}


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("name", UFUNCS)
@pytest.mark.parametrize("shape", SHAPES)
def test_along_every_dimension(shape, name, dtype, turned):
    if name == "logcumsumexp" and dtype is np.int64:
        pytest.skip("it is not defined for integers")
    x = (normal(*shape, dtype=np.float64) + 1.5).astype(dtype)
    x = x.T if turned else x
    for dim in range(x.ndim):
        found = getattr(rushlight.from_numpy(x), name)(dim).numpy()
        wide = x if dtype is np.int64 else x.astype(np.float64)
        expected = UFUNCS[name].accumulate(wide, dim)
        assert found.flags.c_contiguous
        if dtype is np.int64:
            np.testing.assert_array_equal(found, expected)
        else:
            np.testing.assert_allclose(found, expected, rtol=1e-5 if dtype is np.float32 else 1e-12, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_logarithms_of_sums_of_what_is_infinite_or_missing(dtype):
    inf, nan = np.inf, np.nan
    rows = [
        [-inf, -inf, 1, -inf, 3, 1000, 1000],
        [1, inf, -inf, inf, 2, -inf, 1],
        [0, nan, 1, inf, -inf, 2, 3],
        [-1000, -1000, -2000, 0, 0, 1000, inf],
    ]
    x = np.asarray(rows, dtype)
    expected = np.logaddexp.accumulate(x.astype(np.float64), 1)
    for found in (rushlight.tensor(x).logcumsumexp(1), rushlight.tensor(x.T).logcumsumexp(0).T):
        close(found.numpy(), expected, dtype, 4)
