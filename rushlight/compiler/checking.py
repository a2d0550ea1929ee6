"""Checks recordings: the call and its replay are compared on copies, with other values than recorded.

Before a recording is used, the tensors that the call was given get other values, and the call is made and recorded once
more: both recordings must agree step by step and constant by constant, and the replay of the first must give what the
call gives, recorded and not. A constant that actually depends on a value shows up in one of these comparisons. Then
everything is restored. Later audits do the same with the present values. A difference counts as rounding if the call
itself changes as much when its inputs are perturbed by rounding.
"""

from collections.abc import Callable, Sequence
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.compiler.arguments import flattened
from rushlight.compiler.codes import NUMBER, OUTPUT
from rushlight.compiler.differentiable import sent_back
from rushlight.compiler.guards import Formula, Leaf, Object, Record, same
from rushlight.compiler.memories import Unrecordable
from rushlight.compiler.program import Mismatch, Program, Step, Value
from rushlight.compiler.recording import Recording
from rushlight.compiler.states import WAYS, State, copy_of_values
from rushlight.compiler.surroundings import SIMPLE
from rushlight.compiler.traced import Traced
from rushlight.core.batched import Batched, Level
from rushlight.core.kinds import is_half, kind_of
from rushlight.core.windows import outermost
from rushlight.random.generator import Generator


def close(a: Any, b: Any) -> bool:
    """Whether two arrays are equal up to rounding: of the largest number, and of sums in half precision."""
    if a is None or b is None:
        return a is b
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if np.array_equal(a, b):
        return True
    if a.dtype.char in "?bBhHiIlLqQ":
        return False
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    step = 4 * dtypes.finfo(dtypes.FROM_NUMPY[a.dtype]).eps if is_half(a.dtype) else 0.0
    a, b = a.astype(wide), b.astype(wide)
    finite = np.isfinite(a)
    if not np.array_equal(finite, np.isfinite(b)) or not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        return False
    largest = float(np.abs(a[finite]).max(initial=0))
    return bool(np.all(np.abs(a[finite] - b[finite]) <= max(1e-4, step) * largest + 1e-6))


def agree(first: Recording, second: Recording, arguments: Sequence[Any] = ()) -> None:
    """Unrecordable if two recordings of a function are not the same program.

    `arguments` are those of the second; numbers among them may be inputs only of the first.
    """
    agree_steps(first, second, arguments)
    first.result = result_of(first.result, second.result, first.left, [*second.left, *arguments])


def agree_steps(first: Recording, second: Recording, arguments: Sequence[Any] = ()) -> None:
    """Unrecordable if the parts of two recordings differ."""
    if len(first.stretches) != len(second.stretches) or len(first.backwards) != len(second.backwards):
        raise Unrecordable("its steps differ from call to call")
    for one, other in zip(first.stretches, second.stretches, strict=True):
        agree_programs(one.program, one.places, other.program, other.places, arguments)


def result_of(result: Any, other: Any, numbers: list[Any], others: list[Any] | None = None) -> Any:
    """The structure of a result, with formulas for numbers. Unrecordable if the other result differs.

    `numbers` and `others` are the numbers that left the program and those among the arguments, in the first call and in
    the other; without the latter the formulas are those of the other result.
    """
    if type(result) is Formula and others is not None and isinstance(other, float):
        is_like = same(result.value(others), other.plain if type(other) is Traced else other)
        made = result
    elif type(other) is Traced:
        was = result.value(numbers) if type(result) is Formula else result
        is_like = type(was) is float and same(other.formula.value(numbers), was)
        made = other.formula
    elif type(result) in (list, tuple) and type(other) is type(result) and len(result) == len(other):
        return type(result)([result_of(a, b, numbers, others) for a, b in zip(result, other, strict=True)])
    elif type(result) is dict and type(other) is dict and list(result) == list(other):
        return {key: result_of(item, other[key], numbers, others) for key, item in result.items()}
    elif isinstance(result, Record) and isinstance(other, Record) and result.cls is other.cls:
        return Record(result.cls, result_of(result.content, other.content, numbers, others))
    else:
        is_like, made = alike(result, other, {}), result
    if not is_like:
        raise Unrecordable("the result has numbers that depend on values")
    return made


def agree_programs(
    one: Program, places: list[Any], other: Program, others: list[Any], arguments: Sequence[Any]
) -> None:
    """Unrecordable if two programs, with the places of their inputs, differ."""
    numbers: dict[Value, Any] = {}
    if len(one.steps) != len(other.steps):
        raise Unrecordable("its steps depend on values")
    match(one, places, other, others, numbers, arguments)
    for step, twin in zip(one.steps, other.steps, strict=True):
        if not alike_steps(step, twin, numbers):
            raise Unrecordable(f"{step} at {step.where} depends on values")


