"""Elementwise formulas give the same by their steps, chunk by chunk, as by NumPy."""

import numpy as np
import pytest

import rushlight
from rushlight.core.formulas import Formula, add_to, evaluate, evaluate_in_steps, evaluate_into, evaluate_to
from rushlight.core.graph import COMPILED
from rushlight.core.placing import elementwise_strides
from rushlight.core.tracing import Step, Tape, TracedNumber, trace

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


OTHERS = {
    "sum": lambda x, y: x + y,
    "product": lambda x, y: x * y,
    "comparison": lambda x, y: x == y,
    "extreme": lambda x, y: np.maximum(x, y),
    "bits": lambda x, y: x & y,
    "truth": lambda x, y: np.logical_or(x, y),
    "two steps": lambda x, y: x * y + x,
    "a choice": lambda x, y: np.where(x == y, x, y),
    "a power": lambda x, y: x**2 * y,
    "a power of another": lambda x, y: x**y,
    "conjugate": lambda x, y: np.conjugate(x),
    "part": lambda x, y: x.real + y.real,
}


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "int64", "complex64", "complex128"])
@pytest.mark.parametrize("name", OTHERS)
def test_steps_of_other_dtypes(name, dtype):
    """One step on arrays that lie alike, a number repeated among them; anything else is NumPy's."""
    function, rng = OTHERS[name], np.random.default_rng(0)
    if dtype.startswith("complex") and name == "bits":
        pytest.skip("complex numbers have no bits")
    x, y = (rng.integers(0, 3, (300, 301)).astype(dtype) for _ in range(2))
    for given in (x, y), (x.T, y.T), (x, y.T[:1, :1]), (x[:3, ::2], y[:3, ::2]), (x, y[0]), (x[:0], y[:0]):
        expected, found = function(*given), evaluated(function, *given)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


def test_truths_over_numbers():
    """A comparison that is written over its first operand gives numbers."""
    x, y = operands(2, (70, 1000), "float32")
    over = x.copy()
    taken = evaluate_into(Formula(np.less, 2), over, y)
    assert taken == COMPILED
    np.testing.assert_array_equal(over, (x < y).astype(np.float32) if taken else x)


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


FLOAT32 = np.dtype(np.float32)


def written(function, *operands):
    """A function's tape for float32."""
    return trace(function, operands or (FLOAT32,), FLOAT32)


def test_what_is_written_down():
    assert written(lambda g, r: g * (1 - r * r), FLOAT32, FLOAT32) == Tape(
        2,
        [1.0],
        [
            Step(np.multiply, "ff->f", (1, 1)),
            Step(np.subtract, "ff->f", (2, 3)),
            Step(np.multiply, "ff->f", (0, 4)),
        ],
        5,
        "aa",
    )


def test_steps_are_written_down_once_and_where_they_are_needed():
    tape = written(lambda x: np.exp(x) * np.exp(x) + 0 * np.sin(x) if np.cos(x) is not None else x)
    assert [step.function for step in tape.steps] == [np.exp, np.multiply, np.sin, np.multiply, np.add]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x if x > 0 else -x,
        lambda x: np.where(x, x, 0),
        lambda x: x.reshape(-1),
        lambda x: np.add.reduce(x),
        lambda x: 1.0,
        lambda x: np.float64(2) * x,
        lambda x: np.sum(x),
        lambda x: x * 2j,
        lambda x: np.multiply(x, x, where=True),
        lambda x: (x, x),
        lambda x: (x > 0) + 1,
        lambda x: np.where(x > 0, 1, 0),
        lambda x: np.add(x, 1, out=x),
        lambda x: (x > 0).astype(np.float64),
        lambda x: np.isnan(x) @ x,
    ],
)
def test_what_cannot_be_written_down(function):
    assert written(function) is None


def test_numbers_among_themselves_are_not_written_down():
    """They are computed in double precision, as Python does."""
    assert written(lambda x, n: x * (1 - n), FLOAT32, TracedNumber) is None
    x = np.ones(3, np.float32)
    np.testing.assert_array_equal(evaluated(lambda x, n: x * (1 - n), x, 1e-9), x * (1 - 1e-9))


