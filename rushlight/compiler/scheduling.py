"""The order of a graph's instructions: that of the program, except that one which frees memory is not put off.

A weight's gradient, for example, is computed as soon as it can be, so that what it is computed from can be dropped.
"""

from collections import Counter, defaultdict
from itertools import pairwise

from rushlight.compiler.allocation import size
from rushlight.compiler.fusion import Instruction, instructions, maker
from rushlight.compiler.graph import CONSTANT, INPUT, Graph, Node


def scheduled(graph: Graph, most: int | None = None) -> list[Instruction]:
    """The instructions that compute a graph, in a valid order, effects in theirs; see `instructions` for `most`."""
    return Schedule(graph, instructions(graph, most)).ordered()


class Schedule:
    """An order being made: which instructions wait for others, and how often each array is still to be read."""

    def __init__(self, graph: Graph, given: list[Instruction]):
        self.given = given
        self.reads: list[set[Node]] = [
            {x.base for x in one.reads if x.base.kind not in (INPUT, CONSTANT)} for one in given
        ]
        self.readers: dict[Node, list[int]] = defaultdict(list)
        for i, found in enumerate(self.reads):
            for node in found:
                self.readers[node].append(i)
        self.left: Counter[Node] = Counter({node: len(found) for node, found in self.readers.items()})
        self.number: dict[Node, int] = {node: i for i, one in enumerate(given) for node in one.nodes}
        results, written = {x.base for x in graph.outputs}, {value.base for _, value in graph.writes}
        self.lasting: set[Node] = results | written
        self.takes: list[int] = [0 for _ in given]  # bytes
        for node in {*self.readers, *written} - results:
            if maker(node) in self.number:
                self.takes[self.number[maker(node)]] += size(node)
        self.followers, self.waiting = self.dependencies(graph)

    def dependencies(self, graph: Graph) -> tuple[list[set[int]], list[int]]:
        """For each instruction those that need it, and how many others it waits for."""
        followers: list[set[int]] = [set() for _ in self.given]
        for i, found in enumerate(self.reads):
            for node in found:
                followers[self.number[maker(node)]].add(i)
        effects = [self.number[node] for node in graph.effects]
        for one, following in pairwise(effects):
            if one != following:
                followers[one].add(following)
        waiting = Counter(i for found in followers for i in found)
        return followers, [waiting[i] for i in range(len(self.given))]

    def ordered(self) -> list[Instruction]:
        """The instructions in the order that was found."""
        found: dict[int, None] = {}
        for first in range(len(self.given)):
            nexts = [first]
            while nexts:
                i = min(nexts)
                nexts.remove(i)
                if i in found:
                    continue
                found[i] = None
                nexts += [k for k in self.done(i) if k not in found and not self.waiting[k] and self.frees(k)]
        return [self.given[i] for i in found]

    def done(self, i: int) -> set[int]:
        """Notes that an instruction was carried out. Returns those for which this has changed something."""
        touched = set(self.followers[i])
        for k in self.followers[i]:
            self.waiting[k] -= 1
        for node in self.reads[i]:
            self.left[node] -= 1
            if self.left[node] == 1:
                touched.update(self.readers[node])
        return touched

    def frees(self, i: int) -> bool:
        """Whether less memory is needed after an instruction than before it."""
        freed = sum(size(node) for node in self.reads[i] if self.left[node] == 1 and node not in self.lasting)
        return freed > self.takes[i]
