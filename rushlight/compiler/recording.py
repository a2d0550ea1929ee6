"""A recording: parts of a program, the places of their inputs at each replay, and their effects.

A recording is made from a call that a recorder recorded. Arrays that the call was given become inputs, found again at
each replay: in the arguments, in tensors that the function reads, in gradients of these. All others are constants.
"""

from collections.abc import Iterator
from copy import copy
from itertools import combinations
from typing import Any

import numpy as np

from rushlight.compiler.arguments import flattened, floats_in
from rushlight.compiler.codes import ARGUMENT, COTANGENT, EARLIER, GRAD, OUTPUT, TENSOR
from rushlight.compiler.differentiable import Ends, lets_go, spent_class
from rushlight.compiler.guards import gather
from rushlight.compiler.memories import Unrecordable
from rushlight.compiler.nodes import Backward, tensor_at
from rushlight.compiler.program import Program, Value
from rushlight.compiler.recorder import Part, Recorder
from rushlight.compiler.replaying import Detached, Effect, Made, Replay, Spent, Stretch
from rushlight.core.graph import TensorBase
from rushlight.core.windows import outermost
from rushlight.random.generator import Generator
from rushlight.tensors import Tensor


class Given:
    """The tensors that exist before a call, and their gradients, by the ids of their arrays."""

    def __init__(self, arguments: list[TensorBase], others: list[TensorBase]):
        self.arguments: dict[int, int] = {id(tensor): i for i, tensor in reversed(list(enumerate(arguments)))}
        self.tensors: list[TensorBase] = list({id(tensor): tensor for tensor in (*arguments, *others)}.values())
        self.known: set[int] = {id(tensor) for tensor in self.tensors}
        self.held: list[tuple[np.ndarray, Any]] = [
            (tensor._array, tensor._grad) for tensor in self.tensors
        ]  # keeps their ids unique
        self.places: dict[int, tuple[int, Any]] = {}
        for tensor in self.tensors:
            if tensor._grad is not None:
                self.places[id(tensor._grad._array)] = (GRAD, self.place(tensor))
        for tensor in self.tensors:
            self.places[id(tensor._array)] = self.place(tensor)
        self.states: list[tuple[Any, ...]] = [self.state(tensor) for tensor in self.tensors]

    def place(self, tensor: TensorBase) -> tuple[int, Any]:
        """The place of a tensor."""
        if id(tensor) in self.arguments:
            return ARGUMENT, self.arguments[id(tensor)]
        return TENSOR, tensor

    def state(self, tensor: TensorBase) -> tuple[Any, ...]:
        """The properties of a tensor that a call must not change."""
        return id(tensor._array), tensor._needs, id(tensor._node), id(tensor.hooks), tensor._unsettled

    def check(self) -> None:
        """Unrecordable if a call has changed more of a tensor than its elements."""
        if self.states != [self.state(tensor) for tensor in self.tensors]:
            raise Unrecordable("a tensor that was there before got other memory, history or hooks")


def assembled(parts: list[Part], given: Given) -> list[Stretch]:
    """The parts of a recording ready for replay, with a place for each input; inputs without one become constants."""
    stretches: list[Stretch] = []
    for number, part in enumerate(parts):
        program, memories = part.program, part.memories
        inputs, places = [], []
        writes = dict(memories.writes())
        for value, array in zip(program.inputs, memories.inputs, strict=True):
            place = given.places.get(id(array)) or earlier(parts[:number], stretches, array)
            if place is None:
                program.constants[value] = array
                writes.pop(value, None)
                continue
            inputs.append(value)
            places.append(place)
        program.inputs = inputs
        program.writes = list(writes.items())
        stretches.append(Stretch(program, places, part.call))
        stretches[-1].effects = effects_of(part, given)
    return stretches


def earlier_gradients(part: Part, given: Given) -> list[tuple[int, Any, bool]]:
    """The places of the tensors that may have a gradient before the first part, each with whether it had none."""
    found = []
    for tensor, grad in zip(part.tensors, part.grads, strict=True):
        if tensor.requires_grad and id(tensor) not in part.cleared:
            if grad is not None and grad.requires_grad:
                raise Unrecordable("a gradient has a history")
            found.append((*given.place(tensor), grad is None))
    return found