def match(
    one: Program,
    places: list[Any],
    other: Program,
    others: list[Any],
    numbers: dict[Value, Any],
    arguments: Sequence[Any],
) -> None:
    """Matches inputs and constants of two programs."""
    formulas = {what: value for value, (kind, what) in zip(other.inputs, others, strict=True) if kind == NUMBER}
    for value, (kind, what) in zip(one.inputs, places, strict=True):
        if kind == NUMBER:
            numbers[value] = formulas[what] if what in formulas else what.value(arguments)
    inputs = [
        [value for value, (kind, _) in zip(program.inputs, of_program, strict=True) if kind != NUMBER]
        for program, of_program in ((one, places), (other, others))
    ]
    if len(one.constants) != len(other.constants) or len(inputs[0]) != len(inputs[1]):
        raise Unrecordable("its constants depend on values")
    numbers.update(zip(*inputs, strict=True))
    for (value, array), (twin, other_array) in zip(one.constants.items(), other.constants.items(), strict=True):
        if array is other_array or (array.size and outermost(array) is outermost(other_array)):
            raise Unrecordable("it reads a tensor from a place where changes cannot be seen")
        if array.dtype != other_array.dtype or not np.array_equal(
            array, other_array, equal_nan=kind_of(array.dtype) in "fc"
        ):
            raise Unrecordable("a tensor that is made inside depends on values")
        numbers[value] = twin


def alike_steps(step: Step, twin: Step, numbers: dict[Value, Value]) -> bool:
    """Whether two steps do the same to corresponding values."""
    if step.kind != twin.kind or len(step.results) != len(twin.results):
        return False
    if len(step.args) != len(twin.args) or not alike(step.function, twin.function, numbers):
        return False
    for arg, other in zip(step.args, twin.args, strict=True):
        if not alike(arg, other, numbers):
            return False
    for value, made in zip(step.results, twin.results, strict=True):
        if value.shape != made.shape or value.dtype != made.dtype or value.strides != made.strides:
            return False
        numbers[value] = made
    return True


def alike(a: Any, b: Any, numbers: dict[Value, Value]) -> bool:
    """Whether two arguments, functions or results of recordings are equal."""
    if type(a) is Value:
        found: Any = numbers.get(a)
        return found is b or (type(found) is float and type(b) is float and same(found, b))
    if a is b:
        return True
    if type(a) is float and type(b) is Traced:
        return same(a, b.plain) and not b.formula.leaves_program()
    if type(a) is not type(b):
        return False
    if isinstance(a, SIMPLE):
        return same(a, b)
    if isinstance(a, Leaf):
        return (a.index, a.shape, a.dtype, a.needs) == (b.index, b.shape, b.dtype, b.needs)
    if isinstance(a, Record):
        return a.cls is b.cls and alike(a.content, b.content, numbers)
    if isinstance(a, Object):
        return a.value is b.value
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(alike(x, y, numbers) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict):
        return list(a) == list(b) and all(alike(a[key], b[key], numbers) for key in a)
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=kind_of(a.dtype) in "fc")
    if isinstance(a, Batched):
        return alike(a.array, b.array, numbers) and alike(a.levels, b.levels, numbers)
    if isinstance(a, Level):
        return a.size == b.size
    if isinstance(a, FunctionType):
        inner = [tuple(cell.cell_contents for cell in function.__closure__ or ()) for function in (a, b)]
        return a.__code__ is b.__code__ and alike([a.__defaults__, inner[0]], [b.__defaults__, inner[1]], numbers)
    if isinstance(a, partial):
        return alike((a.func, a.args, a.keywords), (b.func, b.args, b.keywords), numbers)
    if isinstance(a, (Generator, type, np.ufunc)):
        return False
    content = content_of(a)
    return content is not None and alike(content, content_of(b), numbers)


def content_of(value: Any) -> dict[str, Any] | None:
    """The attributes of an object; None if it does not show them."""
    if hasattr(value, "__dict__"):
        return dict(vars(value))
    slots = [name for cls in type(value).__mro__ for name in getattr(cls, "__slots__", ())]
    return {name: getattr(value, name, None) for name in slots} or None