CHOICES = {
    "truths": lambda x, y: x > y,
    "logic": lambda x, y: (x > y) & ~np.isnan(x) | (y == 1),
    "of arrays": lambda x, y: np.where(x < y, x, y),
    "of a number": lambda x, y: np.where(x < y, x * y, 0),
    "before a number": lambda x, y: np.where(x < y, -1.5, y),
    "of numbers as arrays": lambda x, y: np.where(x < y, np.ones_like(x), np.zeros_like(y)),
    "truths as factors": lambda x, y: (x > 1) * y,
    "truths as numbers": lambda x, y: (x > y).astype(x.dtype) - y,
    "one after another": lambda x, y: np.where(x > 1, np.where(y > 1, x, y), np.where(np.isnan(y), 0, x + y)),
    "within bounds": lambda x, y: (x * 3).clip(-1, 2) + y,
    "by dtype": lambda x, y: x * np.finfo(x.dtype).eps + y if x.dtype.kind == "f" else y,
    "a constant": lambda x, y: np.zeros_like(x * y),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", CHOICES)
def test_choices(name, shape, dtype):
    x, y = operands(2, shape, dtype)
    x = np.where(x > 1.9, np.nan, x).astype(dtype)
    function = CHOICES[name]
    assert evaluated(function, x, y).tobytes() == np.asarray(function(x, y)).tobytes()


def test_changes_in_place():
    """What is written to on the way is the same object under each of its names."""

    def function(x, y):
        first = x * y
        second = first
        second += y
        copy = second.copy()
        copy *= 2
        return np.exp(first, out=first) + second - copy

    x, y = operands(2, (3, 700), "float32")
    check(function, x, y)


def test_truths_among_the_operands():
    condition = np.random.default_rng(0).random((30, 200)) > 0.5
    x, y = operands(2, (30, 200), "float32")
    for a, b in ((x, y), (x, y[:1]), (x[:, :1], y), (x, 2.5)):
        np.testing.assert_array_equal(
            evaluated(lambda c, x, y: np.where(c, x, y), condition, a, b), np.where(condition, a, b)
        )


@pytest.mark.parametrize(
    "shapes",
    [
        [(40, 50), (50,)],
        [(40, 50), (40, 1)],
        [(40, 1), (50,)],
        [(3, 4, 50), (4, 1)],
        [(3, 1, 50), (1, 4, 1)],
        [(2, 3, 4, 5, 60), (3, 1, 5, 1)],
        [(300, 500), (500,)],
        [(300, 500), (300, 1)],
        [(5, 0), (1, 1)],
        [(9, 5000), (9, 1)],
        [(40, 3), (3,)],
        [(40, 3), (40, 1)],
        [(70, 1, 3), (60, 3)],  # rows that are shorter than a chunk's end, in several parts
        [(70, 60, 5), (70, 60, 1)],
        [(9, 70, 1, 3), (1, 60, 1)],
    ],
    ids=str,
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_operands_that_broadcast(shapes, dtype):
    """Rows, columns and blocks; on either side, and with more steps than one."""
    x, y = [operands(1, shape, dtype)[0] for shape in shapes]
    for a, b in ((x, y), (y, x)):
        for function in (lambda a, b: a * b, lambda a, b: np.where(a > b, a, b) - 0.5 * a, lambda a, b: a > b):
            np.testing.assert_array_equal(evaluated(function, a, b), function(a, b))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [1, 3, 16, 17, 63, 511, 512, 2047, 2049, 70001])
def test_rows_of_any_length_beside_what_is_repeated(n, dtype):
    """A step that takes only what is repeated runs once for all elements of a row."""
    rng = np.random.default_rng(n)
    x, row, column, one = (rng.uniform(0.1, 2, shape).astype(dtype) for shape in ((9, n), (1, n), (9, 1), ()))
    for y, z in (row, column), (column, row), (column, one), (one, one):
        check(lambda x, y, z: x * np.exp(y) + np.where(y > 1, z, x), x, y, z)
        check(lambda x, y: x * np.log(y * y), x.T, y.T)
        check(lambda x, y: (x > 0.5) | (y > 1), x, y)
    check(lambda x, y: x + y, np.repeat(x, 2, 1)[:, ::2], row)


def test_operands_that_no_step_takes():
    """They do not decide the layout beside one of their shape that a step takes; their shape counts otherwise."""
    x, y = operands(2, (40, 50), "float32")
    assert evaluated(lambda x, y: x * 2, x, np.asfortranarray(y)).flags.c_contiguous
    check(lambda x, y: x * 2 + 0 * np.ones_like(y), x[:1], y)


def test_operands_that_do_not_fit():
    x, y = np.ones((3, 40), np.float32), np.ones((2, 40), np.float32)
    with pytest.raises(ValueError, match="broadcast"):
        evaluated(lambda a, b: a * b, x, y)


def test_options():
    """A formula may depend on numbers, words and None."""
    (x,) = operands(1, (3, 4), "float32")
    function = lambda x, how, n: np.exp(x) if how == "exp" else x * 2 if n is None else x * n
    for how, n in (("exp", None), ("times", None), ("times", 3), ("times", 0.5)):
        check(function, x, how, n)


@pytest.mark.skipif(rushlight.config.config()["core"] != "compiled", reason="NumPy lays them")
@pytest.mark.parametrize("seed", range(12))
def test_results_lie_as_pytorchs_iterator_lays_them(seed):
    """Operands of random layouts, some of which broadcast: values as NumPy's, strides as the rule says."""
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(1, 9, rng.integers(2, 5)).tolist()) if seed % 3 else (70, 3, 90)
    given = []
    for _ in range(2 + seed % 3):
        own = [n if rng.random() < 0.8 else 1 for n in shape]
        order = rng.permutation(len(shape))
        x = rng.random([2 * own[d] if seed % 2 else own[d] for d in order]).astype(np.float32)
        x = x[tuple([slice(None, None, 2)] * x.ndim)] if seed % 2 else x
        given.append(x.transpose(np.argsort(order)))
    function = [lambda g, r: g * (1 - r * r), lambda a, b, c: np.where(a > b, a * c, b), FORMULAS["all four"]][seed % 3]
    found = check(function, *given)
    strides = elementwise_strides(found.shape, [rushlight.from_numpy(x) for x in given])
    expected = np.empty(found.shape, found.dtype).strides if strides is None else tuple(4 * n for n in strides)
    assert found.strides == expected