def effects_of(part: Part, given: Given) -> list[Effect]:
    """The effects of a part."""
    effects = []
    for tensor, held, array in part.changed:
        if held is None:
            effects.append(Effect("none", given.place(tensor)))
        elif id(array) in given.places or held.requires_grad:
            raise Unrecordable("a gradient is set to a tensor that was there before, or that has a history")
        elif type(held) is not Tensor or type(array) is not np.ndarray:
            raise Unrecordable("a gradient is set to a tensor of another kind, such as one of a batch")
        else:
            number = output_of(part.program, part.memories.value_of(array))
            effects.append(Effect("new", given.place(tensor), number))
    effects += [Effect("version", given.place(tensor), n) for tensor, n in part.bumps]
    return effects + [Effect("version of the gradient", given.place(tensor), n) for tensor, n in part.grad_bumps]


def earlier(parts: list[Part], stretches: list[Stretch], array: np.ndarray) -> Any:
    """The place of an array that an earlier part computed, which becomes an output of that part."""
    for number in reversed(range(len(parts))):
        found = parts[number].memories.known.get(id(array))
        if found is not None:
            return EARLIER, (number, output_of(stretches[number].program, parts[number].memories.value_of(array)))
    return None


def output_of(program: Program, value: Value) -> int:
    """The number of a value among the outputs; added if it is not one."""
    for i, output in enumerate(program.outputs):
        if output is value:
            return i
    program.outputs.append(value)
    return len(program.outputs) - 1


def check_views(results: list[TensorBase]) -> None:
    """Unrecordable if several results share memory: an in-place change of one must affect the others."""
    owners: dict[int, list[Any]] = {}
    for one in results:
        if type(one._array) is np.ndarray:
            owners.setdefault(id(outermost(one._array)), []).append(one._array)
    if any(np.may_share_memory(a, b) for shared in owners.values() for a, b in combinations(shared, 2)):
        raise Unrecordable("two results share memory")


