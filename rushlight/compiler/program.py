"""A program: what a call computed, recorded as steps on bare arrays, and the reference way to run it.

Programs are in static single assignment form: every value is computed once, and no step changes another's. Visible
changes (of parameters, buffers, gradients) are listed in `writes`, and made at the end, after all checks have passed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from rushlight.layouts import compact, extent

PURE = "pure"  # results are new arrays that depend only on the arguments
VIEW = "view"  # the results may share memory with the arguments
RANDOM = "random"  # draws from a generator: runs at every replay, in order among these steps
WRITE = "write"  # changes the arguments `changes` in place; the results are those arrays after the change
CHECK = "check"  # no result; if its function returns False the replay ends
OPAQUE = "opaque"  # neither removed, nor moved past another opaque or random step
KINDS = (PURE, VIEW, RANDOM, WRITE, CHECK, OPAQUE)


class Mismatch(Exception):
    """A check of a program failed: the call differs from the recorded one. Nothing was written."""

    def __init__(self, step: "Step | None" = None):
        super().__init__("a value that the program relies on has changed" + (f" at {step.where}" if step else ""))


@dataclass(eq=False, slots=True)
class Value:
    """An array that is an input, a constant or the result of a step. A Python number among the inputs has shape None.

    `strides` are those of an array with another memory layout than new ones have (even if only along dimensions of size
    1), else None: whatever computes the value must lay it out so.
    """

    shape: tuple[int, ...] | None
    dtype: Any  # NumPy's, or the type of a number
    strides: tuple[int, ...] | None = None

    @classmethod
    def like(cls, array: Any) -> "Value":
        """A value for an array or number."""
        if not isinstance(array, np.ndarray):
            return cls(None, type(array))
        strides = array.strides
        return cls(array.shape, array.dtype, None if strides == compact(array.shape, array.itemsize) else strides)

    def layout(self) -> tuple[int, ...]:
        """The strides."""
        assert self.shape is not None, "a number has no strides"
        return compact(self.shape, self.dtype.itemsize) if self.strides is None else self.strides

    def __str__(self) -> str:
        if self.shape is None:
            return self.dtype.__name__
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]" + ("" if self.strides is None else "*")


@dataclass(eq=False, slots=True)
class Step:
    """A call of a function on arrays. `args` has values, constants of any type, and tuples or lists of them.

    `op` is the operator's entry if the function is its `forward` (then `op.params` names the arguments), else None.
    `where` is the line of the user's program, as "file.py:12".
    """

    function: Callable[..., Any]
    args: tuple[Any, ...]
    results: tuple[Value, ...]
    kind: str = PURE
    op: Any = None
    name: str = ""
    where: str = ""
    changes: tuple[int, ...] = ()  # for a step that writes: the positions of the arguments (or lists) that it changes

    def values(self) -> Iterator[Value]:
        """The values among the arguments."""
        return values_in(self.args)

    def has_kernel(self) -> bool:
        """Whether its operator, or the one whose derivative it computes, has a kernel that is faster than steps."""
        return getattr(self.op or getattr(self.function, "op", None), "kernel", False)

    def is_derivative_of_kernel(self) -> bool:
        """Whether it computes the derivative of an operator with such a kernel."""
        return self.kind == PURE and self.op is None and self.has_kernel()

    def __str__(self) -> str:
        return self.name or getattr(self.op or self.function, "name", None) or self.function.__name__


@dataclass(eq=False, slots=True)
class Program:
    """Steps from `inputs` and `constants` to `outputs`.

    `writes` are pairs of an input and the value that its memory must finally hold.
    """

    inputs: list[Value] = field(default_factory=list)
    constants: dict[Value, np.ndarray] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    outputs: list[Value] = field(default_factory=list)
    writes: list[tuple[Value, Value]] = field(default_factory=list)

    def __str__(self) -> str:
        """The program as text, one step per line."""
        return "\n".join(lines(self))


def values_in(args: Any) -> Iterator[Value]:
    """The values among the arguments, also in lists."""
    for arg in args:
        if isinstance(arg, Value):
            yield arg
        elif type(arg) in (tuple, list):
            yield from values_in(arg)


def replaced(args: Any, replacement: Callable[[Value], Any]) -> Any:
    """Arguments with each value replaced."""
    if isinstance(args, Value):
        return replacement(args)
    if type(args) in (tuple, list):
        return type(args)([replaced(arg, replacement) for arg in args])
    return args


def run(program: Program, inputs: Sequence[Any]) -> list[Any]:
    """Runs a program with NumPy, step by step, and returns the arrays of its outputs.

    This is the reference for all faster ways. `inputs` are arrays, and numbers where the inputs are numbers. Raises
    Mismatch if a check fails, before anything is written.
    """
    known: dict[Value, Any] = dict(program.constants)
    known.update(zip(program.inputs, inputs, strict=True))
    for step in program.steps:
        args = list(replaced(step.args, known.__getitem__))
        if step.kind == WRITE:
            for position in step.changes:
                args[position] = copies_of(args[position])
            step.function(*args)
            made: Any = tuple(one for position in step.changes for one in results_listed(args[position]))
        else:
            made = step.function(*args)
        if step.kind == CHECK:
            if not made:
                raise Mismatch(step)
            continue
        for value, array in zip(step.results, results_listed(made), strict=True):
            known[value] = array = laid(array, value) if step.kind in (PURE, RANDOM, OPAQUE) else array
            if array.shape != value.shape:
                raise Mismatch(step)  # a shape that depends on values, such as that of a mask's selection
    outputs = [known[value] for value in program.outputs]
    final = [(known[place], known[value].copy("K")) for place, value in program.writes]
    for target, array in final:
        np.copyto(target, array)
    return outputs


def results_listed(made: Any) -> Any:
    """The results of a step as a list, also if it is a single array."""
    return made if type(made) in (tuple, list) else (made,)


def copies_of(array: Any) -> Any:
    """Copies of an array, or of each in a list, with the same memory layout."""
    return [copies_of(item) for item in array] if isinstance(array, (list, tuple)) else array.copy("K")


def laid(array: Any, value: Value, spare: Any = None) -> Any:
    """The result of a step with the recorded shape, dtype and memory layout.

    `spare` is an array that may be overwritten.
    """
    if not isinstance(array, np.ndarray):
        array = np.asarray(array)
    strides = value.layout()
    if array.strides == strides or array.shape != value.shape:
        return array
    if not same_places(array.shape, array.strides, strides) and array.size:
        array = moved(array, strides, spare)
    own = [step if n == 1 else mine for n, step, mine in zip(array.shape, strides, array.strides, strict=True)]
    return as_strided(array, array.shape, own if array.size else strides)


def moved(array: np.ndarray, strides: tuple[int, ...], spare: Any) -> np.ndarray:
    """A copy with the given strides; where these are 0 elements are repeated. Written to `spare`, if that fits."""
    if spare is not None and (spare.shape, spare.strides, spare.dtype) == (array.shape, strides, array.dtype):
        np.copyto(spare, array)
        return spare
    first = -sum((n - 1) * step for n, step in zip(array.shape, strides, strict=True) if step < 0)
    memory = np.empty(extent(array.shape, [abs(step) for step in strides], array.itemsize), np.uint8)
    copy: np.ndarray = np.ndarray(array.shape, array.dtype, memory, first, strides)
    copy[...] = array
    return copy


def same_places(shape: tuple[int, ...], strides: tuple[int, ...], others: tuple[int, ...]) -> bool:
    """Whether two choices of strides are equivalent for a shape."""
    return all(n == 1 or a == b for n, a, b in zip(shape, strides, others, strict=True))


def lines(program: Program) -> Iterator[str]:
    """The lines of a program's text."""
    names: dict[Value, str] = {}

    def name(value: Value) -> str:
        if value not in names:
            names[value] = f"v{len(names)}"
        return names[value]

    yield f"program({', '.join(f'{name(value)}: {value}' for value in program.inputs)})"
    for value, array in program.constants.items():
        yield f"  {name(value)}: {value} = constant" + (f" {array}" if array.size == 1 else "")
    for step in program.steps:
        yield (
            f"  {shown_results(step, name)}{step}({', '.join(shown(arg, name) for arg in step.args)})"
            + ("" if step.kind == PURE else f"  [{step.kind}]")
            + (f"  # {step.where}" if step.where else "")
        )
    yield f"  return {', '.join(name(value) for value in program.outputs)}"
    for place, value in program.writes:
        yield f"  write {name(place)} := {name(value)}"


def shown_results(step: Step, name: Callable[[Value], str]) -> str:
    """The left side of a step's line."""
    return f"{', '.join(f'{name(value)}: {value}' for value in step.results)} = " if step.results else ""


def shown(arg: Any, name: Callable[[Value], str]) -> str:
    """An argument in a step's line."""
    if isinstance(arg, Value):
        return name(arg)
    if type(arg) in (tuple, list):
        return f"({', '.join(shown(item, name) for item in arg)})"
    return f"array{arg.shape}" if isinstance(arg, np.ndarray) and arg.size > 1 else repr(arg)
