"""Loops of our own in place of NumPy's: against NumPy in extended precision, however operands lie."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.core.formulas import Formula, evaluate

SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 3.5, 1e-300, 1e300, -1e300, 1e-310, 5e-324]
FEATURES = {*np.show_config(mode="dicts").get("SIMD Extensions", {}).get("found", ())}  # of the CPU, that NumPy uses
FUNCTIONS = {
    np.sign: 0,
    np.positive: 0,
    np.reciprocal: 0,
    np.hypot: 1,
    np.logaddexp: 3,
    np.logaddexp2: 3,
    np.nextafter: 0,
    np.exp: 3,
    np.exp2: 2,
    np.expm1: 2,
    np.log: 4,
    np.log1p: 1,
    np.log2: 1,
    np.log10: 3 if {"AVX512_SKX", "X86_V4"} & FEATURES else 1,  # NumPy's vectors
    np.sinh: 3,
    np.cosh: 2,
    np.tanh: 3,
    np.arcsinh: 2,
    np.arccosh: 3,
    np.arctanh: 2,
    np.sin: 3,
    np.cos: 3,
    np.tan: 4,
    np.arcsin: 3,
    np.arccos: 2,
    np.arctan: 3,
    np.arctan2: 3,
}  # and how many units in the last place (of numbers of the operands' size) results may be away
CANCELLING = (np.logaddexp, np.logaddexp2)  # what they add up may be larger than the result


def operands(function, dtype):
    """Random numbers of all sizes, then each special value with each."""
    generator = np.random.default_rng(0)
    pairs = np.array([(a, b) for a in SPECIAL for b in SPECIAL])
    numbers = generator.standard_normal((3000, 2)) * 10.0 ** generator.integers(-8, 8, (3000, 2))
    both = np.concatenate([numbers, pairs]).astype(dtype)
    return [np.ascontiguousarray(part) for part in both.T[: function.nin]]


def value(function, *arrays):
    """What the steps of a formula that is this function give."""
    formula = Formula((lambda x: function(x)) if function.nin == 1 else (lambda x, y: function(x, y)), function.nin)
    return evaluate(formula, *arrays, *[None] * (4 - len(arrays)))


def check(function, found, arrays):
    """Compares with NumPy in extended precision, but for neighbours, which depend on the precision."""
    dtype = arrays[0].dtype
    wide = dtype if function is np.nextafter else np.longdouble
    expected = function(*[np.asarray(x, wide) for x in arrays]).astype(dtype)
    assert found.dtype == dtype
    assert (np.isnan(found) == np.isnan(expected)).all()
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(found[~finite], expected[~finite])
    found, expected = found[finite], expected[finite]
    sizes = np.maximum(np.abs(expected), 1 if function in CANCELLING else 0)
    allowed = FUNCTIONS[function] * np.nan_to_num(np.spacing(sizes))
    assert (np.abs(found - expected) <= allowed).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_values(function, dtype):
    arrays = operands(function, dtype)
    check(function, value(function, *arrays), arrays)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_operands_that_lie_otherwise(function, dtype):
    arrays = [x[:3100].reshape(31, 100) for x in operands(function, dtype)]
    for views in ([x.T for x in arrays], [x[:, ::3] for x in arrays], [arrays[0], *[x[:1] for x in arrays[1:]]]):
        check(function, value(function, *views), np.broadcast_arrays(*views))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_two_numbers_by_a_condition_and_constants(dtype):
    x = torch.linspace(-2, 2, 5000, dtype=dtype, requires_grad=True)
    angles = torch.angle(x)
    assert angles.tolist() == torch.tensor(np.where(x.detach().numpy() < 0, np.pi, 0), dtype=dtype).tolist()
    (gradient,) = torch.autograd.grad(torch.floor(x), x, torch.ones_like(x))
    assert not gradient.any()
    assert torch.isreal(x).all()


ODD = [np.sin, np.tan, np.arcsin, np.arctan, np.sinh, np.tanh, np.arcsinh, np.arctanh, np.expm1, np.log1p]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("function", ODD, ids=lambda function: function.__name__)
def test_zeros_keep_their_signs(function, dtype):
    zeros = value(function, np.array([0.0, -0.0], dtype))
    assert not zeros.any()
    assert np.signbit(zeros).tolist() == [False, True]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_where_results_overflow_and_vanish(function, dtype):
    arrays = [np.array([*range(-1100, 1100), 709.78, 710.4, -745.1, 88.7, -103.9, 1e19, 3e38], dtype)] * function.nin
    check(function, value(function, *arrays), arrays)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("function", [np.sin, np.cos, np.tan, np.tanh], ids=lambda function: function.__name__)
def test_near_quarter_turns_and_where_a_range_ends(function, dtype):
    turns = (np.arange(-70_000, 70_000, dtype=np.float64) * (np.pi / 2)).astype(dtype)
    ends = np.array([edge * way for edge in (0.625, 9, 10, 1e5, 1e6) for way in (1, -1)], dtype)
    near = [np.nextafter(x, way) for x in (turns, ends) for way in (dtype(np.inf), dtype(-np.inf))]
    arrays = [np.concatenate([turns, ends, *near])]
    check(function, value(function, *arrays), arrays)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("function", [np.maximum, np.minimum, np.fmod, np.remainder, np.floor_divide])
def test_extremes_and_remainders_of_arrays_in_any_order(function, dtype):
    x, y = np.random.default_rng(0).standard_normal((2, 70, 90)).astype(dtype)
    x.flat[: len(SPECIAL)] = SPECIAL
    y.flat[5 : 5 + len(SPECIAL)] = SPECIAL
    for a, b in ((x, y), (x.T, y.T), (x, y.reshape(90, 70).T), (x[::2, ::3], y[1::2, ::3]), (x, y[:, :1]), (x, y[:1])):
        with np.errstate(all="ignore"):
            found, expected = value(function, a, b), function(a, b)
        np.testing.assert_array_equal(found, expected)
        numbers = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(found[numbers]), np.signbit(expected[numbers]))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_negatives_and_directions_of_complex_numbers(dtype):
    parts = [*np.random.default_rng(0).standard_normal(40), 0.0, -0.0, 1e200, 1e-200, 1e-310]
    x = np.array([complex(a, b) for a in parts for b in parts]).astype(dtype)
    for given in (x, x[::2], x.reshape(45, 45).T):
        np.testing.assert_array_equal(value(np.negative, given), -given)
        np.testing.assert_allclose(value(np.sign, given), np.sign(given), rtol=1e-6 if dtype == "complex64" else 1e-15)
    infinite = ((np.inf, 1), (1, -np.inf), (np.inf, np.inf), (np.nan, 1))
    edges = np.array([complex(a, b) for a, b in infinite]).astype(dtype)
    np.testing.assert_array_equal(value(np.sign, edges), np.sign(edges))
