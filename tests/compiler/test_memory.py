"""The memory of intermediate results: what is computed early, what is overwritten, and what must not be."""

from copy import deepcopy
from types import SimpleNamespace

import numpy as np
import pytest
from compiler.writing import Written, compare, normal

import rushlight as torch
from rushlight.compiler.allocation import LARGE
from rushlight.compiler.compiled import Compiled
from rushlight.compiler.fusion import instructions
from rushlight.compiler.planning import planned
from rushlight.compiler.program import CHECK, Step, run
from rushlight.compiler.walking import executor, fast

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


@pytest.mark.parametrize("fits", [True, False])
def test_arrays_that_outputs_may_be_written_over(fits, written):
    """They are written over where they fit, and the outputs are the same either way."""
    x = written.input(normal(4, 3))
    written.returns(written.call("tanh", x), written.call("sum_dims", x, (0,), False, None))
    walker = executor(planned(written.improved()))
    if not hasattr(walker, "renewable"):
        pytest.skip("the plain executor makes new arrays")
    spare = np.ones((4, 3) if fits else (3, 4), np.float32)
    expected = run(written.program, written.inputs)
    assert walker.renewable == {0, 1}
    found = walker(written.inputs, [(0, spare), (1, np.ones((3,), np.float32)[::-1])])
    assert (found[0] is spare) is fits
    compare(found, expected, 1)


@pytest.mark.parametrize("call", ["cholesky", "check"])
def test_a_plan_that_can_fail_writes_nothing_over(call, written):
    x = written.input(np.eye(3))
    made = written.call("tanh", x) if call == "check" else written.call(np.linalg.cholesky, x)
    if call == "check":
        truth = written.call("gt", written.call("sum", written.call("mm", made, made)), 0)
        written.program.steps.append(Step(bool, (truth,), (), CHECK))
    written.returns(made)
    assert not getattr(executor(planned(written.improved())), "renewable", ())


class Derivative:
    """What the recorder makes of the derivative of an operator: `kernel` tells whether that has one."""

    def __init__(self, kernel):
        self.op = SimpleNamespace(kernel=kernel)
        self.name = self.__name__ = "derivative"

    def __call__(self, array):
        return np.cumsum(array, 0)


@pytest.mark.parametrize("kernel", [False, True])
def test_outputs_that_are_written_to_once_nothing_can_fail(kernel, written):
    """Only these may be in arrays that somebody still has: the derivative of an operator that has run cannot fail."""
    x = written.input(np.eye(3))
    before = written.call("tanh", x)
    factor = written.call(np.linalg.cholesky, x)
    between = written.call("exp", factor)
    after = written.call("tanh", written.call(Derivative(kernel), between))
    written.returns(before, between, after)
    walker = executor(planned(written.improved()))
    written.check(64)
    if hasattr(walker, "renewable"):
        assert walker.renewable == ({1, 2} if kernel else {2})


@pytest.mark.parametrize("kept", [False, True])
def test_gradients_are_written_over_after_calls_that_can_fail(kept):
    """Layers call their kernels, but those of the backward pass cannot fail; a gradient that somebody holds stays."""
    layer = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.LayerNorm(64), torch.nn.Linear(64, 8))
    plain = deepcopy(layer)
    weight, same = layer[0].weight, plain[0].weight
    inputs, labels = torch.randn(16, 64), torch.arange(16) % 8

    def step(model, inputs, labels):
        model.zero_grad()
        loss = torch.nn.functional.cross_entropy(torch.softmax(model(inputs), 1), labels)
        loss.backward()
        return loss.detach()

    compiled = Compiled(step, timed=False)
    for _ in range(3):
        compiled(layer, inputs, labels)
    assert len(compiled.variants) == 1
    for scale in (2.0, 3.0):
        before = weight.grad.numpy().ctypes.data
        held = weight.grad if kept else None
        values = weight.grad.clone()
        compiled(layer, inputs * scale, labels)
        step(plain, inputs * scale, labels)
        torch.testing.assert_close(weight.grad, same.grad)
        if kept:
            torch.testing.assert_close(held, values, rtol=0, atol=0)
            assert weight.grad.numpy().ctypes.data != before
        elif fast is not None:
            assert weight.grad.numpy().ctypes.data == before
    values = weight.grad.clone()
    labels[3] = 8
    with pytest.raises(IndexError):
        compiled(layer, inputs, labels)
    assert weight.grad is None or torch.equal(weight.grad, values)
