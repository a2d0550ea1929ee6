"""The compiled kernels of windows and of maps along dimensions against their NumPy forms, bit for bit."""

import numpy as np
import pytest
from scipy import sparse

from rushlight.kernels import accumulate, pooling
from rushlight.nn.functional import adaptive_pooling, fractional_pooling, planes, sampling

GENERATOR = np.random.default_rng(0)
SETTINGS = [  # spatial shape, kernel, stride, padding, dilation
    ((11,), (2,), (2,), (0,), (1,)),
    ((7, 9), (3, 2), (2, 1), (1, 1), (1, 2)),
    ((7, 9), (3, 3), (1, 1), (1, 1), (2, 2)),
    ((3, 3), (2, 2), (1, 1), (1, 1), (3, 3)),  # some windows see padding alone
    ((4, 5, 6), (2, 2, 3), (2, 1, 3), (0, 1, 1), (1, 1, 1)),
]
LAYOUTS = {
    "contiguous": lambda x: x,
    "samples innermost": lambda x: np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 0, -1)), -1, 0),
    "channels last": lambda x: np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 1, -1)), -1, 1),
    "reversed": lambda x: x[..., ::-1],
}


def numbers(*shape, dtype):
    """Numbers with many equal ones, and some NaN."""
    x = GENERATOR.integers(-3, 4, shape).astype(dtype)
    x[GENERATOR.random(shape) < 0.1] = np.nan
    return x


def same(a, b):
    """Whether arrays are the same."""
    return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_maxima_and_their_places(monkeypatch, setting, dtype, layout):
    shape, *windows = setting
    for ceil_mode in (False, True):
        x = LAYOUTS[layout](numbers(9, 3, *shape, dtype=dtype))
        found = pooling.max_pool(x, *windows, ceil_mode)
        alone = pooling.max_pool_at_once(x, windows, ceil_mode, False)
        with monkeypatch.context() as plain:
            plain.setattr(pooling, "fast", None)
            expected = pooling.max_pool(x, *windows, ceil_mode)
        assert all(map(same, found, expected))
        assert alone is None or (same(alone[0], expected[0]) and alone[1] is None)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("places", [(1, 1, 1), (2, 3, 4), (4, 5, 33), (3, 7, 50)], ids=str)
@pytest.mark.parametrize("dims", [1, 2, 3])
def test_windows_that_divide_planes(monkeypatch, dims, places, dtype):
    spatial, places = (4, 5, 33)[-dims:], places[-dims:]
    x, grad = numbers(2, 3, *spatial, dtype=dtype), numbers(2, 3, *places, dtype=dtype)
    largest = adaptive_pooling.MAX_POOL[dims].forward
    found = largest(x, places), largest(x[0], places)
    means = adaptive_pooling.adaptive_avg_pool(x, places)
    shares = adaptive_pooling.adaptive_avg_pool_cotangent(grad, x.shape, dims)
    monkeypatch.setattr(pooling, "fast", None)
    monkeypatch.setattr(pooling, "averages", None)
    monkeypatch.setattr(sampling, "fast", None)
    for given, pair in zip((x, x[0]), found, strict=True):
        assert all(map(same, pair, largest(given, places)))
    tolerance = 16 * np.finfo(dtype).eps
    np.testing.assert_allclose(means, adaptive_pooling.adaptive_avg_pool(x, places), tolerance, tolerance)
    expected = adaptive_pooling.adaptive_avg_pool_cotangent(grad, x.shape, dims)
    np.testing.assert_allclose(shares, expected, tolerance, tolerance)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("dims", [2, 3])
def test_windows_at_random_distances(monkeypatch, dims, dtype):
    x = numbers(2, 3, *(9, 8, 11)[-dims:], dtype=dtype)
    samples = GENERATOR.random((2, 3, dims)).astype(dtype)
    for kernel, places in (((2, 3, 2), (4, 3, 5)), ((1, 1, 1), (1, 2, 1)), ((9, 8, 11), (1, 1, 1))):
        arguments = x, samples, kernel[-dims:], places[-dims:]
        found = fractional_pooling.POOL[dims].forward(*arguments)
        with monkeypatch.context() as plain:
            plain.setattr(pooling, "fast", None)
            assert all(map(same, found, fractional_pooling.POOL[dims].forward(*arguments)))


