"""Where intermediate results are: in one arena, in a block of memory of their own, or in the memory of another result.

A result shares the memory of a stack of which it is a row, or of an operand that nothing reads after it.
"""

from bisect import bisect
from heapq import heappop, heappush
from itertools import islice
from sys import maxsize

from rushlight.compiler.fusion import Instruction, maker
from rushlight.compiler.graph import CALL, REDUCE, STACK, Node, is_contiguous
from rushlight.kernels.codes import ALIGNMENT

LARGE = 1 << 18  # bytes of a result from which on it gets a block, which is free as soon as nothing reads it


class Allocation:
    """The memory of results: offsets in an arena of `size` bytes, or blocks with the instructions that first need them.

    `wanted` are the results that need memory here, `lasting` those that must last until the end. `shared` has, for a
    result in the memory of another, that one and the offset in it; `heirs` has, for a result with a block, that of a
    call whose memory it may have instead, if nobody else holds it.
    """

    def __init__(self, order: list[Instruction], wanted: set[Node], lasting: set[Node]):
        self.order = order
        self.wanted = wanted
        self.shared: dict[Node, tuple[Node, int]] = self.rows_of_stacks()
        self.rows: set[Node] = set(self.shared)
        self.heirs: dict[Node, Node] = {}
        self.first: dict[Node, int] = {}
        self.final: dict[Node, int] = {}
        self.find_lifetimes(lasting)
        for i, instruction in enumerate(order):
            if instruction.is_group:
                self.overwrite(i, instruction)
        self.size: int = 0
        self.offsets: dict[Node, int] = {}
        self.blocks: dict[Node, int] = {}
        self.lay_out()

    def place(self, node: Node) -> tuple[Node, int]:
        """The result whose memory a result is in, and the offset there."""
        offset = 0
        while node in self.shared:
            node, step = self.shared[node]
            offset += step
        return node, offset

    def rows_of_stacks(self) -> dict[Node, tuple[Node, int]]:
        """The nodes that are computed directly in their row of a stack: whole results that are stacked only once."""
        found: dict[Node, tuple[Node, int]] = {}
        for instruction in self.order:
            stack = instruction.nodes[0]
            if stack.kind != STACK:
                continue
            length = size(stack) // len(stack.inputs)
            for row, x in enumerate(stack.inputs):
                if is_whole(x) and x.base not in found and x.base in self.wanted and x.base.kind != STACK:
                    found[x.base] = (stack, row * length)
        return found

    def find_lifetimes(self, lasting: set[Node]) -> None:
        """The first and last instruction that need the memory of each result."""
        for i, instruction in enumerate(self.order):
            for node in instruction.nodes:
                if node in self.wanted:
                    owner, _ = self.place(node)
                    self.first.setdefault(owner, i)
                    self.final[owner] = max(self.final.get(owner, i), i)
            for x in instruction.reads:
                self.final[self.place(x.base)[0]] = i
        for node in lasting:
            self.final[self.place(node)[0]] = len(self.order)

    def overwrite(self, i: int, group: Instruction) -> None:
        """Lets results of a group share the memory of operands that nothing reads after they are written."""
        reads: dict[Node, list[Node]] = {}
        for x in group.reads:
            reads.setdefault(x.base, []).append(x)
        last = {x: k for k, node in enumerate(group.nodes) for x in node.inputs}
        summed = {x for node in group.nodes if node.kind == REDUCE for x in node.inputs}  # sums come after all steps
        for base, views in reads.items():
            owner, _ = self.place(base)
            x = views[0]
            if self.final.get(owner) != i or base in self.rows or len(views) > 1 or not is_whole(x) or x in summed:
                continue
            for node in islice(group.nodes, last[x], None):
                if node.kind != REDUCE and node in self.first and (node.shape, node.dtype) == (x.shape, base.dtype):
                    self.take_over(owner, node)
                    break

    def take_over(self, owner: Node, node: Node) -> None:
        """Gives a result the memory of another one."""
        if owner in self.first:
            self.shared[node] = (owner, 0)
            self.final[owner] = self.final.pop(node)
            del self.first[node]
        elif maker(owner).kind == CALL and size(node) >= LARGE:
            self.heirs[node] = owner

    def lay_out(self) -> None:
        """Places every result that has memory of its own: in the lowest gap."""
        gaps = Gaps()
        taken: list[tuple[int, int, int]] = []  # a heap: the last instruction, the start, the length
        for node in sorted(self.first, key=lambda x: (self.first[x], -x.size)):
            length = size(node)
            if length >= LARGE:
                self.blocks[node] = self.first[node]
                continue
            while taken and taken[0][0] < self.first[node]:
                _, start, spare = heappop(taken)
                gaps.give(start, spare)
            start = self.offsets[node] = gaps.take(length)
            heappush(taken, (self.final[node], start, length))
            self.size = max(self.size, start + length)


class Gaps:
    """The free parts of an arena, in order: pairs of a start and an end."""

    def __init__(self) -> None:
        self.free: list[tuple[int, int]] = [(0, maxsize)]

    def take(self, length: int) -> int:
        """The start of the lowest part of a length."""
        length = aligned(length)
        i, (start, end) = next((i, gap) for i, gap in enumerate(self.free) if gap[1] - gap[0] >= length)
        self.free[i : i + 1] = [(start + length, end)] if end - start > length else []
        return start

    def give(self, start: int, length: int) -> None:
        """Frees a part, which is joined with free ones beside it."""
        end = start + aligned(length)
        i = bisect(self.free, (start, end))
        if self.free[i][0] == end:
            end = self.free.pop(i)[1]
        if i and self.free[i - 1][1] == start:
            i -= 1
            start = self.free.pop(i)[0]
        self.free.insert(i, (start, end))


def aligned(length: int) -> int:
    """A length in whole units of alignment, at least one."""
    return max(-(-length // ALIGNMENT), 1) * ALIGNMENT


def is_whole(node: Node) -> bool:
    """Whether a node has all elements of its memory, in their order."""
    return is_contiguous(node) and node.size == node.base.size


def size(node: Node) -> int:
    """The bytes of a node."""
    return node.size * node.dtype.itemsize
