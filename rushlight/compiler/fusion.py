"""Fusion: elementwise nodes of one shape, and sums of their results, become groups that are computed in one pass.

The resulting instructions are in a valid order. Two groups can be merged if no path leads from one to the other through
something else.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rushlight.compiler.graph import APPLY, CONSTANT, COPY, INPUT, ITEM, REDUCE, WINDOW, Graph, Node

FUSED_TYPES: set[np.dtype] = {np.dtype(np.float32), np.dtype(np.float64), np.dtype(bool)}
FLOATS: set[np.dtype] = {np.dtype(np.float32), np.dtype(np.float64)}
ALL, DOWN, ALONG = "all", "down", "along"  # directions of sums: over all elements, over rows, within each row


@dataclass(eq=False, slots=True)
class Instruction:
    """One node that is computed separately, or a group of elementwise nodes of a shape with sums of these."""

    nodes: list[Node]

    @property
    def is_group(self) -> bool:
        """Whether it is a group of elementwise nodes."""
        return is_elementwise(self.nodes[0])

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of a group's nodes other than sums."""
        return self.nodes[0].shape

    def reads(self) -> Iterator[Node]:
        """The nodes that it needs and does not compute, without duplicates."""
        made = set(self.nodes)
        seen = set()
        for node in self.nodes:
            for x in node.inputs:
                if x not in made and x not in seen:
                    seen.add(x)
                    yield x


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
    """Instructions being built: their numbers, and as bit sets which ones come before and after each.

    `whole` has those whose results an instruction needs completely before it begins.
    """

    def __init__(self, graph: Graph):
        self.members: dict[int, list[Node]] = {}
        self.number: dict[Node, int] = {}  # the instruction that a node is part of
        self.before: dict[int, int] = {}
        self.behind: dict[int, int] = {}
        self.whole: dict[int, int] = {}
        for node in graph.live():
            if node.kind not in (INPUT, CONSTANT, WINDOW, ITEM):
                self.take(node)
        self.postpone_masks(graph)

    def take(self, node: Node) -> None:
        """Makes an instruction of a node, and merges it with others if possible."""
        number = len(self.number)
        self.number[node] = number
        self.members[number] = [node]
        self.before[number] = self.behind[number] = self.whole[number] = 0
        for x in node.inputs:
            if maker(x) in self.number:
                source = self.number[maker(x)]
                self.before[number] |= 1 << source | self.before[source]
                if not self.joins(node, x):
                    self.whole[number] |= 1 << source
        for other in bits(self.before[number]):
            self.behind[other] |= 1 << number
        for x in node.inputs:
            if self.joins(node, x) and self.may_join(self.number[x], self.number[node]):
                self.join(self.number[x], self.number[node])

    def postpone_masks(self, graph: Graph) -> None:
        """Moves masks that one other group reads there, if what they are computed from is kept until then anyway."""
        users: dict[Node, list[Node]] = {}
        for node in graph.live():
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
        """Whether no path leads from one instruction to the other through a third."""
        if self.whole[a] >> b & 1 or self.whole[b] >> a & 1:
            return False
        apart = ~(1 << a | 1 << b)
        return not (self.behind[a] & self.before[b] & apart) and not (self.behind[b] & self.before[a] & apart)

    def join(self, a: int, b: int) -> None:
        """Merges two instructions."""
        bit = 1 << b
        for node in self.members[b]:
            self.number[node] = a
        self.members[a] += self.members.pop(b)
        both = ~(1 << a | bit)
        before = (self.before[a] | self.before.pop(b)) & both
        behind = (self.behind[a] | self.behind.pop(b)) & both
        self.before[a], self.behind[a] = before, behind
        self.whole[a] |= self.whole.pop(b)
        for other in bits(before):
            self.behind[other] = self.behind[other] & ~bit | behind | 1 << a
        for other in bits(behind):
            self.before[other] = self.before[other] & ~bit | before | 1 << a
            if self.whole[other] & bit:
                self.whole[other] = self.whole[other] & ~bit | 1 << a


def bits(mask: int) -> Iterator[int]:
    """The numbers of the bits that are set."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def maker(node: Node) -> Node:
    """The node of the instruction that computes a node."""
    node = node.base
    return maker(node.inputs[0]) if node.kind == ITEM else node


def instructions(graph: Graph) -> list[Instruction]:
    """The instructions that compute a graph, in a valid order."""
    grouping = Grouping(graph)
    position = {node: i for i, node in enumerate(graph.live())}
    first = {number: min(position[x] for x in nodes) for number, nodes in grouping.members.items()}
    effects = [grouping.number[node] for node in graph.effects]
    done: dict[int, None] = {}
    for number in [*effects, *sorted(grouping.members, key=first.__getitem__)]:
        visit(number, grouping, first, done)
    return [Instruction(sorted(grouping.members[number], key=position.__getitem__)) for number in done]


def visit(number: int, grouping: Grouping, first: dict[int, int], done: dict[int, None]) -> None:
    """Adds an instruction to the order, after those that it depends on."""
    if number not in done:
        for other in sorted(bits(grouping.before[number]), key=lambda x: (grouping.before[x].bit_count(), first[x])):
            done.setdefault(other)
        done.setdefault(number)
