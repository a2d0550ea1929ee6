"""The memory of intermediate results: what is computed early, what is overwritten, and what must not be."""

import numpy as np
import pytest
from compiler.writing import Written, normal

from rushlight.compiler.allocation import LARGE
from rushlight.compiler.fusion import instructions
from rushlight.compiler.planning import planned

SIDE = 16
ONE = SIDE * SIDE * 4  # bytes of a matrix
WIDE = int((LARGE / 4) ** 0.5) + 1  # the side of a matrix that has a block of its own


@pytest.fixture
def written():
    return Written()


def matrix(written, seed=0, side=SIDE):
    return written.input(normal(side, side, seed=seed) / side)


def test_what_frees_memory_is_not_put_off(written):
    """A weight's gradient needs what a layer got: as soon as it is computed, that is free."""
    gradient, weight, results = matrix(written, 1), matrix(written, 2), []
    for layer in range(20):
        got = written.call("mm", matrix(written, layer), weight)
        gradient = written.call("mm", gradient, weight)
        results.append(written.call("mm", got, gradient))
    written.returns(*results)
    assert written.check(64).memory <= 4 * ONE


def test_effects_keep_their_order(written):
    made = []
    x = matrix(written)
    rows = [written.call(lambda y, i=i: made.append(i) or y.sum(), x, kind="check") for i in range(3)]
    assert rows
    written.returns(written.call("exp", x))
    made.clear()
    written.check()
    assert made
    assert made == [0, 1, 2] * (len(made) // 3)


@pytest.mark.parametrize("side", [SIDE, WIDE])
def test_a_group_overwrites_an_operand_that_nothing_reads_after_it(side, written):
    x, w = matrix(written, 0, side), matrix(written, 1, side)
    y = written.call("tanh", written.call("mm", x, w))
    written.returns(written.call("mm", y, w))
    assert written.check(64).memory == side * side * 4


def read_by_a_later_step(written, y):
    return written.call("tanh", y), written.call("mul", y, written.call("exp", y))


def read_by_a_later_instruction(written, y):
    return written.call("tanh", y), written.call("mm", y, y)


def read_by_a_sum(written, y):
    return written.call("tanh", y), written.call("sum_dims", y, (1,), True, None)


def read_in_another_order(written, y):
    turned = written.call("permute", y, (1, 0))
    return written.call("add", written.call("exp", y), written.call("exp", turned)), written.call("tanh", y)


@pytest.mark.parametrize("side", [3, SIDE, WIDE])
@pytest.mark.parametrize(
    "read", [read_by_a_later_step, read_by_a_later_instruction, read_by_a_sum, read_in_another_order]
)
def test_an_operand_that_is_read_again_is_not_overwritten(read, side, written):
    x, w = matrix(written, 0, side), matrix(written, 1, side)
    first, second = read(written, written.call("mm", x, w))
    written.returns(written.call("mm", first, w), written.call("add", second, 1))
    written.check(64)


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("turned", [False, True])
def test_the_result_of_a_call_is_overwritten_if_nobody_holds_it(turned, kept, written):
    held = []

    def summed(array):
        made = np.cumsum(array, 0)
        made = made.T if turned else made
        if kept:
            held.append((made, np.array(made)))
        return made

    x, w = matrix(written, 0, WIDE), matrix(written, 1, WIDE)
    y = written.call("tanh", written.call(summed, x))
    written.returns(written.call("mm", y, w))
    written.check(64)
    assert len(held) > 4 * kept - 1
    for array, before in held:
        np.testing.assert_array_equal(array, before)


def test_an_argument_that_a_call_returns_is_not_overwritten(written):
    x, w = matrix(written, 0, WIDE), matrix(written, 1, WIDE)
    y = written.call("tanh", written.call(lambda array: array.view(), x))
    written.returns(written.call("mm", y, w))
    written.check(64)


def steps_of_groups(written):
    """The names of the steps of each group."""
    order = instructions(written.improved())
    return [[node.detail[0].__name__ for node in one.nodes] for one in order if one.is_group]


def test_masks_are_computed_where_they_are_read(written):
    """The derivative of relu reads its result, which the derivative of a product reads too."""
    x, w, gradient = (matrix(written, i) for i in range(3))
    result = written.call("maximum", written.call("mm", x, w), 0.0)
    back = written.call(lambda a, b: np.cumsum(a, 1) * b, gradient, result)
    there = written.call("le", result, 0.0)
    written.returns(written.call("mm", result, w), written.call("where", there, 0.0, back))
    assert steps_of_groups(written) == [["maximum"], ["less_equal", "where"]]
    written.check(64)


def test_masks_stay_where_their_operands_would_last_longer(written):
    x, w, gradient = (matrix(written, i) for i in range(3))
    result = written.call("maximum", written.call("mm", x, w), 0.0)
    there = written.call("le", result, 0.0)
    forth = written.call("mm", result, w)
    back = written.call("mm", written.call("mm", forth, gradient), w)
    written.returns(forth, written.call("where", there, 0.0, back))
    assert steps_of_groups(written) == [["maximum", "less_equal"], ["where"]]
    written.check(64)


def test_a_plan_counts_what_lives_together(written):
    x = matrix(written, 0, WIDE)
    y = written.call("mm", x, x)
    z = written.call("mm", y, y)
    written.returns(written.call("mm", z, z))
    assert planned(written.improved()).memory == 2 * WIDE * WIDE * 4
