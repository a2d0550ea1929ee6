"""Matrix products: fewer of them, with addends included.

Sums of products with a common factor become one product, sums of outer products one product of stacked vectors,
products of one matrix with several input vectors one product, and a term added to a product becomes its initial value.
"""

from collections import Counter, defaultdict
from typing import Any

import numpy as np

from rushlight.compiler.graph import APPLY, INPUT, PRODUCT, WINDOW, Graph, Node, rebuilt
from rushlight.compiler.passes.algebra import like

MANY = 4  # outer products, or products with one matrix, from which on stacking pays off


def uses(graph: Graph) -> Counter[Any]:
    """The number of uses of each node."""
    roots = [*graph.outputs, *[node for pair in graph.writes for node in pair]]
    return Counter([x for node in graph.live() for x in node.inputs] + roots)


def is_sum(node: Node) -> bool:
    """Whether a node is a sum of two."""
    return node.kind == APPLY and node.detail[0] is np.add


def is_matrix_product(node: Node) -> bool:
    """Whether a node is a product of two matrices without an addend."""
    return node.kind == PRODUCT and len(node.shape) == 2 and len(node.inputs) == 2


# sums of outer products


def gathered_outer(graph: Graph) -> Graph:
    """Replaces sums of many outer products by products of stacked vectors."""
    count = uses(graph)
    inner = {x for node in graph.live() if is_sum(node) for x in node.inputs if is_sum(x) and count[x] == 1}
    terms = {node: terms_of(node, count) for node in graph.live() if is_sum(node) and node not in inner}
    found: dict[Node, Node] = {}

    def rule(new: Graph, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        outer = [x for x in terms.get(node, ()) if is_outer(x) and count[x] == 1 and x.shape == node.shape]
        made = None
        if len(outer) >= MANY:
            outer.sort(key=lambda x: order_of(found[x.inputs[1]]))
            columns = stacked(new, [found[x.inputs[0]] for x in outer])
            rows = stacked(new, [found[x.inputs[1]] for x in outer])
            made = new.product(new.transpose(columns), rows)
            for x in terms[node]:
                if x not in outer:
                    made = like(new, node, np.add, made, found[x])
        return made

    return noted(graph, rule, found)


def noted(graph: Graph, rule: Any, found: dict[Node, Node]) -> Graph:
    """`rebuilt`, which records in `found` what each node became."""

    def noting(new: Graph, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        found.update(zip(node.inputs, inputs, strict=True))
        return rule(new, node, inputs)

    return rebuilt(graph, noting)


def terms_of(node: Node, count: Counter[Any]) -> list[Node]:
    """The terms of a sum, including those of nested sums that are used only there."""
    found, stack = [], [node]
    while stack:
        for x in stack.pop().inputs:
            if is_sum(x) and count[x] == 1 and x.shape == node.shape:
                stack.append(x)
            else:
                found.append(x)
    return found


def is_outer(node: Node) -> bool:
    """Whether a node is the product of a column and a row."""
    return is_matrix_product(node) and node.inputs[0].shape[1] == 1 and 1 not in node.shape


def stacked(new: Graph, vectors: list[Node]) -> Node:
    """Vectors as the rows of a matrix: a window if they are evenly spaced in memory."""
    shape = (len(vectors), vectors[0].size)
    step = steps_between(vectors)
    if step is not None:
        first = vectors[0]
        offset = first.detail[0] if first.kind == WINDOW else 0
        return new.window(first.base, offset, shape, (step, first.dtype.itemsize))
    return new.stack([new.reshape(x, (x.size,)) for x in vectors])


def order_of(node: Node) -> tuple[int, int]:
    """A sort key for vectors: by place in memory, then by the order in which they were made."""
    return node.base.serial, node.detail[0] if node.kind == WINDOW else 0


def steps_between(vectors: list[Node]) -> int | None:
    """The bytes from one vector to the next, if they are evenly spaced in the memory of one node."""
    base, size = vectors[0].base, vectors[0].dtype.itemsize
    offsets = []
    for x in vectors:
        if x.kind != WINDOW or x.base is not base:
            return None
        if any(n > 1 and step != size for n, step in zip(x.shape, x.detail[1], strict=True)):
            return None
        offsets.append(x.detail[0])
    steps = set(np.diff(offsets).tolist())
    return steps.pop() if len(steps) == 1 else None


# products with one matrix


def joined_products(graph: Graph) -> Graph:
    """Replaces many products of one matrix with input vectors by one; also sums with a common factor."""
    graph = with_common_factors(graph)
    early = nodes_known_early(graph)
    groups: dict[tuple[Node, int], list[Node]] = defaultdict(list)
    for node in graph.live():
        if is_matrix_product(node):
            a, b = node.inputs
            if b.shape[1] == 1 and b in early and a in early:
                groups[a, b.shape[0]].append(node)
    for group in groups.values():
        group.sort(key=lambda x: order_of(x.inputs[1]))
    member = {node: group for group in groups.values() if len(group) >= MANY for node in group}
    found: dict[Node, Node] = {}

    def rule(new: Graph, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node not in member:
            return None
        group = member[node]
        vectors = [again_early(new, x.inputs[1], found) for x in group]
        all_of_them = new.product(stacked(new, vectors), new.transpose(inputs[0]))
        place = group.index(node)
        return new.view(all_of_them, lambda array: array[place][:, None])

    return noted(graph, rule, found)


def nodes_known_early(graph: Graph) -> set[Node]:
    """Inputs, and windows of inputs."""
    return {node for node in graph.live() if node.base.kind == INPUT}


def again_early(new: Graph, node: Node, found: dict[Node, Node]) -> Node:
    """A window of an input in the new graph."""
    if node not in found:
        base = new.add(INPUT, (), node.base.shape, node.base.dtype, node.base.detail)
        found[node] = base if node.kind != WINDOW else new.window(base, node.detail[0], node.shape, node.detail[1])
    return found[node]


def with_common_factors(graph: Graph) -> Graph:
    """a c + b c = (a + b) c, and c a + c b = c (a + b), where the products are used nowhere else."""
    count = uses(graph)

    def rule(new: Graph, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if not is_sum(node) or not all(is_matrix_product(x) and count[x] == 1 for x in node.inputs):
            return None
        x, y = inputs
        if not (is_matrix_product(x) and is_matrix_product(y) and x.shape == y.shape == node.shape):
            return None
        for side in (0, 1):
            if x.inputs[side] is y.inputs[side] and x.inputs[1 - side].shape == y.inputs[1 - side].shape:
                added = like(new, node, np.add, x.inputs[1 - side], y.inputs[1 - side])
                return new.product(x.inputs[0], added) if side == 0 else new.product(added, x.inputs[1])
        return None

    return rebuilt(graph, rule)


# addends of products


def with_addends(graph: Graph) -> Graph:
    """Includes addends in products; makes products of a column and a row elementwise."""
    count = uses(graph)

    def rule(new: Graph, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.kind == PRODUCT and node.inputs[0].shape[-1] == 1 and len(node.inputs) == 2:
            return like(new, node, np.multiply, *inputs)
        if not is_sum(node) or len(node.shape) != 2:
            return None
        for k in (1, 0):
            old, x, addend = node.inputs[k], inputs[k], inputs[1 - k]
            if is_matrix_product(old) and is_matrix_product(x) and count[old] == 1 and x.shape == node.shape:
                return new.product(*x.inputs, addend)
        return None

    return rebuilt(graph, rule)
