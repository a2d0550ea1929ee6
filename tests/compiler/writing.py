"""Programs written by hand for the tests of passes and executors: each call is computed, so values know their shape."""

import numpy as np

import rushlight  # noqa: F401  # enters the operators
from rushlight.compiler.graph import Graph
from rushlight.compiler.lowering import lowered
from rushlight.compiler.passes import improved
from rushlight.compiler.planning import planned
from rushlight.compiler.program import PURE, VIEW, Program, Step, Value, replaced, results_listed, run
from rushlight.compiler.walking import Executor, executor
from rushlight.ops.table import TABLE


class Written:
    """A program, its inputs, and what its values are for them."""

    def __init__(self):
        self.program = Program()
        self.inputs = []
        self.arrays = {}

    def input(self, array):
        value = Value.like(array)
        self.program.inputs.append(value)
        self.inputs.append(array)
        self.arrays[value] = array
        return value

    def constant(self, array):
        value = Value.like(array)
        self.program.constants[value] = self.arrays[value] = array
        return value

    def call(self, entry, *args, kind=None, changes=()):
        """A step: an operator by its name, or a function."""
        op = TABLE[entry] if isinstance(entry, str) else None
        function = op.forward if op else entry
        made = results_listed(function(*replaced(args, self.arrays.__getitem__)))
        made = [np.asarray(array) for array in made]
        values = tuple([Value.like(array) for array in made])
        self.arrays.update(zip(values, made, strict=True))
        kind = kind or (VIEW if op is not None and op.view else PURE)
        self.program.steps.append(Step(function, args, values, kind, op, changes=changes))
        return values[0] if len(values) == 1 else values

    def returns(self, *values):
        self.program.outputs = list(values)
        return self

    def graph(self) -> Graph:
        return lowered(self.program)

    def improved(self) -> Graph:
        return improved(self.graph())

    def check(self, scale=1.0):
        """Runs the program by all executors, twice each, and compares with the reference."""
        plan = planned(self.improved())
        for runs in {type(one): one for one in (Executor(plan), executor(plan))}.values():
            for _ in range(2):
                expected_inputs, given = ([copy_of(x) for x in self.inputs] for _ in range(2))
                expected = run(self.program, expected_inputs)
                compare(runs(given), expected, scale)
                compare(given, expected_inputs, scale)
        return plan


def copy_of(given):
    return given.copy("K") if isinstance(given, np.ndarray) else given


def compare(found, expected, scale):
    """Equal to rounding: of the largest element where sums are taken in another order."""
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        if not isinstance(other, np.ndarray):
            assert one == other
            continue
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        if other.dtype.kind not in "fc":
            np.testing.assert_array_equal(one, other)
            continue
        with np.errstate(all="ignore"):
            finite = np.abs(other[np.isfinite(other)])
        size = (finite.max() if finite.size else 1) * np.finfo(other.dtype).eps * 32 * scale
        np.testing.assert_allclose(one, other, rtol=np.finfo(other.dtype).eps * 64 * scale, atol=size)


def normal(*shape, dtype=np.float32, seed=0):
    return np.random.default_rng(seed + sum(shape)).standard_normal(shape).astype(dtype)
