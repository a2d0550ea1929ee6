"""Fusion: elementwise nodes of one shape, and sums of their results, become groups that are computed in one pass.

The resulting instructions are in a valid order. Two groups can be merged if no path leads from one to the other through
something else.
"""

import numpy as np

from rushlight.compiler.graph import APPLY, CONSTANT, COPY, INPUT, ITEM, REDUCE, WINDOW, Graph, Node

FUSED_TYPES: set[np.dtype] = {np.dtype(np.float32), np.dtype(np.float64), np.dtype(bool)}
FLOATS: set[np.dtype] = {np.dtype(np.float32), np.dtype(np.float64)}
ALL, DOWN, ALONG = "all", "down", "along"  # directions of sums: over all elements, over rows, within each row
SERIES = {np.exp, np.expm1, np.tanh, np.log, np.log1p, np.sin, np.cos}
OPERATIONS = 512  # as long as LLVM takes for one of these, it takes for so many sums or products


class Instruction:
    """One node that is computed separately, or a group of elementwise nodes of a shape with sums of these.

    `reads` are the nodes that it needs and does not compute, without duplicates.
    """

    __slots__ = ("nodes", "reads")

    def __init__(self, nodes: list[Node]):
        self.nodes: list[Node] = nodes
        made = set(nodes)
        self.reads: list[Node] = list(dict.fromkeys([x for node in nodes for x in node.inputs if x not in made]))

    @property
    def is_group(self) -> bool:
        """Whether it is a group of elementwise nodes."""
        return is_elementwise(self.nodes[0])

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of a group's nodes other than sums."""
        return self.nodes[0].shape


def is_elementwise(node: Node) -> bool:
    """Whether a node can be part of a group."""
    if node.kind == COPY:
        return node.dtype in FLOATS
    return node.kind == APPLY and node.dtype in FUSED_TYPES


def direction(node: Node) -> str | None:
    """The direction of a sum, if it is one that groups support."""
    ufunc, axes = node.detail
    dims = len(node.inputs[0].shape)
    if ufunc is not np.add or node.dtype not in FLOATS or node.inputs[0].size == 0:
        return None
    if len(axes) == dims:
        return ALL
    if axes == tuple(range(len(axes))):
        return DOWN
    return ALONG if axes == tuple(range(dims - len(axes), dims)) else None