@pytest.mark.parametrize("lead", [(1, 1), (4, 3)])
def test_maxima_over_listed_places(monkeypatch, lead):
    x = numbers(4, 3, 5, 6, dtype=np.float32)
    positions = GENERATOR.integers(0, 30, (*lead, 7, 4))
    positions.sort(-1)
    found = planes.largest(x, positions)
    monkeypatch.setattr(pooling, "fast", None)
    assert all(map(same, found, planes.largest(x, positions)))


@pytest.mark.parametrize("innermost", [False, True])
def test_elements_put_into_planes(innermost):
    grad = GENERATOR.standard_normal((9, 2, 4, 3)).astype(np.float32)
    places = GENERATOR.integers(0, 30, grad.shape)
    if innermost:
        grad, places = map(LAYOUTS["samples innermost"], (grad, places))
    expected = np.zeros((9, 2, 30), np.float32)
    for n, c in np.ndindex(9, 2):
        np.add.at(expected[n, c], places[n, c].ravel(), grad[n, c].ravel())
    assert same(pooling.scatter_planes(grad, places, (5, 6)), expected.reshape(9, 2, 5, 6))
    with pytest.raises(RuntimeError, match="invalid max index: 30"):
        pooling.scatter_planes(grad, places + (places == places.max()) * (30 - places.max()), (5, 6))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.complex64])
@pytest.mark.parametrize("turned", [False, True])
def test_maps_along_dimensions(monkeypatch, turned, dtype, layout):
    sizes = (5, 7, 40)
    x = LAYOUTS[layout](GENERATOR.standard_normal((2, 3, *sizes)).astype(dtype))
    maps = tuple(sampling.averaging(*line) for line in zip(sizes, (3, 4, 9), strict=True))
    if turned:
        maps = tuple(sampling.averaging(count, size).T for size, count in zip(sizes, (3, 4, 9), strict=True))
    found = sampling.mapped(x, maps)
    with monkeypatch.context() as plain:
        plain.setattr(sampling, "fast", None)
        assert same(found, sampling.mapped(x, maps))
    assert found.flags.c_contiguous
    assert found.shape == (2, 3, *(each.rows.shape[0] for each in maps))
    assert maps[0].T.T is maps[0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("width", [1, 7, 16, 40, 75])
def test_rows_added_up_in_runs(width, dtype):
    table = GENERATOR.standard_normal((9, width)).astype(dtype)
    rows, runs = GENERATOR.integers(0, 9, 30), np.sort(GENERATOR.integers(0, 6, 30))
    weights = GENERATOR.standard_normal(30).astype(dtype)
    for factors in (None, weights):
        expected = np.zeros((7, width), dtype)
        np.add.at(expected, runs, table[rows] if factors is None else table[rows] * factors[:, None])
        found = accumulate.add_runs(table, rows, runs, factors, 7)
        np.testing.assert_allclose(found, expected, 1e-5, 1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_kernel_takes_the_maps(dtype):
    for each in (sampling.averaging(7, 3), sampling.averaging(7, 3).T):
        rows = each.in_dtype(np.dtype(dtype))
        x = np.ones((2, rows.shape[1]), dtype)
        found = sampling.fast is None or sampling.fast.mapped(x, 1, (rows.indptr, rows.indices, rows.data))
        assert found is not None


@pytest.mark.skipif(sampling.fast is None, reason="the kernels are not compiled")
def test_the_kernel_takes_maps_to_nothing():
    rows = sparse.csr_matrix(np.ones((0, 3), np.float32))
    starts, places = rows.indptr.astype(np.int32), rows.indices.astype(np.int32)
    found = sampling.fast.mapped(np.ones((2, 3, 5), np.float32), 1, (starts, places, rows.data))
    assert found.shape == (2, 0, 5)
