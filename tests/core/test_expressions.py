"""Expressions: steps that one loop computes together give what NumPy's functions give one after the other."""

import subprocess
import sys

import numpy as np
import pytest
from beside import beside

from rushlight.core.expressions import expressed
from rushlight.core.formulas import Formula, evaluate, evaluate_into
from rushlight.core.tracing import TracedNumber, trace

expression_loops = pytest.importorskip("rushlight.core.expression_loops", reason="nothing was compiled")
exponential_expressions = pytest.importorskip("rushlight.core.exponential_expressions", reason="nothing was compiled")
FLOAT32, TRUTH = np.dtype(np.float32), np.dtype(bool)
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 3.0, np.inf, -np.inf, np.nan, 1e-30, -7.25]
MOST_ARRAYS = 4  # of a formula


def function_of(expression):
    """A function of the arrays of an expression that computes it by NumPy's functions; numbers are fixed."""
    kinds, _, written = expression.partition(": ")
    numbers = np.random.default_rng(len(expression)).choice([0.5, 3.0, -7.25, 0.0], len(kinds))

    def function(*arrays):
        values, left = [], iter(arrays)
        for kind, number in zip(kinds, numbers, strict=True):
            values.append(float(number) if kind == "n" else next(left))
        for step in written.split(", "):
            name, *given = step.split()
            values.append(getattr(np, name)(*[values[int(place)] for place in given]))
        return values[-1]

    return function


def arrays_of(expression, dtype, n):
    rng = np.random.default_rng(n)
    kinds = expression.partition(":")[0].replace("n", "")
    return [rng.choice(SPECIAL, n).astype(bool if kind == "?" else dtype) for kind in kinds]


def expressions(module=expression_loops):
    return [e for e in module.LOOPS if len(e.partition(":")[0].replace("n", "")) <= MOST_ARRAYS]


def check(function, *arrays, signed=True):
    with np.errstate(all="ignore"):
        expected = function(*arrays)
        found = evaluate(Formula(function, len(arrays)), *arrays, *[None] * (MOST_ARRAYS - len(arrays)))
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    if signed:
        np.testing.assert_array_equal(np.signbit(found[found == 0]), np.signbit(expected[expected == 0]))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("expression", expressions())
def test_loops_compute_what_numpy_computes(expression, dtype):
    for n in (1, 7, 700, 5000):
        check(function_of(expression), *arrays_of(expression, dtype, n), signed="imum" not in expression)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("expression", expressions(exponential_expressions))
def test_loops_with_exponentials_are_as_exact_as_numpy(expression, dtype):
    function, tolerance = function_of(expression), 100 * np.finfo(dtype).eps
    for n in (1, 7, 700, 5000):
        arrays = arrays_of(expression, dtype, n)
        with np.errstate(all="ignore"):
            expected = function(*arrays)
        found = evaluate(Formula(function, len(arrays)), *arrays, *[None] * (MOST_ARRAYS - len(arrays)))
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, tolerance, tolerance)


@pytest.mark.parametrize("expression", expressions())
def test_inputs_with_gaps_and_repeated_numbers(expression):
    function, arrays = function_of(expression), arrays_of(expression, "float32", 6000)
    for i, array in enumerate(arrays):
        for other in (np.repeat(array, 2)[::2], array[:1], np.broadcast_to(array[:1], 6000)):
            check(function, *arrays[:i], other, *arrays[i + 1 :], signed="imum" not in expression)


def test_a_result_replaces_an_input():
    def function(x, y):
        return np.where(x > 0, x, y * 2)

    x, y = arrays_of("aa: ", "float32", 5000)
    expected = function(x, y)
    assert evaluate_into(Formula(function, 2), x, y, None, None)
    np.testing.assert_array_equal(x, expected)


class All:
    """Loops for all expressions, or for those without some word."""

    def __init__(self, left_out="nothing"):
        self.left_out = left_out

    def __contains__(self, expression):
        return bool(expression) and self.left_out not in expression


def test_how_a_formula_is_written_in_expressions():
    def elu(grad, x, slope):
        return np.where(x > 0, grad, grad * slope * np.exp(x * slope))

    tape = trace(elu, (FLOAT32, FLOAT32, TracedNumber), FLOAT32)
    whole = "anan: greater 0 1, multiply 2 3, multiply 0 3, exp 6, multiply 5 7, where 4 2 8"
    assert expressed(tape, All()).steps == [(whole, "f->f", (1, 3, 0, 2))]
    in_steps = expressed(tape, All("exp"))
    assert in_steps.steps == [
        ("an: multiply 0 1", "f->f", (1, 2)),
        (np.exp, "f->f", (4,)),
        ("anana: greater 0 1, multiply 2 3, multiply 6 4, where 5 2 7", "f->f", (1, 3, 0, 2, 5)),
    ]
    assert in_steps.result == 6


def test_what_has_no_loop_stays_in_steps():
    tape = trace(lambda x: np.sqrt(x * x + 1), (FLOAT32,), FLOAT32)
    assert expressed(tape, ()) == tape


def test_booleans_and_numbers_have_kinds_of_their_own():
    tape = expressed(trace(lambda c, x: np.where(c, x, 2), (TRUTH, FLOAT32), FLOAT32), All())
    assert [step.function for step in tape.steps] == ["?an: where 0 1 2"]


def test_generated_loops_are_up_to_date():
    root = beside("loops").parent
    done = subprocess.run([sys.executable, "-m", "loops", "--check"], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