SPECIAL = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    3.0,
    -3.0,
    0.1,
    -0.1,
    7.5,
    1e-40,
    1e30,
    -1e30,
    3.4e38,
    np.inf,
    -np.inf,
    np.nan,
    2.0**29,
    2.0**53,
    1 / 3,
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("ufunc", [np.fmod, np.remainder, np.floor_divide], ids=lambda ufunc: ufunc.__name__)
def test_quotients_and_remainders_are_numpys_bit_for_bit(ufunc, dtype):
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal(5000) * 10.0 ** rng.integers(-6, 7, 5000) for _ in range(2))
    multiples = np.rint(x / y) * y
    function = lambda x, y: ufunc(x, y)
    pairs = [(x, y), (multiples, y), (x, y[:1]), (x[::2], y[1::2]), *np.array(np.meshgrid(SPECIAL, SPECIAL))[None]]
    with np.errstate(all="ignore"):
        for a, b in pairs:
            a, b = a.astype(dtype), b.astype(dtype)
            found, expected = evaluated(function, a, b), ufunc(a, b)
            np.testing.assert_array_equal(found, expected)
            np.testing.assert_array_equal(np.signbit(found[expected == 0]), np.signbit(expected[expected == 0]))


@pytest.mark.parametrize("shape", [(5, 7), (70, 90), (3, 40, 50)], ids=str)
def test_a_value_lies_as_if_each_step_made_an_array(shape):
    grad, x, y = np.random.default_rng(0).standard_normal((3, *shape)).astype("f")
    x, turned = np.asfortranarray(x), np.float32([[0.5]])
    for function, operands, first in (
        (lambda grad, x: grad * np.exp(x), (grad, x), grad),
        (lambda grad, x: np.exp(x) * grad, (grad, x), x),
        (lambda grad, x, y: np.where(x > 0, grad, grad * y), (grad, x, y), x),
        (lambda grad, x, y: 2 * (x * y) - grad, (grad, x, y), x),
        (lambda grad, x, y: grad / (x * x + y * y), (grad, x, turned), grad),
    ):
        found = evaluate_in_steps(Formula(function, len(operands)), *operands)
        if found is not None:
            np.testing.assert_allclose(found, function(*operands), rtol=1e-6)
            assert found.strides == first.strides


def test_a_value_is_written_to_an_array_with_gaps():
    x, y = np.random.default_rng(0).standard_normal((2, 60, 70)).astype("f")
    for part in ((..., slice(0, 70)), (..., slice(70, 140))):
        out = np.zeros((60, 140), "f")
        if evaluate_to(Formula(lambda x, y: x * y + 1, 2), out[part], x, y.T.reshape(60, 70)):
            np.testing.assert_allclose(out[part], x * y.T.reshape(60, 70) + 1, rtol=1e-6)
            assert np.count_nonzero(out) == x.size
    assert not evaluate_to(Formula(lambda x, y: x * y, 2), np.zeros((60, 70)), x, y)
