"""Copies of arrays with their elements in another order, in both forms: against NumPy."""

import numpy as np
import pytest
from kernels.forms import both_forms

import rushlight as torch
from rushlight.kernels import moves, parts
from rushlight.kernels.compiled import load

form = both_forms(moves, parts)
DTYPES = ["float32", "float64", "float16", "int64", "int8", "bool", "complex64", "complex128"]
SHAPES = [(), (1,), (7,), (3, 5), (2, 3, 5), (2, 1, 4, 6), (2, 3, 2, 3, 4), (1, 1, 3, 700), (2, 0, 3), (9, 2), (2, 9)]


def numbers(shape, dtype):
    found = np.random.default_rng(0).integers(-9, 9, shape).astype(dtype)
    return found + 1j * found[::-1] if found.dtype.kind == "c" and shape else found


def layouts_of(x):
    """An array in its own order, transposed, with gaps, and repeated."""
    if not x.ndim:
        return [x]
    wide = np.repeat(x, 2, axis=-1)
    turned = np.ascontiguousarray(x.swapaxes(0, -1)).swapaxes(0, -1)
    return [x, turned, wide[..., ::2], np.broadcast_to(x[..., :1], x.shape)]


def tensor_of(x):
    """A tensor that lies as an array does."""
    return torch.from_numpy(x if x.flags.writeable else x[..., :1].copy()).expand(x.shape)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_flips_are_numpys(shape, dtype):
    for x in layouts_of(numbers(shape, dtype)):
        for dims in {(0,), (-1,), (len(shape) // 2,), tuple(range(len(shape)))}:
            expected = np.flip(x, dims) if x.ndim else x
            assert np.array_equal(tensor_of(x).flip(dims).numpy(), expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape])
def test_rolls_are_numpys(shape, dtype):
    for x in layouts_of(numbers(shape, dtype)):
        for shifts, dims in (((1,), (0,)), ((-2,), (-1,)), ((3, 1), (0, -1)), ((0, 5), (0, -1)), ((1, 1), (0, 0))):
            assert np.array_equal(tensor_of(x).roll(shifts, dims).numpy(), np.roll(x, shifts, dims))
        for shift in (0, 1, -4, 100):
            assert np.array_equal(tensor_of(x).roll(shift).numpy(), np.roll(x, shift))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_views_are_copied(shape, dtype):
    for x in layouts_of(numbers(shape, dtype)):
        copy = parts.duplicate(x)
        assert copy.flags.c_contiguous
        assert copy.flags.writeable
        assert copy.dtype == x.dtype
        assert np.array_equal(copy, x)
        assert np.array_equal(parts.duplicate(x[::-1] if x.ndim else x), x[::-1] if x.ndim else x)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 8, 9])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int8"])
def test_windows_and_repetitions(dtype, size):
    x = numbers((4, 12), dtype)
    windows = np.lib.stride_tricks.sliding_window_view(x, size, 1)
    assert np.array_equal(torch.unfold_copy(torch.from_numpy(x), 1, size, 1).numpy(), windows)
    for dim in (0, 1):
        assert np.array_equal(torch.from_numpy(x).repeat_interleave(size, dim).numpy(), np.repeat(x, size, dim))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("columns", [(2,), (3,), (5,), (8,), (16,), (70,), (3, 9), (2, 1, 40), (300,)], ids=str)
@pytest.mark.parametrize("rows", [8, 16, 100])
def test_what_lies_across(dtype, columns, rows):
    x = numbers((*columns, 2, rows), dtype)
    across = np.moveaxis(x, -1, 0)  # the first dimension lies side by side
    assert np.array_equal(parts.duplicate(across), across)
    assert np.array_equal(parts.duplicate(np.moveaxis(x, -2, 0)), np.moveaxis(x, -2, 0))
    last = np.moveaxis(across, -1, 0)
    assert np.array_equal(parts.duplicate(last), last)
    windows = np.lib.stride_tricks.sliding_window_view(across, 2, 1)
    assert np.array_equal(parts.duplicate(windows), windows)
    wide = np.zeros((*across.shape, 2), dtype)
    parts.assign(wide[..., 0], across)
    parts.assign(wide[::-1, ..., 1], across[::-1])
    assert np.array_equal(wide[..., 0], across)
    assert np.array_equal(wide[..., 1], across)


def test_assigning_to_what_is_read():
    x = np.arange(12.0)
    parts.assign(x[1:], x[:-1])
    assert x.tolist() == [0, *range(11)]
    y = np.arange(9.0).reshape(3, 3)
    parts.assign(y, y.T)
    assert np.array_equal(y, np.arange(9.0).reshape(3, 3).T)
    parts.assign(y, np.arange(3.0)[:, None])
    assert y.tolist() == [[0] * 3, [1] * 3, [2] * 3]


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_arrays_of_other_layouts_are_joined(dim):
    x = numbers((3, 4, 5), "float32")
    for given in layouts_of(x):
        assert np.array_equal(parts.concatenated([given, x], dim, None), np.concatenate([given, x], dim))
        assert np.array_equal(parts.stacked([given, x], dim, None), np.stack([given, x], dim))


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bool", "int16", "complex128"])
@pytest.mark.parametrize("shape", [(1,), (0, 3), (5, 1), (3, 4), (2, 3, 4), (2, 600, 300)], ids=str)
def test_arrays_are_joined(shape, dtype):
    arrays = [np.random.default_rng(i).uniform(-9, 9, shape).astype(dtype) for i in range(3)]
    for dim in range(len(shape)):
        np.testing.assert_array_equal(parts.concatenated(arrays, dim, None), np.concatenate(arrays, dim))
        longer = [arrays[0], np.concatenate(arrays, dim)]
        np.testing.assert_array_equal(parts.concatenated(longer, dim, None), np.concatenate(longer, dim))
    for dim in range(len(shape) + 1):
        np.testing.assert_array_equal(parts.stacked(arrays, dim, None), np.stack(arrays, dim))


@pytest.mark.skipif(load("moves") is None, reason="nothing was compiled")
def test_arrays_that_do_not_fit_together_are_left_to_numpy():
    joined = load("moves").joined
    x = np.ones((2, 3))
    others = [x.T, np.ones((2, 4)), np.ones((2, 3), np.float32), np.ones(3), [1.0], np.ones((2, 3), ">f8")]
    assert all(joined([x, other], 0, False) is None for other in others)
    assert joined([x], 2, False) is None
    assert joined([], 0, False) is None
