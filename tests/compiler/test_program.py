"""Programs: their text, and what the reference executor makes of each kind of step."""

import numpy as np
import pytest

from rushlight.compiler.program import CHECK, RANDOM, VIEW, WRITE, Mismatch, Program, Step, Value, laid, run

ROWS = Value((2, 3), np.dtype(np.float64))
RATE = Value(None, float)


def made(function, args, kind="pure", result=None, **rest):
    return Step(function, args, (result or Value((2, 3), np.dtype(np.float64)),), kind, **rest)


def doubled():
    step = made(np.multiply, (ROWS, RATE), where="user.py:3")
    return Program([ROWS, RATE], {}, [step], [step.results[0]])


def test_text():
    assert str(doubled()).splitlines() == [
        "program(v0: float64[2, 3], v1: float)",
        "  v2: float64[2, 3] = multiply(v0, v1)  # user.py:3",
        "  return v2",
    ]


def test_numbers_and_arrays_are_inputs():
    assert run(doubled(), [np.ones((2, 3)), 3.0])[0].tolist() == [[3.0] * 3] * 2


def test_lists_constants_and_several_results():
    constant, low, high = (Value((2, 3), np.dtype(np.float64)) for _ in range(3))
    step = Step(lambda arrays: (arrays[0] - arrays[1], arrays[0] + arrays[1]), ([ROWS, constant],), (low, high))
    program = Program([ROWS], {constant: np.ones((2, 3))}, [step], [high, low])
    assert [out[0, 0] for out in run(program, [np.zeros((2, 3))])] == [1.0, -1.0]


def test_a_step_that_writes_leaves_its_argument_as_it_was():
    step = made(lambda array: array.fill(7), (ROWS,), WRITE, changes=(0,))
    given = np.zeros((2, 3))
    assert run(Program([ROWS], {}, [step], [step.results[0]]), [given])[0].tolist() == [[7.0] * 3] * 2
    assert not given.any()


def test_a_failed_check_comes_before_all_writes():
    step = made(np.negative, (ROWS,))
    check = Step(lambda array: bool(array.any()), (ROWS,), (), CHECK, where="user.py:9")
    program = Program([ROWS], {}, [step, check], [], [(ROWS, step.results[0])])
    given = np.ones((2, 3))
    run(program, [given])
    assert given.tolist() == [[-1.0] * 3] * 2
    with pytest.raises(Mismatch, match=r"user\.py:9"):
        run(program, [np.zeros((2, 3))])


def test_inputs_that_change_places():
    other = Value((2, 3), np.dtype(np.float64))
    first, second = np.zeros((2, 3)), np.ones((2, 3))
    run(Program([ROWS, other], {}, [], [], [(ROWS, other), (other, ROWS)]), [first, second])
    assert first.all()
    assert not second.any()


@pytest.mark.parametrize("kind", ["pure", RANDOM])
def test_results_lie_as_recorded(kind):
    result = Value((2, 3), np.dtype(np.float64), (8, 16))
    program = Program([ROWS], {}, [made(np.negative, (ROWS,), kind, result)], [result])
    assert run(program, [np.ones((2, 3))])[0].strides == (8, 16)


def test_views_are_views():
    transposed = Value((3, 2), np.dtype(np.float64), (8, 24))
    given = np.arange(6.0).reshape(2, 3)
    (out,) = run(Program([ROWS], {}, [made(np.transpose, (ROWS,), VIEW, transposed)], [transposed]), [given])
    assert np.shares_memory(out, given)


LAYOUTS = {
    "as new": np.zeros,
    "turned": lambda shape: np.zeros(shape[::-1]).T,
    "one element of several": lambda shape: np.zeros((*shape, 4))[..., 0] if np.prod(shape) < 2 else np.zeros(shape),
    "repeated": lambda shape: np.broadcast_to(np.zeros(()), shape),
}


@pytest.mark.parametrize("shape", [(3, 1, 2), (1, 1), (1,), (0, 3), (2, 1, 1), (2, 3)])
@pytest.mark.parametrize("lies", LAYOUTS)
def test_results_lie_in_memory_as_recorded(shape, lies):
    recorded = LAYOUTS[lies](shape)
    made = np.arange(float(np.prod(shape))).reshape(shape)
    made = np.broadcast_to(np.float64(3), shape) if lies == "repeated" else made
    for given in (made, made.copy("F"), np.repeat(made, 2, -1)[..., ::2]):
        found = laid(given, Value.like(recorded))
        assert np.array_equal(found, made)
        assert found.strides == recorded.strides
