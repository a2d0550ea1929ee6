"""Elementwise formulas give the same by their steps, chunk by chunk, as by NumPy."""

import numpy as np
import pytest

from rushlight.core.formulas import Formula, add_to, evaluate
from rushlight.core.tracing import Tape, Traced, TracedNumber, trace

FORMULAS = {
    "one step": lambda x: np.tanh(x),
    "several": lambda g, r: g * (1 - r * r),
    "an operand twice": lambda g, x, y: -g * ((x / y) / y),
    "numbers between": lambda g, x: (2 * g + 0.5) * np.exp(-x) / 3,
    "all four": lambda g, x, y, z: g * x + y * z - x / 2,
    "an operand": lambda g, x: x,
    "powers": lambda g, x: g * x**3 + x**2 + x**0.5 + x**-1 + x**1,
    "no ufunc": lambda g, x: np.where(x > 0.5, g, x),
    "a shape": lambda g, x: g * float(x.ndim),
}
SHAPES = [(), (1,), (0, 3), (5,), (2, 3), (1, 4, 1), (41, 50), (3, 700, 33), (70001,)]
LAYOUTS = {
    "C": lambda x: x,
    "Fortran": lambda x: np.asfortranarray(x),
    "batch innermost": lambda x: np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 0, -1)), -1, 0) if x.ndim else x,
    "with gaps": lambda x: np.repeat(x, 2, axis=-1)[..., ::2] if x.ndim else x,
    "backwards": lambda x: np.flip(np.flip(x).copy()),
    "read-only": lambda x: np.broadcast_to(x, x.shape),
}


def operands(n, shape, dtype, layout="C"):
    rng = np.random.default_rng(n)
    return [LAYOUTS[layout](rng.uniform(0.1, 2, shape).astype(dtype)) for _ in range(n)]


def evaluated(function, *given):
    arity = function.__code__.co_argcount
    return evaluate(Formula(function, arity), *given, *[None] * (4 - arity))


def check(function, *given):
    """The formula's value, which has the dtype and the values that NumPy gives."""
    expected = function(*given)
    found = evaluated(function, *given)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-5 if expected.dtype == np.float32 else 1e-12)
    return found


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", FORMULAS)
def test_values(name, shape, dtype):
    function = FORMULAS[name]
    check(function, *operands(function.__code__.co_argcount, shape, dtype))


@pytest.mark.parametrize("shape", [(4, 5), (90, 7, 130)], ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["several", "numbers between", "all four"])
def test_layouts(name, layout, shape):
    """Arrays of one layout, and of two."""
    function = FORMULAS[name]
    given = operands(function.__code__.co_argcount, shape, "float32", layout)
    check(function, *given)
    check(function, given[0].copy(), *given[1:])


@pytest.mark.parametrize("shape", [(2, 3), (300, 300)], ids=str)
def test_operands_that_repeat_one_number(shape):
    """Expanded arrays, arrays of one element, and arrays that broadcast, on any side."""
    (x,) = operands(1, shape, "float32")
    expanded, one, row = np.broadcast_to(np.float32(0.5), shape), np.full((1, 1), 2, np.float32), x[:1] + 1
    for g in (x, expanded, one, row):
        for y in (x, expanded, one, row, np.array(3, np.float32)):
            assert check(FORMULAS["several"], g, y).shape == np.broadcast_shapes(g.shape, y.shape)


@pytest.mark.parametrize("number", [2, -1, 0.5, 3, 7.25, True, 10**9])
def test_numbers(number):
    """Formulas with a Python number for an operand; what depends on its value is found out for each."""
    (x,) = operands(1, (3, 4), "float32")
    check(lambda x, n: x / n + n * x, x, number)
    check(lambda x, n: x**n if n < 100 else x, x, number)
    check(lambda x, n: x * (n if n > 1 else 5), x, number)


def test_many_numbers():
    """A formula that depends on the number goes on after the traces that are kept."""
    formula = Formula(lambda x, n: x**n, 2)
    x = np.array([1.5, 2.0], np.float32)
    for n in range(40):
        np.testing.assert_allclose(evaluate(formula, x, n / 8, None, None), x ** (n / 8), rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "int32", "bool", "complex64"])
def test_other_dtypes_are_numpys(dtype):
    x = np.ones((2, 2), dtype)
    check(lambda x, y: x * y, x, x)
    check(lambda x, y: x * y, np.ones((2, 2), np.float32), x)


def test_byte_order_and_alignment_are_numpys():
    x = np.ones(5, np.float32)
    unaligned = np.zeros(21, np.uint8)[1:].view(np.float32)
    for other in (x.astype(">f4"), unaligned):
        np.testing.assert_array_equal(evaluated(lambda x, y: x + y, x, other), x + other)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_adding_in_place(shape):
    x, y = operands(2, shape, "float32")
    expected = x + y
    add_to(x, y)
    np.testing.assert_array_equal(x, expected)
    add_to(x, np.float64(1))
    np.testing.assert_array_equal(x, expected + np.float32(1))


def test_what_is_written_down():
    assert trace(lambda g, r: g * (1 - r * r), (Traced, Traced)) == Tape(
        2, [1.0], [(np.multiply, (1, 1)), (np.subtract, (2, 3)), (np.multiply, (0, 4))], 5
    )


@pytest.mark.parametrize("function", [
    lambda x: x if x > 0 else -x, lambda x: np.where(x, x, 0), lambda x: x.reshape(-1), lambda x: np.add.reduce(x),
    lambda x: np.isnan(x), lambda x: 1.0, lambda x: x.dtype.type(2) * x, lambda x: np.sum(x), lambda x: x * 2j,
    lambda x: np.multiply(x, x, where=True), lambda x: (x, x),
])  # fmt: skip
def test_what_cannot_be_written_down(function):
    assert trace(function, (Traced,)) is None


def test_numbers_among_themselves_are_not_written_down():
    """They are computed in double precision, as Python does."""
    assert trace(lambda x, n: x * (1 - n), (Traced, TracedNumber)) is None
    x = np.ones(3, np.float32)
    np.testing.assert_array_equal(evaluated(lambda x, n: x * (1 - n), x, 1e-9), x * (1 - 1e-9))
