"""Elementwise formulas written down: the steps that `formulas.pyx` takes without Python in between.

A formula is called once with `Traced` operands, which note each NumPy function that is applied to them. What cannot be
written down (a condition on values, a shape, a function that is no ufunc) raises, and the formula stays a function.
"""

from typing import NamedTuple

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

MOST_STEPS = 32  # more of them, or more constants, stay a function
POWERS = {0.5: np.sqrt, 1: np.positive, 2: np.square, -1: np.reciprocal}  # NumPy's own short cuts for `x**number`


class Untraceable(Exception):
    """Raised inside a formula that cannot be written down."""


class Tape(NamedTuple):
    """A formula written down: operands are numbered first, then `constants`, then the results of the steps."""

    operands: int
    constants: list[float]
    steps: list[tuple[np.ufunc, tuple[int, ...]]]
    result: int


class Recorder:
    """What is written down while a formula is traced."""

    def __init__(self):
        self.constants = []
        self.steps = []

    def note(self, ufunc, inputs):
        """Writes a step down, and gives what stands for its result."""
        if not all(isinstance(x, Traced) or type(x) in (int, float) for x in inputs) or not computes_floats(ufunc):
            raise Untraceable
        if not any(type(x) is Traced for x in inputs):
            raise Untraceable  # numbers among themselves are computed in double precision
        if len(self.steps) == MOST_STEPS or len(self.constants) == MOST_STEPS:
            raise Untraceable
        self.steps.append((ufunc, tuple(self.place(x) for x in inputs)))
        return Traced(self, ("step", len(self.steps) - 1))

    def place(self, value):
        """Where a step finds an operand: an input of the formula, a constant, or the result of an earlier step."""
        if isinstance(value, Traced):
            return value.place
        self.constants.append(float(value))
        return "constant", len(self.constants) - 1


class Traced(NDArrayOperatorsMixin):
    """Stands for an array while a formula is traced."""

    def __init__(self, recorder, place):
        self.recorder = recorder
        self.place = place

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        if method != "__call__" or options:
            raise Untraceable
        return self.recorder.note(ufunc, inputs)

    def __pow__(self, exponent):
        if isinstance(exponent, TracedNumber):
            raise Untraceable  # which function computes it depends on the number
        ufunc = None if isinstance(exponent, Traced) else POWERS.get(exponent)
        return np.power(self, exponent) if ufunc is None else ufunc(self)

    def __bool__(self):
        raise Untraceable

    def __array__(self, dtype=None, copy=None):
        raise Untraceable


class TracedNumber(Traced):
    """Stands for a Python number that differs from call to call."""


def computes_floats(ufunc):
    """Whether a ufunc has loops that take and give nothing but float32, and nothing but float64."""
    return ufunc.nout == 1 and all(kind * ufunc.nin + "->" + kind in ufunc.types for kind in "fd")


def trace(function, operands):
    """Writes down an elementwise function, or gives None.

    `operands` has for each parameter `Traced` (an array), `TracedNumber` (any number), or a number to count on.
    """
    recorder = Recorder()
    stand_ins = [x(recorder, ("operand", i)) if isinstance(x, type) else x for i, x in enumerate(operands)]
    try:
        result = function(*stand_ins)
        if not isinstance(result, Traced) or isinstance(result, TracedNumber):
            return None
    except Exception:  # whatever a formula raises that was not given arrays: it has to run as it is
        return None
    before = {"operand": 0, "constant": len(operands), "step": len(operands) + len(recorder.constants)}
    number = lambda place: before[place[0]] + place[1]
    steps = [(ufunc, tuple(number(place) for place in places)) for ufunc, places in recorder.steps]
    return Tape(len(operands), recorder.constants, steps, number(result.place))
