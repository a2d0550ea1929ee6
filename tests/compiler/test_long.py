"""Long programs: they are recorded once they are called again, and making them takes time in proportion to length."""

import numpy as np
import pytest
from compiler.writing import Written

import rushlight as torch
from rushlight.compiler import allocation
from rushlight.compiler.compiled import LONG
from rushlight.compiler.fusion import OPERATIONS, SERIES, Grouping, instructions
from rushlight.compiler.native import MOST_OPERATIONS, MOST_TEXT, Native, is_available, with_native_loops
from rushlight.compiler.native.emission import function_text
from rushlight.compiler.planning import planned
from rushlight.kernels.codes import ALIGNMENT


@pytest.fixture
def written():
    return Written()


def recordings(program):
    return len(program.variants)


@pytest.mark.parametrize("fullgraph", [False, True])
def test_a_long_function_is_recorded_at_its_second_call(fullgraph):
    def inner(x):  # found only when it runs
        return torch.sin(x)

    functions = {"inner": inner}

    def long(x):
        for _ in range(LONG):
            x = functions["inner"](x) + x / 2
        return x.sum()

    program = torch.compile(long, fullgraph=fullgraph, options={"timed": False})
    x = torch.linspace(0, 1, 5)
    expected = long(x)
    for number in range(4):
        torch.testing.assert_close(program(x), expected)
        assert recordings(program) == (number > 0)
    assert program.given_up is None


def test_steps_of_all_parts_count():
    weight = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([weight], lr=2**-13)

    def steps(x):
        for _ in range(LONG // 3):
            optimizer.zero_grad()
            (weight * x).sum().backward()
            optimizer.step()
        return weight.sum().detach()

    program = torch.compile(steps, options={"timed": False})
    x = torch.ones(2)
    for number in range(3):
        torch.testing.assert_close(program(x), torch.tensor(2 - 2**-12 * (LONG // 3) * (number + 1)))
        assert recordings(program) == (number > 0)


def test_what_cannot_be_replayed_in_a_long_function_is_found_at_the_second_call(capsys):
    def long(x):
        for _ in range(LONG + 1):
            x = x.sin()
        print("at its end")
        return x

    program = torch.compile(long)
    x = torch.ones(2)
    program(x)
    with pytest.warns(UserWarning, match="print"):
        program(x)
    assert capsys.readouterr().out == "at its end\n" * 2


@pytest.mark.parametrize("seed", range(5))
def test_places_in_the_arena_are_the_lowest_that_are_free(seed):
    draw = np.random.default_rng(seed)
    gaps, taken = allocation.Gaps(), []
    for _ in range(300):
        if taken and draw.random() < 0.45:
            gaps.give(*taken.pop(draw.integers(len(taken))))
        length = int(draw.integers(0, 400))
        start = gaps.take(length)
        size = max(length, 1)
        free = [x for x in [0, *[-(-(s + max(n, 1)) // ALIGNMENT) * ALIGNMENT for s, n in taken]] if x <= start]
        fits = [x for x in free if all(x + size <= s or s + max(n, 1) <= x for s, n in taken)]
        assert start % ALIGNMENT == 0
        assert start == min(fits)
        taken.append((start, length))


def unrolled(written, steps):
    """A recurrent network with its derivative written out: groups at both ends of a program read the same values."""
    w = written.input(np.full((4, 4), 0.3, np.float32))
    x = written.input(np.ones((4, 4), np.float32))
    states = [x]
    for _ in range(steps):
        states.append(written.call("tanh", written.call("mm", states[-1], w)))
    back = states[-1]
    for state in reversed(states[1:]):
        back = written.call("mm", written.call("mul", back, written.call("mul", state, state)), w)
    written.returns(back, written.call("sum", states[-1]))


def test_groups_of_a_long_program_are_right(written):
    unrolled(written, 60)
    groups = instructions(written.improved())
    assert len(groups) == 4 * 60 - 1  # two products and two groups for each state, of which the last share one
    written.check()


def test_merging_looks_at_few_others(written, monkeypatch):
    """Merging two instructions of a long program touches only those beside them."""

    def touched(steps):
        program = Written()
        unrolled(program, steps)
        graph, count = program.improved(), 0

        def counted(self, a, b, is_apart=Grouping.is_apart):
            nonlocal count
            count += 1 + len(self.read[b])
            return is_apart(self, a, b)

        with monkeypatch.context() as patch:
            patch.setattr(Grouping, "is_apart", counted)
            instructions(graph)
        return count

    assert touched(80) < 2.2 * touched(40)


@pytest.mark.skipif(not is_available(), reason="llvmlite is not installed")
def test_native_groups_are_small_and_few(written):
    x = written.input(np.linspace(0.1, 1, 64, dtype=np.float32))
    for name in np.random.default_rng(0).choice(["sin", "cos", "tanh", "neg"], 1000):
        x = written.call("mul", written.call(str(name), x), 1.25)
    written.returns(x)
    code = with_native_loops(planned(written.improved(), MOST_OPERATIONS)).code
    native = [one for one in code if isinstance(one, Native)]
    assert native
    for one in native:
        assert len([step for step in one.group.steps if step[0] in SERIES]) <= MOST_OPERATIONS // OPERATIONS
    assert sum(len(function_text(form, "")[0]) for form in {one.form for one in native}) <= MOST_TEXT
    assert len(native) < len(code)
    written.check()
