"""Reductions of large arrays in both forms, against Python's own sums, products and extremes."""

import math

import numpy as np
import pytest
from kernels.forms import both_forms, normal

from rushlight.kernels import codes, reductions

form = both_forms(reductions)


def extreme(choose):
    """The extreme of some numbers, NaN where there is one."""
    return lambda x: math.nan if np.isnan(x).any() else choose(x)


KINDS = {
    codes.SUM: math.fsum,
    codes.NUMBERS: lambda x: math.fsum(x[~np.isnan(x)]),
    codes.PRODUCT: math.prod,
    codes.LARGEST: extreme(max),
    codes.SMALLEST: extreme(min),
    codes.SQUARES: lambda x: math.fsum(x * x),
    codes.SIZES: lambda x: math.fsum(np.abs(x)),
}
ALONG = [
    ((40, 41), (0,)),
    ((40, 41), (1,)),
    ((40, 41), (0, 1)),
    ((3, 40, 20), (1,)),
    ((3, 20, 40), (0, 1)),
    ((5, 7, 11, 9), (1, 2)),
    ((5, 7, 11, 9), (0, 3)),
    ((300, 16), (0,)),
    ((300, 15), (0,)),
    ((1, 20_000), (1,)),
    ((3, 9000), (1,)),
    ((30, 257), (0,)),
    ((1100, 1), (1,)),
    ((4, 90, 3), (1,)),  # few columns: some rows are taken for one
    ((500, 2, 3), (1,)),
    ((2, 700, 7), (1,)),
    ((400, 9), (1,)),  # short rows
    ((5, 70, 60), (1,)),  # so large that permuted dimensions are put in the order of memory
    ((30, 25, 30), (0, 2)),
    ((9, 5, 30, 20), (0, 2)),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("shape", "dims"), ALONG)
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("holes", [(), (5, -1)])
def test_along_dimensions(shape, dims, kind, dtype, order, holes):
    x = 1 + normal(*shape, dtype=dtype) / 50 if kind == codes.PRODUCT else normal(*shape, dtype=dtype)
    for place in holes:
        x.flat[place] = np.nan
    rows = np.moveaxis(x, dims, range(-len(dims), 0)).reshape(*(n for d, n in enumerate(shape) if d not in dims), -1)
    expected = np.apply_along_axis(KINDS[kind], -1, rows.astype(np.float64))
    found = reductions.reduced(np.array(x, order=order), dims, False, kind)
    kept = reductions.reduced(np.array(x, order=order), dims, True, kind)
    assert np.shape(found) == expected.shape
    assert kept.shape == tuple(1 if d in dims else n for d, n in enumerate(shape))
    assert found.dtype == kept.dtype == dtype
    tolerance = 2e-4 if dtype == np.float32 else 1e-12
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * 100)
    np.testing.assert_array_equal(kept.reshape(np.shape(found)), found)


@pytest.mark.skipif(reductions.fast_moments is None, reason="nothing was compiled")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("shape", "dims"), ALONG)
@pytest.mark.parametrize("order", ["C", "F"])
def test_variances_and_means(shape, dims, dtype, order):
    x = np.asarray(1000 + normal(*shape, dtype=dtype), order=order)
    found = reductions.moments(x, dims, 7.0)
    consecutive = max(dims) - min(dims) + 1 == len(dims)
    if found is None:
        assert not consecutive or (order == "F" and x.ndim > 2)
        return
    exact = x.astype(np.float64)
    mean = exact.mean(dims, keepdims=True)
    for a, b in zip(found, (np.square(exact - mean).sum(dims) / 7, mean.squeeze(dims)), strict=True):
        assert a.dtype == dtype
        np.testing.assert_allclose(a, b, 1e-6 if dtype == np.float32 else 1e-12)


WHOLE = {codes.SUM: sum, codes.PRODUCT: math.prod, codes.LARGEST: max, codes.SMALLEST: min}


@pytest.mark.parametrize("kind", WHOLE)
@pytest.mark.parametrize(("shape", "dims"), ALONG)
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["int64", "int32", "bool"])
def test_integers_and_truths(shape, dims, kind, dtype, order):
    """Sums and products are those of 64 bits."""
    x = np.random.default_rng(0).integers(-3, 4, shape).astype(dtype).astype(dtype, order=order)
    found = reductions.reduced(x, dims, False, kind)
    if kind in (codes.SUM, codes.PRODUCT):
        assert found.dtype == np.int64
    lines = np.moveaxis(x, dims, range(-len(dims), 0)).reshape(*found.shape, -1)
    for place in np.ndindex(found.shape):
        expected = WHOLE[kind](lines[place].tolist())
        assert found[place] == (expected + 2**63) % 2**64 - 2**63
    assert reductions.reduced(x, dims, True, kind).shape == tuple(1 if d in dims else n for d, n in enumerate(shape))
    assert reductions.total(x, kind) == reductions.reduced(x, tuple(range(x.ndim)), False, kind)