def compare(
    recording: Recording,
    record: Callable[[], Recording],
    call: Callable[[], Any],
    arguments: list[Any],
    before: State,
    changed: bool,
) -> None:
    """Makes a call on copies and replays it. Unrecordable if the two differ; everything is restored.

    `before` is the initial state, `record` makes and records the call without steps of optimizers, `call` makes it
    without them and without recording, and `changed` tells whether values are changed first.
    """
    given = recording.given
    after = State(given.tensors, recording.generators)
    try:
        for way in WAYS if changed else WAYS[-1:]:
            before.put_back()
            if changed:
                before.disturb(way)
            start = State(given.tensors, recording.generators)
            try:
                tensors, nodes, numbers = recording.replayed(arguments, None, (), {}, False)
                found = [*State(given.tensors).arrays(), *[copy_of_values(tensor) for tensor in tensors]]
                start.put_back()
                second = record()
            except Unrecordable:
                raise
            except Exception as error:  # other values may take another branch
                if way != WAYS[-1]:
                    continue
                if isinstance(error, Mismatch) and not changed:
                    return
                raise Unrecordable(f"it cannot be checked with other values: {error!r}") from None
            break
        if way == WAYS[-1] and changed and has_choices(recording):
            raise Unrecordable("it makes integers or truths of values in a way that cannot be checked")
        agree(recording, second, arguments)
        expected = left_by(second)
        for node, (_, _, grads, _) in zip(nodes, second.sent, strict=True):
            found += node.apply(cotangents_of(node, grads), False, (True,) * node.arity)
        found.append(np.array(numbers))
        start.put_back()
        plain = left_by_call(call, second)
        if not all(close(a, b) and (c is None or close(a, c)) for a, b, c in zip(expected, found, plain, strict=True)):
            eps = coarsest(second)
            others = [left_by(again(record, start, eps, seed)) for seed in range(3)]
            if not all(map(within, expected, found, plain, *others)):
                raise Unrecordable("a replay gives other values than the call")
    finally:
        after.put_back()


def left_by(recording: Recording) -> list[Any]:
    """The arrays that a just recorded call has left behind; None for those that do not exist."""
    arrays = [*State(recording.given.tensors).arrays(), *[copy_of_values(tensor) for tensor in recording.tensors]]
    for *_, gradients in recording.sent:
        arrays += [None if one is None else one._array for one in gradients]
    return [*arrays, np.array(recording.left)]


def left_by_call(call: Callable[[], Any], second: Recording) -> list[Any]:
    """The arrays that an unrecorded call leaves behind; None for those that are not compared."""
    tensors: list[Any] = []
    flattened(call(), tensors, [])
    arrays = [*State(second.given.tensors).arrays(), *[copy_of_values(tensor) for tensor in tensors]]
    for backward, (_, ends, grads, _) in zip(second.backwards, second.sent, strict=True):
        outputs = [tensors[i] for i in backward.outputs]
        cut = {i: tensors[what] for i, (kind, what) in enumerate(backward.places) if kind == OUTPUT}
        inputs = [cut.get(i, one) for i, one in enumerate(ends.inputs)]
        gradients = sent_back(outputs, inputs, list(cut.values()), grads)
        arrays += [None if one is None else one._array for one in gradients]
    return [*arrays, None]


def again(record: Callable[[], Recording], start: State, eps: float, seed: int) -> Recording:
    """The call recorded once more, with values perturbed by rounding."""
    start.put_back()
    start.disturb_rounding(eps, seed)
    return record()


def coarsest(recording: Recording) -> float:
    """The largest epsilon of the dtypes in which a recording computes."""
    programs = [*[one.program for one in recording.stretches], *[one.program for one in recording.backwards]]
    kinds = {value.dtype for program in programs for step in program.steps for value in step.results}
    found = {dtypes.FROM_NUMPY[kind] for kind in kinds if kind in dtypes.FROM_NUMPY}
    return max((dtypes.finfo(one).eps for one in found if one.is_floating_point or one.is_complex), default=0.0)


def within(expected: Any, found: Any, plain: Any, *others: Any) -> bool:
    """Whether arrays differ at most by rounding: by ten times the effect of rounding errors in the inputs."""
    checked = [one for one in (found, plain) if one is not None and not close(expected, one)]
    if not checked:
        return True
    if expected is None or kind_of(expected.dtype) not in "fc" or any(one.shape != expected.shape for one in checked):
        return False
    with np.errstate(invalid="ignore"):
        spread = 10 * max(np.abs(other - expected).max() for other in others)
        return all(bool(np.abs(one - expected).max() <= spread) for one in checked)


def has_choices(recording: Recording) -> bool:
    """Whether a constant might be a choice that depends on values, which only larger changes reveal."""
    return any(
        array.size > 1 and kind_of(array.dtype) not in "fc"
        for stretch in recording.stretches
        for array in stretch.program.constants.values()
    )


def cotangents_of(node: Any, grads: list[Any]) -> Any:
    """Gradients in the form in which a node gets them."""
    arrays = [one._array for one in grads]
    return arrays if node.outputs is not None else arrays[0]
