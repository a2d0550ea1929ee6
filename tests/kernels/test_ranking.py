"""Elements by their rank, the most frequent ones, and places in sorted sequences, against NumPy's sorting."""

import numpy as np
import pytest

from rushlight.kernels import ranking

pytestmark = pytest.mark.skipif(ranking.fast is None, reason="nothing was compiled")
ROWS = [(1,), (2,), (7,), (1000,), (30, 5), (4, 3, 64), (0, 3)]


def rows_of(shape, dtype, kind, seed=0):
    """Random rows: all different, with ties, or with NaN too."""
    draw = np.random.default_rng(seed)
    rows = draw.normal(size=shape) if kind == "different" else draw.integers(-3, 4, shape).astype(float)
    if kind == "nan":
        rows[draw.random(shape) < 0.3] = np.nan
    return rows.astype(dtype)


@pytest.mark.parametrize("kind", ["different", "ties", "nan"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", ROWS)
def test_the_element_of_a_rank(shape, dtype, kind):
    rows = rows_of(shape, dtype, kind)
    for rank in {0, shape[-1] // 2, shape[-1] - 1}:
        places = ranking.place_in_rows(rows, rank)
        if not rows.size:
            assert places is None
            continue
        found = np.take_along_axis(rows, places[..., None], -1)[..., 0]
        assert np.array_equal(found, np.sort(rows, -1)[..., rank], equal_nan=True)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", ROWS[:-1])
def test_the_middle_is_the_first_nan_or_that_of_the_numbers(shape, dtype):
    rows = rows_of(shape, dtype, "nan").reshape(-1, shape[-1])
    first, middle = (ranking.place_in_rows(rows, -1, numbers_only) for numbers_only in (False, True))
    for row, place, number in zip(rows, first, middle, strict=True):
        missing, numbers = np.isnan(row), np.sort(row[~np.isnan(row)])
        if numbers.size:
            assert row[number] == numbers[(numbers.size - 1) // 2]
        assert place == missing.argmax() if missing.any() else row[place] == numbers[(numbers.size - 1) // 2]


@pytest.mark.parametrize("kind", ["different", "ties", "sorted"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", ROWS[:-1])
def test_the_most_frequent_element(shape, dtype, kind):
    rows = rows_of(shape, dtype, "ties" if kind == "sorted" else kind)
    rows = np.sort(rows, -1) if kind == "sorted" else rows
    for row, place in zip(rows.reshape(-1, shape[-1]), ranking.most_frequent(rows).reshape(-1), strict=True):
        values, counts = np.unique(row, return_counts=True)
        assert row[place] == values[counts.argmax()]
        assert place == np.flatnonzero(row == row[place])[-1]


def test_zeros_of_both_signs_are_one_element():
    assert ranking.most_frequent(np.array([1, 1, 0.0, -0.0, 0.0], np.float32)) == 4


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_places_in_a_sorted_sequence(dtype, right):
    sequence = np.array([-np.inf, -2, -2, 0, 1, 1, 1, 5, np.inf], dtype)
    values = np.array([[-np.inf, -3, -2, -0.0], [1, 4, np.inf, np.nan]], dtype)
    places = ranking.places_in(sequence, values, right)
    assert np.array_equal(places, np.searchsorted(sequence, values, "right" if right else "left"))
    assert ranking.places_in(sequence, values.astype(np.int64), right) is None


def test_ranks_beyond_a_row_and_other_arrays_are_not_taken():
    assert ranking.place_in_rows(np.zeros((2, 3)), 3) is None
    assert ranking.place_in_rows(np.zeros((2, 3), np.int64), 0) is None
    assert ranking.most_frequent(np.zeros((2, 3), np.int64)) is None


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(50, 8), (7, 1), (33, 32), (4, 5, 6), (100, 31), (3,), (70, 300)], ids=str)
@pytest.mark.parametrize("spoiled", [False, True])
def test_the_first_extremes_of_rows_and_columns(shape, dtype, spoiled):
    x = np.random.default_rng(0).integers(0, 4, shape).astype(dtype)
    if spoiled:
        x.flat[::7], x.flat[3::5], x.flat[4::5] = np.nan, np.inf, -np.inf
    for array in (x, x.T):
        for dim in range(x.ndim):
            for keepdim in (False, True):
                for largest in (False, True):
                    expected = (array.argmax if largest else array.argmin)(dim, keepdims=keepdim)
                    found = ranking.extreme_along(array, dim, keepdim, largest)
                    assert found.dtype == expected.dtype
                    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("largest", [False, True])
def test_the_first_of_long_rows(dtype, largest):
    rows = np.random.default_rng(0).permutation(np.linspace(-5, 5, 900)).reshape(3, 300).astype(dtype)
    rows[1, 77], rows[1, 299] = np.nan, np.inf
    values, places = ranking.first_along(rows, 5, 1, largest)
    order = np.argsort(rows, 1)  # NaN is at the end
    np.testing.assert_array_equal(places, order[:, ::-1][:, :5] if largest else order[:, :5])
    np.testing.assert_array_equal(values, np.take_along_axis(rows, places, 1))


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("kind", ["different", "ties", "nan"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("shape", [*ROWS[:-1], (300, 300)])
def test_elements_in_order(shape, dtype, kind, descending):
    if dtype == "int64" and kind == "nan":
        pytest.skip("there is none")
    rows = rows_of(shape, "float64", kind)
    rows = (rows * 100).astype(dtype) if dtype == "int64" else rows.astype(dtype)
    for dim in range(rows.ndim):
        for given in (rows, np.asfortranarray(rows), np.repeat(rows, 2, -1)[..., ::2]):
            values, places = ranking.in_order(given, dim, descending)
            if descending:
                backwards = np.flip(given, dim).argsort(dim, kind="stable")
                expected = np.flip(given.shape[dim] - 1 - backwards, dim)
            else:
                expected = given.argsort(dim, kind="stable")
            assert np.array_equal(places, expected)
            assert np.array_equal(values, np.take_along_axis(given, expected, dim), equal_nan=True)


def test_doubles_that_differ_in_their_last_bits_are_in_order():
    draw = np.random.default_rng(0)
    near = 1 + np.finfo(float).eps * draw.integers(0, 30, (40, 50))
    values, places = ranking.in_order(near, 1)
    assert np.array_equal(places, near.argsort(1, kind="stable"))
    assert np.array_equal(values, np.sort(near, 1))
    assert np.array_equal(ranking.in_order(-near, 1, True)[1], places)
    assert ranking.in_order(1 + np.finfo(float).eps * draw.permutation(500), 0) is None


def test_numbers_at_the_ends_of_their_types_are_in_order():
    for x in (
        np.array([0.0, -0.0, np.inf, np.nan, -np.inf, -np.nan, 0.0, -1.0], np.float32),
        np.array([0.0, -0.0, np.inf, np.nan, -np.inf, -np.nan, 5e-324, -5e-324]),
    ):
        assert np.array_equal(ranking.in_order(x, 0)[1], x.argsort(kind="stable"))
    limits = np.iinfo(np.int64)
    near_the_end = np.array([limits.max, limits.max - 3, limits.max - 1, limits.max])
    assert ranking.in_order(near_the_end, 0)[1].tolist() == [1, 2, 0, 3]
    assert ranking.in_order(near_the_end, 0, True)[1].tolist() == [0, 3, 2, 1]
    assert ranking.in_order(np.array([limits.min, limits.max]), 0) is None
