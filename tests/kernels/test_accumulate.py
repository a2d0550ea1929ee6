"""Rows and elements added up by index, in both forms: against a loop; cumulative sums and extremes; products."""

import numpy as np
import pytest
from kernels.forms import both_forms, close, normal

import rushlight
from rushlight.kernels import accumulate, reductions
from rushlight.ops.reductions import cumulative

form = both_forms(accumulate, cumulative, reductions)
SHAPES = [(4, 10), (17,), (3, 5, 7), (20, 1), (1, 3), (9, 1000), (300, 300)]
dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@dtypes
@pytest.mark.parametrize("shape", [(30, 5), (30,), (700, 3, 4), (1, 1), (5000, 8)], ids=str)
def test_add_rows(shape, dtype):
    rows, index = normal(*shape, dtype=dtype), np.random.default_rng(1).integers(0, 7, shape[0])
    expected = np.zeros((9, *shape[1:]))
    for k, row in zip(index, rows, strict=True):
        expected[k] += row
    close(accumulate.add_rows(index, rows, 9), expected, dtype, 10)


def test_add_rows_of_other_kinds():
    index = np.array([0, 2, 0])
    rows = np.arange(6).reshape(3, 2)
    assert accumulate.add_rows(index, rows, 3).tolist() == [[4, 6], [0, 0], [2, 3]]
    assert accumulate.add_rows(index, (rows * 1.0)[:, ::-1], 3).tolist() == [[6, 4], [0, 0], [3, 2]]
    assert accumulate.add_rows(index[:0], (rows * 1.0)[:0], 2).tolist() == [[0, 0], [0, 0]]
    with pytest.raises((IndexError, ValueError)):
        accumulate.add_rows(np.array([0, 3, 0]), rows * 1.0, 3)


@dtypes
@pytest.mark.parametrize("dim", [0, 1, 2])
def test_scatter_add_and_the_cotangent_of_gather(dim, dtype):
    shape, sizes = (4, 5, 6), tuple(9 if d == dim else n for d, n in enumerate((4, 5, 6)))
    source, index = normal(*sizes, dtype=dtype), np.random.default_rng(1).integers(0, shape[dim], sizes)
    expected = np.zeros(shape)
    for place in np.ndindex(sizes):
        expected[(*place[:dim], index[place], *place[dim + 1 :])] += source[place]
    zeros = rushlight.from_numpy(np.zeros(shape, dtype)).requires_grad_()
    places, values = rushlight.from_numpy(index), rushlight.from_numpy(source)
    close(zeros.scatter_add(dim, places, values).detach().numpy(), expected, dtype)
    zeros.gather(dim, places).backward(values)
    close(zeros.grad.numpy(), expected, dtype)


@dtypes
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_cumulative_sum(shape, dtype):
    x = normal(*shape, dtype=dtype)
    for dim in range(x.ndim):
        leaf = rushlight.tensor(x, requires_grad=True)
        result = leaf.cumsum(dim)
        result.backward(rushlight.tensor(x))
        wide = x.astype(np.float64)
        close(result.detach().numpy(), wide.cumsum(dim), dtype, 50)
        close(leaf.grad.numpy(), np.flip(np.flip(wide, dim).cumsum(dim), dim), dtype, 50)


@dtypes
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_cumulative_extremes(shape, dtype):
    x = normal(*shape, dtype=dtype).round(1)
    x.flat[x.size // 2] = np.nan
    for dim in range(x.ndim):
        for name, ufunc in (("cummax", np.maximum), ("cummin", np.minimum)):
            values, places = (t.numpy() for t in getattr(rushlight, name)(rushlight.tensor(x), dim))
            np.testing.assert_array_equal(values, ufunc.accumulate(x, dim))
            np.testing.assert_array_equal(np.take_along_axis(x, places, dim), values)
            assert places.dtype == np.int64


def test_of_equal_extremes_the_latest(torch):
    x = torch.tensor([1.0, 3.0, 3.0, 2.0, float("nan"), 5.0, float("nan")])
    assert torch.cummax(x, 0).indices.tolist() == [0, 1, 2, 2, 4, 4, 6]
    assert torch.cummin(x, 0).indices.tolist() == [0, 0, 0, 0, 4, 4, 6]


@dtypes
@pytest.mark.parametrize("keepdim", [True, False])
@pytest.mark.parametrize("shape", [*SHAPES, (3, 0)], ids=str)
def test_products(shape, keepdim, dtype):
    x = 1 + normal(*shape, dtype=dtype) / 10
    for dim in range(-1, x.ndim):
        found = rushlight.prod(rushlight.tensor(x), dim, keepdim).numpy()
        expected = x.astype(np.float64).prod(dim, keepdims=keepdim)
        assert found.dtype == dtype
        np.testing.assert_allclose(found, expected, rtol=2e-4 if dtype == np.float32 else 1e-12)


def test_strided_and_other_types():
    x = normal(6, 8)
    np.testing.assert_allclose(rushlight.from_numpy(x.T).cumsum(0).numpy(), x.T.cumsum(0), rtol=1e-5, atol=1e-6)
    assert rushlight.tensor([1, 2, 3]).cumsum(0).tolist() == [1, 3, 6]
    assert rushlight.tensor([3, 5, 4]).cummax(0).values.tolist() == [3, 5, 5]
    half = rushlight.tensor([1.0, 2.0]).cumsum(0, dtype=rushlight.float64)
    assert (half.dtype, half.tolist()) == (rushlight.float64, [1, 3])