class Grouping:
    """Instructions being built: the nodes of each, and those that come directly before it and behind it.

    `before` has all that come before an instruction, as a bit set of numbers; `whole` those whose results it needs
    completely before it begins. An instruction has the numbers of all that were merged into it: `names`.
    """

    def __init__(self, order: list[Node], most: int | None):
        self.most = most  # operations of a group
        self.members: dict[int, list[Node]] = {}
        self.operations: dict[int, int] = {}
        self.number: dict[Node, int] = {}  # the instruction that a node is part of
        self.read: dict[int, set[int]] = {}  # those directly before it
        self.behind: dict[int, set[int]] = {}  # those directly behind it
        self.names: dict[int, int] = {}
        self.before: dict[int, int] = {}
        self.whole: dict[int, int] = {}
        for node in order:
            if node.kind not in (INPUT, CONSTANT, WINDOW, ITEM):
                self.take(node)

    def take(self, node: Node) -> None:
        """Makes an instruction of a node, and merges it with others if possible."""
        number = len(self.number)
        sources = [(x, self.number[maker(x)]) for x in node.inputs if maker(x) in self.number]
        self.number[node] = number
        self.members[number] = [node]
        self.operations[number] = OPERATIONS if node.kind == APPLY and node.detail[0] in SERIES else 1
        self.read[number], self.behind[number] = {source for _, source in sources}, set()
        self.names[number], self.before[number], self.whole[number] = 1 << number, 0, 0
        for source in self.read[number]:
            self.behind[source].add(number)
            self.before[number] |= self.names[source] | self.before[source]
        for x, source in sources:
            if not self.joins(node, x):
                self.whole[number] |= self.names[source]
        for x in node.inputs:
            if self.joins(node, x) and self.may_join(self.number[x], self.number[node]):
                self.join(self.number[x], self.number[node])

    def postpone_masks(self, graph: Graph, order: list[Node]) -> None:
        """Moves masks that one other group reads there, if what they are computed from is kept until then anyway."""
        users: dict[Node, list[Node]] = {}
        for node in order:
            if node.kind != WINDOW:
                for x in node.inputs:
                    users.setdefault(x.base, []).append(node)
        roots = {x.base for x in graph.outputs} | {value.base for _, value in graph.writes}
        for mask, found in users.items():
            if mask.kind != APPLY or mask.dtype != bool or mask in roots:
                continue
            targets = {self.number[maker(user)] for user in found}
            fits = all(is_elementwise(user) and user.shape == mask.shape and mask in user.inputs for user in found)
            source, target = self.number[mask], targets.pop()
            given = [x.base for x in mask.inputs if x.base.kind not in (INPUT, CONSTANT)]
            if fits and not targets and source != target and all(self.is_kept(users[x], source, target) for x in given):
                self.members[source].remove(mask)
                self.members[target].append(mask)
                self.number[mask] = target

    def is_kept(self, users: list[Node], made: int, until: int) -> bool:
        """Whether a value that one instruction made is read by another, or by one whose result that reads."""
        readers = {self.number[maker(user)] for user in users}
        makers = {self.number.get(maker(y)) for node in self.members[until] for y in node.inputs}
        return not readers.isdisjoint({until, *makers} - {made})

    def joins(self, node: Node, x: Node) -> bool:
        """Whether a node and one of its inputs can be part of one group."""
        if x not in self.number or not is_elementwise(x) or self.number[x] == self.number[node]:
            return False
        if node.kind == REDUCE:
            return direction(node) is not None
        return is_elementwise(node) and x.shape == node.shape

    def may_join(self, a: int, b: int) -> bool:
        """Whether two instructions have few operations, and neither needs the other completely, or through a third."""
        if self.most is not None and self.operations[a] + self.operations[b] > self.most:
            return False
        if self.whole[a] & self.names[b] or self.whole[b] & self.names[a]:
            return False
        return not self.is_apart(a, b) and not self.is_apart(b, a)

    def is_apart(self, a: int, b: int) -> bool:
        """Whether a path leads from one instruction to another through a third."""
        names, before = self.names[a], self.before
        return bool(before[b] & names) and any(before[other] & names for other in self.read[b])

    def join(self, a: int, b: int) -> None:
        """Merges two instructions: the one with less to change becomes part of the other."""
        a, b = sorted((a, b), key=lambda x: len(self.members[x]) + len(self.read[x]) + len(self.behind[x]))[::-1]
        for node in self.members[b]:
            self.number[node] = a
        for way, back in ((self.read, self.behind), (self.behind, self.read)):
            for other in way[b]:
                back[other].discard(b)
                back[other].add(a)
            way[a] |= way.pop(b)
        self.read[a] -= {a, b}
        self.behind[a] -= {a, b}
        self.members[a] += self.members.pop(b)
        self.operations[a] += self.operations.pop(b)
        self.names[a] |= self.names.pop(b)
        self.whole[a] |= self.whole.pop(b)
        self.before[a] = (self.before[a] | self.before.pop(b)) & ~self.names[a]
        self.tell(a)

    def tell(self, number: int) -> None:
        """Adds what comes before an instruction to what comes before all behind it."""
        stack = [number]
        while stack:
            known = self.before[source := stack.pop()]
            for other in self.behind[source]:
                before = self.before[other]
                if (found := before | known) != before:
                    self.before[other] = found
                    stack.append(other)


def maker(node: Node) -> Node:
    """The node of the instruction that computes a node."""
    node = node.base
    return maker(node.inputs[0]) if node.kind == ITEM else node


def instructions(graph: Graph, most: int | None = None) -> list[Instruction]:
    """The instructions that compute a graph, in a valid order; groups have at most so many operations."""
    order = graph.live()
    grouping = Grouping(order, most)
    grouping.postpone_masks(graph, order)
    position = {node: i for i, node in enumerate(order)}
    first = {number: min(position[x] for x in nodes) for number, nodes in grouping.members.items()}
    effects = [grouping.number[node] for node in graph.effects]
    done: dict[int, None] = {}
    for number in [*effects, *sorted(grouping.members, key=first.__getitem__)]:
        visit(number, grouping, first, done)
    return [Instruction(sorted(grouping.members[number], key=position.__getitem__)) for number in done]


def visit(number: int, grouping: Grouping, first: dict[int, int], done: dict[int, None]) -> None:
    """Adds an instruction to the order, after those that it depends on."""
    found: set[int] = set()
    stack = [number]
    while stack:
        if (other := stack.pop()) not in done and other not in found:
            found.add(other)
            stack += grouping.read[other]
    done.update(dict.fromkeys(sorted(found, key=lambda x: (grouping.before[x].bit_count(), first[x]))))
