"""Triangles of matrices, compiled and with NumPy's functions."""

import numpy as np
import pytest

from rushlight.kernels import triangles

SHAPES = [(3, 5), (5, 3), (4, 4), (2, 3, 4), (1, 1), (2, 0, 3), (0, 3), (3, 0)]
DIAGONALS = [-9, -2, -1, 0, 1, 3, 9, 1 << 62, -(1 << 62)]


@pytest.fixture(params=["compiled", "plain"])
def form(request, monkeypatch):
    if request.param == "plain":
        monkeypatch.setattr(triangles, "fast", None)
    elif triangles.fast is None:
        pytest.skip("nothing was compiled")


@pytest.mark.usefixtures("form")
@pytest.mark.parametrize("dtype", ["float32", "float16", "int64", "bool", "complex128"])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("diagonal", DIAGONALS)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_triangle_has_the_elements_on_one_side(shape, diagonal, lower, dtype):
    x = np.arange(1, 1 + np.prod(shape)).reshape(shape).astype(dtype)
    rows, columns = np.indices(shape[-2:])
    inside = columns <= rows + float(diagonal) if lower else columns >= rows + float(diagonal)
    for each in (x, np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2)):
        found = triangles.triangle(each, diagonal, lower)
        assert found.dtype == x.dtype
        assert np.array_equal(found, np.where(inside, x, 0))


@pytest.mark.usefixtures("form")
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("diagonal", DIAGONALS)
@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (0, 3), (3, 0)])
def test_indices_are_those_of_the_elements(shape, diagonal, lower):
    rows, columns = np.indices(shape)
    inside = columns <= rows + float(diagonal) if lower else columns >= rows + float(diagonal)
    found = triangles.indices(*shape, diagonal, lower)
    assert found.dtype == np.int64
    assert np.array_equal(found, np.stack(inside.nonzero()))


@pytest.mark.parametrize(("rows", "columns", "diagonal"), [(2**40, 1, 1 - 2**40), (2**40, 2, 2 - 2**40)])
def test_indices_of_few_elements_in_many_rows(rows, columns, diagonal):
    if triangles.fast is None:
        pytest.skip("a mask of so many rows is made without the kernel")
    found = triangles.indices(rows, columns, diagonal, True)
    assert found[0].tolist() == [rows - 1] if columns == 1 else [rows - 2, rows - 1, rows - 1]


def test_triangles_without_memory_are_refused_at_once():
    with pytest.raises(MemoryError):
        triangles.indices(2**40, 2**40, 0, True)
    assert triangles.indices(2**40, 0, 0, True).shape == (2, 0)
