"""Traces elementwise formulas: records the steps that `formulas.pyx` runs without Python in between.

A formula is called once for each dtype, with `Traced` operands, which record each NumPy function that is applied to
them. Values are numbers of that dtype or booleans; constants and choices are recorded for floats alone. What cannot be
recorded (a condition on values, a shape, a function that is not a ufunc) raises, and the formula stays a Python
function.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from rushlight.kernels.codes import MOST_STEPS

POWERS: dict[float, Callable[[Any], Any]] = {
    0.5: np.sqrt,
    1: np.positive,
    2: np.square,
    -1: np.reciprocal,
    -0.5: lambda base: np.reciprocal(np.sqrt(base)),
}  # NumPy's own shortcuts for `x**number`, and what PyTorch computes where NumPy's function takes ten times as long
FIRST = frozenset({"airy"})  # functions of whose several results there is a loop for the first one
MOST_FACTORS = 8  # of powers that are computed as products: NumPy's own takes hundreds of times as long
TRUTH = np.dtype(bool)


def power(base: Any, exponent: float) -> Any:
    """`base**exponent` by NumPy's functions; powers with a small integer exponent as products."""
    if exponent in POWERS:
        return POWERS[exponent](base)
    if exponent == int(exponent) and 2 < exponent <= MOST_FACTORS:
        half = base if exponent < 4 else base ** (int(exponent) // 2)
        return half * half * base if exponent % 2 else half * half
    return np.power(base, exponent)


class Untraceable(Exception):
    """Raised for a formula that cannot be recorded."""


class Step(NamedTuple):
    """A function, the type characters of its operands and result, and the indices of its operands."""

    function: Any  # a ufunc, or `np.where`
    types: str
    places: tuple[int, ...]


class Tape(NamedTuple):
    """A recorded formula. Indices count the operands first, then `constants`, then the results of the steps.

    `kinds` has a letter for each operand: `a` for an array of numbers, `?` for an array of booleans, `n` for a number,
    `-` for a fixed value.
    """

    operands: int
    constants: list[float]
    steps: list[Step]
    result: int
    kinds: str


class Recorder:
    """The state of tracing one formula for one dtype."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.dtype = dtype
        self.constants: list[Any] = []
        self.steps: list[Any] = []
        self.known: dict[Any, Any] = {}  # the placeholder for the result of each step that is already recorded

    def note(self, function: Callable[..., Any], inputs: Sequence[Any]) -> "Traced":
        """Records a step, and returns the placeholder for its result."""
        kinds = {x.dtype for x in inputs if type(x) is Traced}
        if not kinds:
            raise Untraceable  # numbers alone are computed in double precision
        truths = kinds == {TRUTH}
        if truths and len(inputs) > len([x for x in inputs if type(x) is Traced]):
            raise Untraceable  # booleans with numbers give another dtype
        inputs = [self.operand(x, truths) for x in inputs]
        types = self.types_of(function, len(inputs), TRUTH if truths else self.dtype)
        return self.write(function, types, tuple([x.place for x in inputs]))

    def choose(self, condition: Any, x: Any, y: Any) -> "Traced":
        """Records `np.where`."""
        if type(condition) is not Traced or condition.dtype != TRUTH:
            raise Untraceable
        if not any(type(v) is Traced or getattr(v, "dtype", None) == self.dtype for v in (x, y)):
            raise Untraceable  # numbers alone would give double precision
        self.need_floats()
        values = [self.operand(v, False) for v in (x, y)]
        char = self.dtype.char
        return self.write(np.where, f"?{char}{char}->{char}", (condition.place, *[v.place for v in values]))

    def write(self, function: Callable[..., Any], types: str, places: Sequence[Sequence[Any]]) -> "Traced":
        """Records a step, unless it is known: the same step on the same operands has the same result."""
        step = (function, types, places)
        if step not in self.known:
            if len(self.steps) == MOST_STEPS:
                raise Untraceable
            self.known[step] = ("step", len(self.steps))
            self.steps.append(step)
        return Traced(self, self.known[step], np.dtype(types[-1]))

    def operand(self, value: "Traced | TracedNumber | float", is_truth: bool) -> "Traced":
        """The placeholder for an operand of a step; booleans beside numbers become numbers."""
        if isinstance(value, Traced):
            return (
                value if is_truth or value.dtype == self.dtype else self.choose(value, self.number(1), self.number(0))
            )
        if type(value) not in (int, float) and getattr(value, "dtype", None) != self.dtype:
            raise Untraceable
        return self.number(value)

    def number(self, value: float) -> "Traced":
        """The placeholder for a constant."""
        self.need_floats()
        if len(self.constants) == MOST_STEPS:
            raise Untraceable
        self.constants.append(float(value))
        return Traced(self, ("constant", len(self.constants) - 1), self.dtype)

    def need_floats(self) -> None:
        """Refuses what is recorded for floats alone."""
        if self.dtype.kind != "f":
            raise Untraceable

    @staticmethod
    def types_of(function: Any, number: int, dtype: np.dtype) -> str:
        """The types of the ufunc loop whose operands are all of a dtype, and whose result is of that dtype or bool."""
        given, results = dtype.char * number, dtype.char * function.nout
        found = [types for types in (f"{given}->{results}", f"{given}->?") if types in function.types]
        if function.signature is not None or function.nin != number or not found:
            raise Untraceable
        if function.nout != 1 and function.__name__ not in FIRST:
            raise Untraceable
        if function is np.power and dtype.kind != "f":
            raise Untraceable  # of integers it raises an error
        return found[0][: len(given) + 3]


class Traced(NDArrayOperatorsMixin):
    """A placeholder for an array while a formula is traced."""

    given = False  # whether it is an operand of the formula

    def __init__(self, recorder: Recorder, place: Sequence[Any], dtype: np.dtype):
        self.recorder = recorder
        self.place = place
        self.dtype = dtype

    def __array_ufunc__(
        self, ufunc: Any, method: str, *inputs: Sequence[Any], out: "Sequence[Traced] | None" = None, **options: Any
    ) -> Any:
        if method != "__call__" or options:
            raise Untraceable
        result = self.recorder.note(ufunc, inputs)
        if out is None:
            return result if ufunc.nout == 1 else (result, *[None] * (ufunc.nout - 1))
        (target,) = out
        if type(target) is not Traced or target.given or target.dtype != result.dtype:
            raise Untraceable  # operands must not be written to
        target.place = result.place
        return target

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        if function in LIKE and not kwargs and len(args) == 1:
            return self.recorder.number(LIKE[function])
        if function in (np.real, np.imag):
            return args[0].real if function is np.real else args[0].imag
        if function is np.copy:
            return args[0].copy()
        if function is not np.where or kwargs or len(args) != 3:
            raise Untraceable
        return self.recorder.choose(*args)

    def __pow__(self, exponent: "Traced | TracedNumber | float") -> Any:
        if isinstance(exponent, TracedNumber):
            raise Untraceable  # NumPy chooses the function by the number
        self.recorder.need_floats()  # NumPy's shortcuts for powers of others are not ours
        if isinstance(exponent, Traced):
            return np.power(self, exponent)
        return power(self, exponent)

    @property
    def real(self) -> Any:
        """The array itself: parts of complex numbers are not recorded."""
        self.recorder.need_floats()
        return self

    @property
    def imag(self) -> Any:
        """Zeros: parts of complex numbers are not recorded."""
        return self.recorder.number(0)

    def astype(self, dtype: Any, copy: bool = True) -> "Traced | None":
        """The array itself for its own dtype; booleans converted to numbers."""
        if np.dtype(dtype) not in (self.dtype, self.recorder.dtype):
            raise Untraceable
        return self.copy() if dtype == self.dtype else self.recorder.operand(self, False)

    def copy(self) -> "Traced":
        """The same values, in an array that may be written to."""
        return Traced(self.recorder, self.place, self.dtype)

    def clip(self, low: int, high: int) -> Any:
        """The array within bounds."""
        return np.minimum(np.maximum(self, low), high)

    def __setitem__(self, key: Any, value: "Traced") -> None:
        if key is not Ellipsis or self.given or value.dtype != self.dtype:
            raise Untraceable
        self.place = value.place

    def __bool__(self) -> bool:
        raise Untraceable

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise Untraceable


class TracedNumber(Traced):
    """A placeholder for a Python number that differs from call to call."""


def for_kernel(x: Any) -> Any:
    """An operand for a separate kernel, which is faster than steps: a formula that uses it stays a Python function."""
    if isinstance(x, Traced):
        raise Untraceable
    return x


LIKE: dict[Callable[..., Any], int] = {np.zeros_like: 0, np.ones_like: 1}  # functions whose result is a constant


def stand_in(kind: Any, recorder: Recorder, place: Sequence[Any]) -> Any:
    """The placeholder for an operand.

    `TracedNumber` for any number, a dtype for an array; anything else is used as it is.
    """
    if kind is TracedNumber:
        found: Traced = TracedNumber(recorder, place, recorder.dtype)
    elif isinstance(kind, np.dtype):
        found = Traced(recorder, place, kind)
    else:
        return kind
    found.given = True
    return found


def trace(function: Callable[..., Any], operands: Any, dtype: np.dtype) -> Tape | None:
    """Records an elementwise function as it computes in a dtype; None if that is impossible.

    `operands` has for each parameter a dtype (an array of exactly that dtype, or of bool), `TracedNumber` (any number),
    or a fixed value.
    """
    recorder = Recorder(dtype)
    try:
        result = function(*[stand_in(x, recorder, ("operand", i)) for i, x in enumerate(operands)])
        if not isinstance(result, Traced) or isinstance(result, TracedNumber):
            return None
        if result.place[0] == "constant":
            result = np.positive(result)
    except Exception:  # a formula may raise anything when it is not given arrays: then it stays a function
        return None
    return numbered(recorder, "".join([kind_of(x) for x in operands]), result.place)


def kind_of(operand: Any) -> str:
    """The letter for an operand of `trace`: see `Tape`."""
    if operand is TracedNumber:
        return "n"
    if not isinstance(operand, np.dtype):
        return "-"
    return "?" if operand == TRUTH else "a"


def numbered(recorder: Recorder, kinds: str, result: Any) -> Tape:
    """The tape of the recorded steps that the result depends on."""
    needed = {result}
    for i in range(len(recorder.steps) - 1, -1, -1):
        if ("step", i) in needed:
            needed.update(recorder.steps[i][2])
    constants = [i for i in range(len(recorder.constants)) if ("constant", i) in needed]
    steps = [i for i in range(len(recorder.steps)) if ("step", i) in needed]
    places = [("operand", i) for i in range(len(kinds))]
    places += [("constant", i) for i in constants] + [("step", i) for i in steps]
    number = {place: n for n, place in enumerate(places)}
    written = [recorder.steps[i] for i in steps]
    return Tape(
        len(kinds),
        [recorder.constants[i] for i in constants],
        [Step(function, types, tuple([number[p] for p in given])) for function, types, given in written],
        number[result],
        kinds,
    )