class Recording(Replay):
    """A call that can be replayed with arguments of the same structure, if the surroundings are unchanged."""

    parts: list[Part]
    tensors: list[TensorBase]

    def __init__(self, recorder: Recorder, given: Given, structure: Any, result: Any):
        recorder.part.finish()
        given.check()
        self.structure = structure
        self.varying: frozenset[int] = frozenset()  # which floats among the arguments may vary
        self.original = self  # the recording in which they were constants
        self.given = given
        self.parts = recorder.parts[: len(recorder.parts) - len(recorder.sent)]
        self.generators: list[Generator] = [generator for generator, _ in recorder.streams.values()]
        self.others: list[TensorBase] = [one for one in given.tensors if given.place(one)[0] == TENSOR]
        tensors: list[TensorBase] = []
        roots: list[Any] = []
        self.result: Any = flattened(result, tensors, roots)
        if roots:
            raise Unrecordable(f"a {type(roots[0]).__name__} is returned")
        numbers = [self.number_of(tensor) for tensor in tensors]
        self.stretches: list[Stretch] = assembled(self.parts, given)
        self.results: list[Any] = [
            self.place_of(tensor, number) for tensor, number in zip(tensors, numbers, strict=True)
        ]
        firsts: dict[int, int] = {}
        self.firsts: list[int] = [firsts.setdefault(id(tensor), i) for i, tensor in enumerate(tensors)]
        check_views([tensors[i] for i in firsts.values()])
        self.tensors = tensors
        self.left: list[float] = recorder.numbers
        self.items: list[tuple[int, int]] = [
            (part, output_of(self.stretches[part].program, value)) for part, value in recorder.items
        ]
        self.grads: list[tuple[int, Any, bool]] = earlier_gradients(recorder.parts[0], given)
        self.sent = recorder.sent
        self.backwards: list[Backward] = [self.assembled_backward(firsts, *sent) for sent in recorder.sent]
        self.spent: list[Spent] = [
            Spent(
                firsts[id(ends.outputs[0])],
                spent_class(type(ends.outputs[0]._node).__name__),
                [given.place(tensor) for tensor in ends.inputs],
            )
            for ends in recorder.used_up
        ]
        self.overwritten: list[Any] = list(dict.fromkeys(place for one in self.stretches for place in overwritten(one)))
        self.writes: bool = any(stretch.program.writes for stretch in self.stretches)

    @property
    def numbers(self) -> list[float]:
        """The recorded values of the varying floats."""
        return [value for i, value in enumerate(floats_in(self.structure)) if i in self.varying]

    def given_to_first(self, arguments: list[Any]) -> list[Any]:
        """The arrays and numbers that the first part was given; the call may have replaced gradients since."""
        grads = {id(one): grad for one, (_, grad) in zip(self.given.tensors, self.given.held, strict=True)}
        return [
            grads[id(tensor_at(what, arguments))]._array if kind == GRAD else gather([(kind, what)], arguments, None)[0]
            for kind, what in self.stretches[0].places
        ]

    def number_of(self, tensor: TensorBase) -> Any:
        """The part that computed the array of a result, and its value; None or `Detached` for a given tensor.

        To be called before assembling.
        """
        if id(tensor) in self.given.known:
            return None
        if type(tensor) is not Tensor or type(tensor._array) is not np.ndarray:
            raise Unrecordable(f"a {type(tensor).__name__} is returned")
        if tensor._view is not None and id(tensor._view.base) in self.given.known:
            raise Unrecordable("a view of a tensor that was there before is returned")
        owner = outermost(tensor._array)
        found = [part.memories.memories[id(owner)] for part in self.parts if id(owner) in part.memories.memories]
        if found and found[0].given and (any(one.version for one in found) or tensor._array is not found[0].whole):
            raise Unrecordable("a tensor in the memory of one that was there before is returned")
        for one in self.given.tensors:
            if one._counter is not None and one._counter is tensor._counter and one._array is tensor._array:
                return Detached(self.given.place(one))
        for number in reversed(range(len(self.parts))):
            memories = self.parts[number].memories
            memory = memories.memories.get(id(owner))
            if memory is not None and not (memory.given and number):
                return number, memories.value_of(tensor._array)
        last = len(self.parts) - 1
        return last, self.parts[last].memories.value_of(tensor._array)

    def place_of(self, tensor: TensorBase, number: Any) -> Any:
        """The place of a result: a given tensor, or an output."""
        if number is None:
            return self.given.place(tensor)
        if type(number) is Detached:
            return number
        part, value = number
        return Made(part, output_of(self.stretches[part].program, value), tensor._unsettled)

    def assembled_backward(
        self, positions: dict[int, int], part: Part, ends: Ends, grads: list[Any], results: tuple[Any, ...]
    ) -> Backward:
        """The backward program of the results at some positions where a graph begins."""
        if part.changed or part.bumps or part.call is not None:
            raise Unrecordable("the backward pass of its result changes tensors")
        program, sources, inputs = part.program, [], []
        cotangents = {id(one._array): i for i, one in enumerate(grads)}
        gradients = [None if one is None else part.memories.value_of(one._array) for one in results]
        for value, array in zip(program.inputs, part.memories.inputs, strict=True):
            source: Any
            if id(array) in cotangents:
                source = COTANGENT, cotangents[id(array)]
            elif id(array) in self.given.places:
                source = self.given.places[id(array)]
            else:
                source = earlier(self.parts, self.stretches, array)
            if source is None:
                program.constants[value] = array
            else:
                inputs.append(value)
                sources.append(source)
        program.inputs = inputs
        numbers = [None if value is None else output_of(program, value) for value in gradients]
        outputs = [positions[id(tensor)] for tensor in ends.outputs]
        places = [
            (OUTPUT, positions[id(tensor)]) if any(tensor is one for one in ends.cut) else self.given.place(tensor)
            for tensor in ends.inputs
        ]
        repeats, may_end = not ends.saves, not lets_go(ends.outputs[0]._node)
        layout = tuple([one._array.strides for one in grads])
        saved = [what for kind, what in sources if kind == EARLIER]
        kept = [i for i, one in enumerate(self.results) if isinstance(one, Made) and (one.stretch, one.output) in saved]
        return Backward(outputs, program, sources, places, numbers, kept, repeats, may_end, layout)

    def seen_with(self, arguments: list[Any]) -> "Recording":
        """The recording as if its call had other arguments, for a comparison."""
        other = copy(self)
        other.given = Given([one for one in arguments if isinstance(one, TensorBase)], self.others)
        return other

    def let_go(self) -> None:
        """Drops what is needed only for comparisons with other recordings, and the arguments of the call."""
        self.parts, self.tensors, self.sent = [], [], []
        self.given = Given([], self.others)
        self.given.held = []  # the gradients that these tensors have just now


def overwritten(stretch: Stretch) -> Iterator[Any]:
    """The places of tensors whose values a part changes, also if their versions stay (as with `x.data.mul_`)."""
    yield from (effect.place for effect in stretch.effects if effect.kind == "version")
    number = {value: i for i, value in enumerate(stretch.program.inputs)}
    written = [stretch.places[number[value]] for value, _ in stretch.program.writes]
    yield from (place for place in written if place[0] in (ARGUMENT, TENSOR))
