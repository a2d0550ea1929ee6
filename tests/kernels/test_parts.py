"""Work on large arrays in parts gives what NumPy gives, whatever the dtypes and layouts."""

import numpy as np
import pytest

from rushlight.kernels import parts
from rushlight.kernels.codes import LARGEST, SUM
from rushlight.kernels.reductions import reduced, total

SHAPES = [(1 << 17,), (1, 1 << 17), (2, 1 << 16), (362, 363), (37, 60, 61)]
DTYPES = [bool, np.uint8, np.int64, np.float32, np.float64, np.complex64]


@pytest.fixture(autouse=True)
def parts_of_small_arrays(monkeypatch):
    """Arrays of a few hundred kilobytes are large."""
    monkeypatch.setattr(parts, "LARGE", 1 << 10)
    monkeypatch.setattr(parts, "PART", 1 << 14)


def numbers(shape, dtype, seed=0):
    """Random numbers of a dtype, from -50 to 50 where it holds them."""
    made = np.random.default_rng(seed).uniform(-50, 50, shape)
    return (abs(made) if np.dtype(dtype).kind == "u" else made).astype(dtype)


def layouts(x):
    """An array, and views of larger arrays with the same elements."""
    wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
    wide[..., ::2] = x
    return {
        "contiguous": x,
        "transposed": np.ascontiguousarray(x.T).T,
        "strided": wide[..., ::2],
        "backwards": np.ascontiguousarray(x[::-1])[::-1],
    }


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("source", DTYPES)
@pytest.mark.parametrize("target", [bool, np.float32, np.complex128])
@pytest.mark.filterwarnings("ignore:Casting complex values")
def test_assign(shape, source, target):
    x = numbers(shape, source)
    for given in layouts(x).values():
        for out in layouts(np.zeros(shape, target)).values():
            expected = np.empty(shape, target)
            np.copyto(expected, x, casting="unsafe")
            parts.assign(out, given)
            assert np.array_equal(out, expected)


def test_assign_broadcasts():
    out = np.zeros((362, 363))
    for values in (np.arange(363.0), np.arange(362.0)[:, None], np.array(3.0), 4, np.float32(5)):
        parts.assign(out, values)
        assert np.array_equal(out, np.broadcast_to(values, out.shape))


def test_assign_to_memory_that_is_read():
    x = np.arange(1 << 17)
    parts.assign(x[1:], x[:-1])
    assert np.array_equal(x[1:], np.arange(x.size - 1))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_duplicates_and_joined_arrays(shape, dtype):
    x, y = numbers(shape, dtype), numbers(shape, dtype, 1)
    for given in layouts(x).values():
        assert np.array_equal(parts.duplicate(given), x)
        assert parts.duplicate(given).flags.c_contiguous
    for dim in range(x.ndim):
        assert np.array_equal(parts.concatenated([x, y], dim, None), np.concatenate([x, y], dim))
    uneven = [x, y[..., :9], x]
    assert np.array_equal(parts.concatenated(uneven, x.ndim - 1, None), np.concatenate(uneven, -1))
    repeats = (2, *[3] * x.ndim)
    assert np.array_equal(parts.tiled(x[..., :99], repeats), np.tile(x[..., :99], repeats))


FORMULAS = [
    (np.add, 2),
    (lambda x, y: x * y - x, 2),
    (lambda x, y: np.where(x == y, x, y), 2),
    (np.square, 1),
    (lambda x: np.real(x) + np.imag(x), 1),
    (np.absolute, 1),
]


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float64, np.complex64])
@pytest.mark.parametrize(("function", "arity"), FORMULAS)
def test_formulas(function, arity, dtype):
    operands = [numbers((362, 363), dtype, seed) for seed in range(arity)]
    for layout in ("contiguous", "transposed", "strided", "backwards"):
        given = [layouts(x)[layout] for x in operands]
        found, expected = parts.applied(function, tuple(given)), function(*given)
        assert found.dtype == expected.dtype
        assert np.array_equal(found, expected)
        assert found.strides == expected.strides or layout in ("strided", "backwards")
    with_numbers = parts.applied(function, (operands[0], 3)[:arity])
    assert np.array_equal(with_numbers, function(*(operands[0], 3)[:arity]))


def test_what_is_no_elementwise_function_is_called_once():
    x = numbers((362, 363), np.int64)
    for function in (lambda x: x - x.sum(), lambda x: np.add.reduce(x), lambda x: x.T, lambda x: x @ x.T):
        assert np.array_equal(parts.applied(function, (x,)), function(x))


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int32, np.int64])
@pytest.mark.parametrize("kind", [SUM, LARGEST])
def test_reductions_of_whole_numbers(dtype, kind):
    ufunc = np.add if kind == SUM else np.maximum
    for x in layouts(numbers((37, 60, 61), dtype)).values():
        assert total(x, kind) == ufunc.reduce(x, None)
        for dims in ((0,), (1,), (2,), (1, 2), (0, 2), (0, 1, 2)):
            for keepdim in (False, True):
                found, expected = reduced(x, dims, keepdim, kind), ufunc.reduce(x, dims, keepdims=keepdim)
                assert found.dtype == expected.dtype
                assert np.array_equal(found, expected)


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_slices(dim, monkeypatch):
    monkeypatch.setattr(parts, "SLOW", 1 << 10)
    for x in layouts(numbers((37, 60, 61), np.float64)).values():
        assert np.array_equal(parts.by_slices(lambda part: part.argsort(dim), x, dim), x.argsort(dim))
        several = parts.by_slices(lambda part: (np.sort(part, dim), part.max(dim, keepdims=True)), x, dim)
        assert np.array_equal(several[0], np.sort(x, dim))
        assert np.array_equal(several[1], x.max(dim, keepdims=True))
