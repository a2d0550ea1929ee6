"""The plan of a graph: its instructions in order, and where everything is in memory.

Memory consists of slots: inputs, constants, outputs, results of calls, and one arena in which intermediate results are
placed according to their lifetimes. Nothing that a caller receives is in the arena. Arrays that are stacked are
computed directly in their rows of the stack, if possible.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rushlight.compiler.allocation import Allocation, size
from rushlight.compiler.fusion import Instruction, direction, maker
from rushlight.compiler.graph import (
    CALL,
    CONSTANT,
    COPY,
    INPUT,
    ITEM,
    PRODUCT,
    REDUCE,
    STACK,
    WINDOW,
    Graph,
    Node,
    contiguous,
)
from rushlight.compiler.program import CHECK, WRITE
from rushlight.compiler.scheduling import scheduled

ARENA = 0  # the number of the arena's slot
Block = tuple[int, int, int | None]
Fresh = tuple[int, tuple[int, ...], Any]


@dataclass(frozen=True, slots=True)
class Area:
    """The place of an array: a slot, the offset in bytes, and its layout."""

    slot: int
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: Any


@dataclass(frozen=True, slots=True)
class Group:
    """Elementwise steps on one shape. Values are numbered: first `reads`, then the results of the steps.

    A step is (function, types, numbers of its operands). `writes` are numbers of values with their destinations, `sums`
    also have a direction.
    """

    shape: tuple[int, ...]
    reads: tuple[Area, ...]
    steps: tuple[tuple[Any, ...], ...]
    writes: tuple[tuple[int, Area], ...]
    sums: tuple[tuple[int, str, Area], ...]


@dataclass(frozen=True, slots=True)
class Product:
    """out = a @ b, or addend + a @ b."""

    a: Area
    b: Area
    out: Area
    addend: Area | None


@dataclass(frozen=True, slots=True)
class Apply:
    """A function of whole arrays with one result, which goes to `out`."""

    function: Callable[..., Any]
    reads: tuple[Area, ...]
    out: Area


@dataclass(frozen=True, slots=True)
class Invoke:
    """A call of the recorded program: `args` has `Operand`s, `reads` tells where these are; results get slots.

    A call that `writes` changes inputs in place: it is made after everything else.
    """

    function: Callable[..., Any]
    args: tuple[Any, ...]
    reads: tuple[Area, ...]
    results: tuple[Area | None, ...]  # None for results that nothing needs
    step: Any
    writes: bool

    @property
    def is_plain(self) -> bool:
        """Whether the function changes nothing and is no check."""
        return self.step.kind not in (CHECK, WRITE)

    @property
    def can_fail(self) -> bool:
        """Whether it can raise an error, or end the replay, while nothing has been written yet.

        The derivative of an operator with a kernel cannot: the operator has run on the same arrays.
        """
        return not (self.writes or self.step.is_derivative_of_kernel())


@dataclass(slots=True)
class Plan:
    """Instructions on slots.

    `numbers` are slots for numbers among the inputs, as arrays: (slot, input, dtype). For each instruction, `made_of`
    tells which one of the graph it came from, `blocks` which slots get memory of their own before it, `fresh` which
    slots get an array for an output before it (and at the end), and `done_with` which slots of blocks and calls'
    results nothing reads after it. A block is (slot, bytes, another slot whose memory it may take or None), an array
    (slot, shape, dtype).
    """

    size: int  # of the arena, in bytes
    slots: int
    inputs: list[Area]
    numbers: list[tuple[int, int, Any]]
    constants: list[tuple[int, np.ndarray]]
    fresh: list[list[Fresh]]
    code: list[Any]
    outputs: list[Area]
    copies: list[tuple[int, Area]] = field(default_factory=list)  # at the end: the number of an input, and its value
    made_of: list[Instruction] = field(default_factory=list)
    blocks: list[tuple[Block, ...]] = field(default_factory=list)
    done_with: list[tuple[int, ...]] = field(default_factory=list)

    @property
    def renewable(self) -> set[int]:
        """The slots of outputs that are written to only when nothing can fail any more: they may be in given arrays."""
        failing = [i for i, x in enumerate(self.code) if isinstance(x, Apply) or (isinstance(x, Invoke) and x.can_fail)]
        return {slot for fresh in self.fresh[max(failing, default=-1) + 1 :] for slot, _, _ in fresh}

    @property
    def memory(self) -> int:
        """The bytes of intermediate results: those of the arena, and the most in blocks at a time."""
        live: dict[int, int] = {}
        most = 0
        for blocks, slots in zip(self.blocks, self.done_with, strict=True):
            live.update({slot: length for slot, length, _ in blocks})
            most = max(most, sum(live.values()))
            for slot in slots:
                live.pop(slot, None)
        return self.size + most


def planned(graph: Graph, most: int | None = None) -> Plan:
    """The plan of a graph. Groups have at most so many operations."""
    return Planner(graph, most).plan()


class Planner:
    """A plan being made."""

    order: list[Instruction]
    slots: int

    def __init__(self, graph: Graph, most: int | None):
        self.graph = graph
        self.order = scheduled(graph, most)
        self.live: list[Node] = graph.live()
        self.items: dict[Node, list[Node]] = {}  # the results of calls with several, in order
        for node in sorted((node for node in self.live if node.kind == ITEM), key=lambda node: node.detail):
            self.items.setdefault(node.inputs[0], []).append(node)
        self.slots = 1
        self.places: dict[Node, tuple[int, int]] = {}  # slot and offset of nodes that are not windows
        self.inputs: list[Area] = []
        self.numbers: list[tuple[int, int, Any]] = []
        self.constants: list[tuple[int, np.ndarray]] = []
        self.fresh: list[Fresh] = []
        self.blocks: dict[Instruction, list[Block]] = {}

    def plan(self) -> Plan:
        """Assigns memory to everything, and converts the instructions."""
        last = self.written_last()
        self.order = [x for x in self.order if x not in last] + last
        for node in self.graph.inputs:
            self.places[node] = (self.new_slot(), 0)
            self.inputs.append(self.area(node))
        for node in self.live:
            if node.kind == CONSTANT:
                self.places[node] = (self.new_slot(), 0)
                self.constants.append((self.places[node][0], node.detail.array))
            elif node.kind == INPUT and node not in self.places:  # a number among the inputs, as an array
                self.places[node] = (self.new_slot(), 0)
                self.numbers.append((self.places[node][0], node.detail, node.dtype))
        for node in self.graph.outputs:
            if node.base not in self.places and maker(node).kind != CALL:
                self.places[node.base] = (self.new_slot(), 0)
                self.fresh.append((self.places[node.base][0], node.base.shape, node.base.dtype))
        changed = self.changed_in_place(last)
        self.wanted: set[Node] = self.wanted_nodes()
        arena = self.allocate()
        forms = [(form, x) for x in self.order for form in self.form(x, x in last)]
        code, made_of = [form for form, _ in forms], [x for _, x in forms]
        copies = [(place.detail, self.area(value)) for place, value in self.graph.writes if value not in changed]
        outputs = [self.area(node) for node in self.graph.outputs]
        done_with = self.done_with(made_of, {area.slot for area in [*outputs, *[value for _, value in copies]]})
        memory = arena, self.slots, self.inputs, self.numbers, self.constants, self.fresh_at(made_of)
        return Plan(*memory, code, outputs, copies, made_of, self.blocks_of(made_of), done_with)

    def blocks_of(self, made_of: list[Instruction]) -> list[tuple[Block, ...]]:
        """For each instruction the blocks that are allocated before it: those of the first one that it came from."""
        blocks = dict(self.blocks)
        return [tuple(blocks.pop(instruction, ())) for instruction in made_of]

    def fresh_at(self, made_of: list[Instruction]) -> list[list[Fresh]]:
        """For each instruction the outputs that it is the first to need; then those that none needs."""
        first: dict[int, int] = {}
        for i, instruction in enumerate(made_of):
            for x in (*instruction.nodes, *instruction.reads):
                if x.base in self.places:
                    first.setdefault(self.places[x.base][0], i)
        found: list[list[Fresh]] = [[] for _ in (*made_of, None)]
        for one in self.fresh:
            found[first.get(one[0], len(made_of))].append(one)
        return found

    def done_with(self, made_of: list[Instruction], kept: set[int]) -> list[tuple[int, ...]]:
        """For each instruction the slots of blocks and calls' results that nothing reads after it, except kept ones."""
        own = {slot for blocks in self.blocks.values() for slot, _, _ in blocks}
        last: dict[int, int] = {}
        for i, instruction in enumerate(made_of):
            for x in instruction.reads:
                if x.base in self.places and (maker(x).kind == CALL or self.places[x.base][0] in own):
                    last[self.places[x.base][0]] = i
        found: list[list[int]] = [[] for _ in made_of]
        kept = kept | {area.slot for area in self.inputs}
        for slot, i in last.items():
            if slot not in kept:
                found[i].append(slot)
        return [tuple(slots) for slots in found]

    def wanted_nodes(self) -> set[Node]:
        """The nodes that are needed outside of their instruction."""
        roots = [*self.graph.outputs, *[value for _, value in self.graph.writes]]
        return {x.base for instruction in self.order for x in instruction.reads} | {x.base for x in roots}

    def new_slot(self) -> int:
        """The number of another slot."""
        self.slots += 1
        return self.slots - 1

    def area(self, node: Node) -> Area:
        """The area of a node."""
        slot, offset = self.places[node.base]
        if node.shape is None:
            return Area(slot, offset, (), (), node.dtype)
        if node.kind == WINDOW:
            return Area(slot, offset + node.detail[0], node.shape, node.detail[1], node.dtype)
        return Area(slot, offset, node.shape, contiguous(node.shape, node.dtype), node.dtype)

    # writes to inputs

    def written_last(self) -> list[Instruction]:
        """Calls that may change inputs in place, once nothing else reads these: nothing else sees their results."""
        writes = {value: place for place, value in self.graph.writes}
        calls = [x for x in self.order if x.nodes[0].kind == CALL and x.nodes[0].detail.step.kind == WRITE]
        used = {x.base for node in self.live if node.kind != ITEM for x in node.inputs}
        used |= {x.base for x in self.graph.outputs}
        last = []
        for instruction in calls:
            call = instruction.nodes[0]
            results = self.results_of(call)
            targets = [call.inputs[i] for i in changed_inputs(call)]
            if len(results) == len(targets) and all(
                writes.get(result) is target and result.base not in used
                for result, target in zip(results, targets, strict=True)
            ):
                last.append(instruction)
        touched = [x for instruction in last for x in instruction.nodes[0].inputs if x.base.kind == INPUT]
        return last if not shared_inputs(last) and touched else []

    def results_of(self, call: Node) -> list[Node]:
        """The nodes of a call's results, in order."""
        return [call] if call.shape is not None else self.items.get(call, [])

    def changed_in_place(self, last: list[Instruction]) -> set[Node]:
        """The results of calls that write to inputs directly: they are in the inputs' memory."""
        found = set()
        for instruction in last:
            call = instruction.nodes[0]
            for result, i in zip(self.results_of(call), changed_inputs(call), strict=True):
                self.places[result] = self.places[call.inputs[i]]
                found.add(result)
        return found

    # intermediate results

    def allocate(self) -> int:
        """Places the results of all instructions: in slots of their own, or in the arena, whose size is returned."""
        for instruction in self.order:
            if instruction.nodes[0].kind == CALL:
                self.place_results(instruction.nodes[0])
        made = {node for instruction in self.order for node in instruction.nodes}
        wanted = {node for node in made & self.wanted if node not in self.places and node.kind != CALL}
        lasting = {x.base for x in self.graph.outputs} | {value.base for _, value in self.graph.writes}
        found = Allocation(self.order, wanted, lasting)
        for node, offset in found.offsets.items():
            self.places[node] = (ARENA, offset)
        for node, first in found.blocks.items():
            self.places[node] = (self.new_slot(), 0)
            heir_of = self.places[found.heirs[node]][0] if node in found.heirs else None
            self.blocks.setdefault(self.order[first], []).append((self.places[node][0], size(node), heir_of))
        for node in found.shared:
            owner, offset = found.place(node)
            slot, start = self.places[owner]
            self.places[node] = (slot, start + offset)
        return found.size

    def place_results(self, call: Node) -> None:
        """Assigns slots to the results of a call that have none."""
        for node in self.results_of(call):
            if node not in self.places:
                self.places[node] = (self.new_slot(), 0)

    # instructions

    def form(self, instruction: Instruction, is_last: bool) -> Iterable[Any]:
        """The executable forms of an instruction."""
        node = instruction.nodes[0]
        if instruction.is_group:
            return [self.group(instruction)] if node.size else []
        if node.kind == PRODUCT:
            a, b, *addend = [self.area(x) for x in node.inputs]
            return [Product(a, b, self.area(node), addend[0] if addend else None)]
        if node.kind == REDUCE:
            return [self.total(node)]
        if node.kind == COPY:
            return [Apply(np.array, (self.area(node.inputs[0]),), self.area(node))]
        if node.kind == STACK:
            return list(self.rows(node))
        return [self.invoke(node, is_last)]

    def group(self, instruction: Instruction) -> Group:
        """A group, with its values numbered."""
        reads = instruction.reads
        steps = [node for node in instruction.nodes if node.kind != REDUCE]
        number = {node: i for i, node in enumerate([*reads, *steps])}
        made = tuple(
            [
                (np.positive, f"{node.dtype.char}->{node.dtype.char}", (number[node.inputs[0]],))
                if node.kind == COPY
                else (*node.detail, tuple([number[x] for x in node.inputs]))
                for node in steps
            ]
        )
        writes = tuple([(number[node], self.area(node)) for node in steps if node in self.wanted])
        sums = tuple(
            [
                (number[node.inputs[0]], direction(node), self.area(node))
                for node in instruction.nodes
                if node.kind == REDUCE
            ]
        )
        return Group(instruction.shape, tuple([self.area(x) for x in reads]), made, writes, sums)  # type: ignore[arg-type]

    def total(self, node: Node) -> Any:
        """A separate sum: a group without steps if groups support its direction."""
        (x,), way = node.inputs, direction(node)
        if way is not None:
            return Group(x.shape, (self.area(x),), (), (), ((0, way, self.area(node)),))
        ufunc, axes = node.detail
        return Apply(Reduction(ufunc, axes), (self.area(x),), self.area(node))

    def rows(self, stack: Node) -> Iterable[Group]:
        """Copies of the rows of a stack that are not computed in place."""
        area = self.area(stack)
        for row, x in enumerate(stack.inputs):
            source = self.area(x)
            target = Area(
                area.slot, area.offset + row * area.strides[0], x.shape, contiguous(x.shape, x.dtype), x.dtype
            )
            if (source.slot, source.offset) != (target.slot, target.offset):
                char = x.dtype.char
                yield Group(x.shape, (source,), ((np.positive, f"{char}->{char}", (0,)),), ((1, target),), ())

    def invoke(self, call: Node, is_last: bool) -> Invoke:
        """A call."""
        detail = call.detail
        found = {} if is_last else {node.detail if node.kind == ITEM else 0: node for node in self.results_of(call)}
        results = tuple([self.area(found[i]) if i in found else None for i in range(len(detail.results))])
        reads = tuple([self.area(x) for x in call.inputs])
        return Invoke(detail.function, detail.args, reads, results, detail.step, is_last)


@dataclass(frozen=True, slots=True)
class Reduction:
    """A ufunc along dimensions."""

    ufunc: np.ufunc
    axes: tuple[int, ...]

    def __call__(self, array: np.ndarray) -> Any:
        """The reduced array."""
        return self.ufunc.reduce(array, self.axes)


def changed_inputs(call: Node) -> list[int]:
    """The inputs that a call changes in place."""
    changed = [call.detail.args[i] for i in call.detail.step.changes]
    return [operand.number for arg in changed for operand in (arg if isinstance(arg, (list, tuple)) else (arg,))]


def shared_inputs(calls: list[Instruction]) -> bool:
    """Whether calls that change inputs in place also read what another one changes."""
    changed: set[Node] = set()
    read: set[Node] = set()
    for instruction in calls:
        call = instruction.nodes[0]
        targets = {call.inputs[i].base for i in changed_inputs(call)}
        others = {x.base for x in call.inputs} - targets
        if targets & (changed | read) or others & changed:
            return True
        changed |= targets
        read |= others
    return False
