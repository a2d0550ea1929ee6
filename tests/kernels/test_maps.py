"""Sparse matrices along the last dimensions: the kernel gives what products with SciPy's matrices give."""

import numpy as np
import pytest

from rushlight.nn.functional import sampling
from rushlight.nn.functional.interpolation import resizing

needs_compiled = pytest.mark.skipif(sampling.fast is None, reason="nothing was compiled")
RESIZED = [
    ("nearest", (8,), (16,)),
    ("nearest", (7, 6), (21, 12)),
    ("nearest", (5, 40), (20, 40)),
    ("nearest", (6, 9), (13, 7)),
    ("nearest-exact", (3, 4, 5), (6, 8, 10)),
    ("linear", (6, 5), (12, 11)),
    ("linear", (4, 5, 6), (7, 5, 3)),
    ("cubic", (9, 40), (4, 90)),
]


@needs_compiled
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("outer", [(1, 2), (4, 5)])
@pytest.mark.parametrize(("kind", "sizes", "counts"), RESIZED)
def test_resizing_is_a_product_with_a_matrix_for_each_dimension(kind, sizes, counts, outer, dtype, monkeypatch):
    maps = tuple(resizing(kind, size, count, None, False, False) for size, count in zip(sizes, counts, strict=True))
    turned = tuple(one.T for one in maps)
    generator = np.random.default_rng(0)
    for given, matrices in (((*outer, *sizes), maps), ((*outer, *counts), turned)):
        x = generator.standard_normal(given).astype(dtype)
        found = sampling.mapped(x, matrices)
        with monkeypatch.context() as patch:
            patch.setattr(sampling, "fast", None)
            expected = sampling.mapped(x, matrices)
        assert found.flags.c_contiguous
        np.testing.assert_allclose(found, expected, atol=1e-5 if dtype is np.float32 else 1e-12)


@needs_compiled
@pytest.mark.parametrize("width", [1, 3, 16, 32, 40])
def test_rows_without_weights_are_zeros(width):
    starts, places = np.array([0, 2, 2, 3], np.int32), np.array([1, 3, 0])
    table = np.arange(4.0 * width).reshape(4, width)
    found = sampling.fast.mapped(table, 0, (starts, places, None))
    np.testing.assert_array_equal(found, [table[1] + table[3], np.zeros(width), table[0]])


@needs_compiled
def test_what_the_kernel_does_not_take():
    starts, places = np.array([0, 1], np.int32), np.array([0], np.int32)
    assert sampling.fast.mapped(np.ones((1, 1), np.int64), 0, (starts, places, None)) is None
    assert sampling.fast.mapped(np.ones((1, 1)), 0, (starts.astype(np.int64), places, None)) is None
    assert sampling.fast.mapped(np.ones((1, 1)), 0, (starts, places.astype(np.int16), None)) is None
