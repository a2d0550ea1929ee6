"""Products of matrices and vectors against NumPy's in double precision, by the compiled kernels and without them."""

import numpy as np
import pytest

from rushlight.kernels import products as kernels

SIZES = [
    (1, 1, 1),
    (2, 3, 4),
    (6, 5, 64),
    (7, 1, 65),
    (13, 70, 31),
    (16, 300, 10),
    (50, 260, 33),
    (100, 16, 130),
    (97, 200, 96),
    (300, 410, 70),
    (16, 1000, 100),
    (61, 1100, 11),
    (3, 300, 50),
    (40, 257, 41),
    (5, 256, 7),
    (2, 0, 3),
    (12, 33, 16),
    (64, 64, 16),
    (100, 201, 9),
    (0, 2, 3),
]


@pytest.fixture(params=["compiled", "BLAS", "NumPy"], autouse=True)
def form(request, monkeypatch):
    """All forms of the kernels."""
    for name in {"compiled": (), "BLAS": ("fast", "gemm"), "NumPy": ("fast", "gemm", "blas")}[request.param]:
        monkeypatch.setattr(kernels, name, None)


def normal(*shape, dtype="float32"):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(dtype)


def check(found, a, b):
    expected = a.astype(np.float64) @ b.astype(np.float64)
    assert found.shape == expected.shape
    assert found.dtype == a.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4 if a.dtype == np.float32 else 1e-10)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("n", "k", "m"), SIZES)
def test_matrices_with_any_strides(n, k, m, dtype):
    for a in (
        normal(n, k, dtype=dtype),
        normal(k, n, dtype=dtype).T,
        normal(n, 2 * k, dtype=dtype)[:, ::2],
        normal(2 * n, k, dtype=dtype)[::-2],
    ):
        for b in (normal(k, m, dtype=dtype), normal(m, k, dtype=dtype).T, normal(k, 3 * m, dtype=dtype)[:, ::3]):
            check(kernels.product(a, b), a, b)


def test_a_large_product_is_shared_among_threads():
    a, b = normal(300, 400), normal(400, 500)
    check(kernels.product(a, b), a, b)
    check(kernels.product(b.T, a.T), b.T, a.T)


@pytest.mark.parametrize(("n", "k", "m"), SIZES)
def test_operands_with_equal_rows_or_columns(n, k, m):
    """Expanded operands; equal rows and columns of the product take the memory of one."""
    a, b = normal(n, k), normal(k, m)
    rows, columns = np.broadcast_to(normal(k), (n, k)), np.broadcast_to(normal(k)[:, None], (k, m))
    check(kernels.product(rows, b), rows, b)
    check(kernels.product(a, columns), a, columns)
    check(kernels.product(rows, columns), rows, columns)
    ones = np.broadcast_to(np.float32(1), (n, k))
    check(kernels.product(ones, b), ones, b)


@pytest.mark.parametrize("batch", [(3,), (2, 5), (2, 1, 3), (0,), (40,)], ids=str)
def test_batches(batch):
    a, b = normal(*batch, 7, 20), normal(*batch, 20, 9)
    check(kernels.products(a, b), a, b)
    check(kernels.products(b.swapaxes(-1, -2), a.swapaxes(-1, -2)), b.swapaxes(-1, -2), a.swapaxes(-1, -2))
    check(kernels.products(a[::-1], b), a[::-1], b)
    turned = np.moveaxis(np.ascontiguousarray(np.moveaxis(a, 0, 2)), 2, 0)
    check(kernels.products(turned, b), turned, b)


def test_batches_that_broadcast():
    a, b = normal(2, 1, 3, 4), normal(5, 4, 6)
    check(kernels.products(a, b), a, b)


def test_large_batches_are_shared_among_threads():
    a, b = normal(40, 60, 50), normal(40, 50, 70)
    check(kernels.products(a, b), a, b)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("n", "m"), [(1, 1), (3, 5), (17, 33), (64, 64), (70, 50), (100, 90), (4, 0), (0, 4)])
def test_vectors(n, m, dtype):
    a, x, y = normal(n, m, dtype=dtype), normal(m, dtype=dtype), normal(n, dtype=dtype)
    check(kernels.matvec(a, x), a, x)
    check(kernels.matvec(a.T, y), a.T, y)
    check(kernels.matvec(normal(n, 2 * m, dtype=dtype)[:, ::2], x), normal(n, 2 * m, dtype=dtype)[:, ::2], x)
    check(kernels.matvec(a, normal(2 * m, dtype=dtype)[::2]), a, normal(2 * m, dtype=dtype)[::2])
    np.testing.assert_array_equal(kernels.outer(y, x), y[:, None] * x)
    np.testing.assert_array_equal(kernels.outer(y[::-1], x), y[::-1, None] * x)


@pytest.mark.parametrize(("n", "m"), [(1, 1), (3, 5), (17, 33), (300, 20), (0, 9)])
def test_rows(n, m):
    a, x = normal(n, m), normal(m)
    np.testing.assert_allclose(kernels.sum_rows(a), a.sum(0), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(kernels.sum_rows(a.T), a.sum(1), rtol=1e-4, atol=1e-5)
    expected = a + x
    np.testing.assert_array_equal(kernels.add_row(a, x), expected)
    np.testing.assert_array_equal(a, expected)


def test_integers_are_numpys():
    a = np.arange(6).reshape(2, 3)
    np.testing.assert_array_equal(kernels.product(a, a.T), a @ a.T)
    np.testing.assert_array_equal(kernels.matvec(a, a[0]), a @ a[0])
    np.testing.assert_array_equal(kernels.outer(a[0], a[1]), np.multiply.outer(a[0], a[1]))


def test_not_a_number_spreads():
    a, b = normal(8, 20), normal(20, 70)
    a[2, 3], b[5, 6] = np.nan, np.inf
    np.testing.assert_array_equal(np.isfinite(kernels.product(a, b)), np.isfinite(a @ b))


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "complex64"])
@pytest.mark.parametrize("shape", [(1, 1), (5, 3), (300, 400), (0, 3)], ids=str)
def test_outer_products_are_added(shape, dtype):
    normal = np.random.default_rng(0).standard_normal
    base, column, row = (normal(size).astype(dtype) for size in (shape, shape[0], shape[1]))
    for matrix in (base, base.T.copy().T, base[:1], base[0, :1] if base.size else base[:, :1]):
        expected = matrix.astype(np.complex128) + np.multiply.outer(column.astype(np.complex128), row)
        found = kernels.add_outer(matrix, column, row)
        assert found.dtype == base.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-2 if dtype == "float16" else 1e-5, atol=1e-2)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "complex64"])
@pytest.mark.parametrize("n", [0, 1, 63, 64, 100, 16384, 16385, 200_000])
def test_inner_products(n, dtype):
    x, y = (np.random.default_rng(seed).integers(-3, 3, n).astype(dtype) for seed in (0, 1))
    for a, b in ((x, y), (x[::-1], y), (x, x)):
        found = kernels.dot(a, b)
        assert np.asarray(found).dtype == x.dtype
        assert found == (a.astype(np.complex128) * b).sum()
    if n and x.dtype.kind == "f":
        x[n // 2] = np.nan
        assert np.isnan(kernels.dot(x, y))
