"""Numbers among the arguments that vary from call to call: traced numbers show where they are used in a program.

A recording is made with the numbers of its call. If a later call differs only in floats, the two recordings are merged:
the later call is recorded once more with `Traced` numbers, which show how constants of steps are computed from them.
These constants become inputs of the program; everything else must agree in both recordings, and each constant must
equal its formula for the numbers of each.
"""

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any

from rushlight.compiler.arguments import call_with, floats_in, with_floats
from rushlight.compiler.checking import agree, agree_programs, agree_steps, result_of
from rushlight.compiler.codes import NUMBER
from rushlight.compiler.guards import Formula, Varying, same
from rushlight.compiler.memories import Unrecordable
from rushlight.compiler.nodes import Backward
from rushlight.compiler.program import Program, Step, Value, values_in
from rushlight.compiler.recording import Recording
from rushlight.compiler.replaying import Stretch
from rushlight.compiler.traced import Traced


def joined(
    first: Recording,
    second: Recording,
    record: Callable[[tuple[Any, ...], dict[Any, Any]], Recording],
    arguments: list[Any],
) -> Recording:
    """A recording for all calls that differ from two given ones only in floats. Unrecordable if there is none.

    `record` records a call with the tensors of the second, and other floats.
    """
    before, now = list(floats_in(first.structure)), list(floats_in(second.structure))
    vary = [i for i, (a, b) in enumerate(zip(before, now, strict=True)) if i in first.varying or not same(a, b)]
    formulas = {i: Formula(None, [k - len(vary)]) for k, i in enumerate(vary)}  # counted from the end
    numbers = [Traced(number, formulas[i]) if i in formulas else number for i, number in enumerate(now)]
    third = record(*call_with(second.structure, arguments, numbers))
    agree_steps(second, third)
    one = with_numbers(first.original, third, [before[i] for i in vary])
    made = with_numbers(second, third, [now[i] for i in vary])
    agree(one, made)
    for back, other in zip(one.backwards, made.backwards, strict=True):
        agree_programs(back.program, back.sources, other.program, other.sources, ())
    stand_ins = [Varying(vary.index(i), number) if i in formulas else number for i, number in enumerate(now)]
    made.structure = with_floats(second.structure, iter(stand_ins))
    made.varying, made.original = frozenset(vary), second
    return made


def with_numbers(recording: Recording, third: Recording, numbers: list[float]) -> Recording:
    """The recording with inputs where the third one, otherwise equal to it, has traced numbers."""
    if len(recording.stretches) != len(third.stretches) or len(recording.backwards) != len(third.backwards):
        raise Unrecordable("its steps differ from call to call")
    made = copy(recording)
    made.stretches = [
        of_numbers(stretch, twin.program, numbers)
        for stretch, twin in zip(recording.stretches, third.stretches, strict=True)
    ]
    made.result = result_of(recording.result, third.result, [*recording.left, *numbers])
    made.backwards = [
        backward_of_numbers(backward, twin.program, numbers)
        for backward, twin in zip(recording.backwards, third.backwards, strict=True)
    ]
    return made


def backward_of_numbers(backward: Backward, twin: Program, numbers: list[float]) -> Backward:
    """A backward program of a recording with inputs for traced numbers."""
    found: dict[Formula, Value] = {}
    program = numbered(backward.program, twin, numbers, found)
    return backward.with_inputs(program, [*backward.sources, *[(NUMBER, formula) for formula in found]])


def of_numbers(stretch: Stretch, twin: Program, numbers: list[float]) -> Stretch:
    """A part of a recording with inputs for traced numbers."""
    found: dict[Formula, Value] = {}
    program = numbered(stretch.program, twin, numbers, found)
    made = Stretch(program, [*stretch.places, *[(NUMBER, formula) for formula in found]], stretch.call)
    made.effects = stretch.effects
    return made


def numbered(program: Program, twin: Program, numbers: list[float], found: dict[Formula, Value]) -> Program:
    """A program with inputs, which are added to `found`, where its twin has traced numbers."""
    if len(program.steps) != len(twin.steps):
        raise Unrecordable("its steps depend on values")

    def chosen(arg: Any, other: Any) -> Any:
        if isinstance(other, Traced):
            if type(arg) is not float or not same(other.formula.value(numbers), arg):
                raise Unrecordable("a number is not what its formula gives")
            return found.setdefault(other.formula, Value(None, float))
        if type(arg) in (tuple, list) and type(other) is type(arg) and len(arg) == len(other):
            return type(arg)([chosen(a, b) for a, b in zip(arg, other, strict=True)])
        return arg

    steps: list[Step] = []
    for step, other in zip(program.steps, twin.steps, strict=True):
        args = chosen(step.args, other.args)
        is_same = len(list(values_in(args))) == len(list(step.values()))
        steps.append(step if is_same else replace(step, args=args))
    return replace(program, steps=steps, inputs=[*program.inputs, *found.values()])
