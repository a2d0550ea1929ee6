"""Where intermediate results are: in one arena, in a block of memory of their own, or in the memory of another result.

A result shares the memory of a stack of which it is a row, or of an operand that nothing reads after it.
"""

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
            for x in instruction.reads():
                self.final[self.place(x.base)[0]] = i
        for node in lasting:
            self.final[self.place(node)[0]] = len(self.order)

    def overwrite(self, i: int, group: Instruction) -> None:
        """Lets results of a group share the memory of operands that nothing reads after they are written."""
        reads: dict[Node, list[Node]] = {}
        for x in group.reads():
            reads.setdefault(x.base, []).append(x)
        for base, views in reads.items():
            owner, _ = self.place(base)
            if self.final.get(owner) != i or base in self.rows or len(views) > 1 or not is_whole(views[0]):
                continue
            for node in written_after(views[0], group):
                if node in self.first and (node.shape, node.dtype) == (views[0].shape, base.dtype):
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
        """Places every result that has memory of its own."""
        taken: list[tuple[int, int, int, int]] = []  # (start, end, first instruction, last one)
        for node in sorted(self.first, key=lambda x: (self.first[x], -x.size)):
            length = size(node)
            if length >= LARGE:
                self.blocks[node] = self.first[node]
                continue
            start = lowest_gap(taken, length, self.first[node], self.final[node])
            taken.append((start, start + length, self.first[node], self.final[node]))
            self.offsets[node] = start
            self.size = max(self.size, start + length)


def written_after(x: Node, group: Instruction) -> list[Node]:
    """The results of a group's steps that are written when nothing in the group reads an operand any more."""
    last = max(k for k, node in enumerate(group.nodes) if x in node.inputs)
    if any(node.kind == REDUCE and x in node.inputs for node in group.nodes):  # sums come after all steps
        return []
    return [node for node in group.nodes[last:] if node.kind != REDUCE]


def is_whole(node: Node) -> bool:
    """Whether a node has all elements of its memory, in their order."""
    return is_contiguous(node) and node.size == node.base.size


def size(node: Node) -> int:
    """The bytes of a node."""
    return node.size * node.dtype.itemsize


def lowest_gap(taken: list[tuple[int, int, int, int]], length: int, first: int, last: int) -> int:
    """The lowest free offset for so many bytes, given those that are taken at the same time."""
    start = 0
    for begin, end, born, dead in sorted(taken):
        if born <= last and first <= dead:
            if begin - start >= length:
                break
            start = max(start, -(-end // ALIGNMENT) * ALIGNMENT)
    return start
