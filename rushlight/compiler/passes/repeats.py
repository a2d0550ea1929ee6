"""Computes what repeats along a dimension only once: functions, sums and products of expanded arrays."""

import numpy as np

from rushlight.compiler.graph import APPLY, CONSTANT, PRODUCT, REDUCE, WINDOW, Graph, Node, rebuilt

SMALLEST, LARGEST = 2.0**-20, 2.0**20  # numbers by which a sum may be multiplied instead of its terms


def computed_once(graph: Graph) -> Graph:
    """The graph without work along dimensions in which operands repeat."""
    return rebuilt(graph, once)


def once(new: Graph, node: Node, inputs: tuple[Node, ...]) -> Node | None:
    """A node with less work; None if nothing repeats."""
    if node.kind == APPLY:
        return function(new, node, inputs)
    if node.kind == REDUCE:
        return total(new, node, inputs[0])
    if node.kind == PRODUCT and len(node.shape) == 2:
        return product(new, node, *inputs)
    return None


def repeats(node: Node, axis: int) -> bool:
    """Whether a node repeats along a dimension of more than one element."""
    return node.kind == WINDOW and node.shape[axis] > 1 and node.detail[1][axis] == 0


def narrowed(new: Graph, node: Node, axes: tuple[int, ...]) -> Node:
    """The node reduced to one element along dimensions."""
    key = tuple([slice(0, 1) if axis in axes else slice(None) for axis in range(len(node.shape))])
    return new.view(node, lambda array: array[key])


def function(new: Graph, node: Node, inputs: tuple[Node, ...]) -> Node | None:
    """An elementwise function computed for one element along dimensions in which all operands repeat, then expanded."""
    operands = [unexpanded(new, x) if x.kind == WINDOW else x for x in inputs]
    if all(x is given for x, given in zip(operands, inputs, strict=True)):
        return None
    made = new.apply(*node.detail, *operands)
    return made if made.shape == node.shape else new.view(made, lambda array: np.broadcast_to(array, node.shape))


def unexpanded(new: Graph, node: Node) -> Node:
    """A node with one element along the dimensions in which it repeats; leading ones are removed."""
    axes = tuple([axis for axis in range(len(node.shape)) if repeats(node, axis)])
    if not axes:
        return node
    node = narrowed(new, node, axes)
    if node.size == 1 and (node.base.kind == CONSTANT or node.base.shape == ()):
        return new.reshape(node, ())
    return node


def total(new: Graph, node: Node, x: Node) -> Node | None:
    """A sum along dimensions in which the terms repeat: a multiple."""
    ufunc, axes = node.detail
    along = tuple([axis for axis in axes if repeats(x, axis)])
    if not along or ufunc not in (np.add, np.maximum, np.minimum):
        return None
    count = int(np.prod([x.shape[axis] for axis in along]))
    lead = new.view(narrowed(new, x, along), lambda array: array.squeeze(along))
    left = [axis for axis in range(len(x.shape)) if axis not in along]
    rest = new.reduce(ufunc, lead, tuple([left.index(axis) for axis in axes if axis not in along]))
    if ufunc is not np.add:
        return rest
    char = node.dtype.char
    return new.apply(np.multiply, f"{char}{char}->{char}", rest, new.constant(np.array(count, node.dtype)))


def times(new: Graph, a: Node, b: Node) -> Node:
    """The product of two matrices, with the least work."""
    node = new.product(a, b)
    return product(new, node, a, b) or node


def product(new: Graph, node: Node, a: Node, b: Node, *addend: Node) -> Node | None:
    """A product with equal rows or columns computes one; a product with a repeated number is a sum."""
    if addend:
        return None
    if repeats(a, 0):
        return expanded(new, times(new, narrowed(new, a, (0,)), b), node.shape)
    if repeats(b, 1):
        return expanded(new, times(new, a, narrowed(new, b, (1,))), node.shape)
    if is_number_along(a, 1) and not repeats(b, 0):
        return scaled_sum(new, narrowed(new, a, (1,)), new.reduce(np.add, b, (0,)), (1, b.shape[1]))
    if is_number_along(b, 0) and not repeats(a, 1):
        return scaled_sum(new, narrowed(new, b, (0,)), new.reduce(np.add, a, (1,)), (a.shape[0], 1))
    return None


def expanded(new: Graph, node: Node, shape: tuple[int, ...]) -> Node:
    """The node broadcast to a larger shape."""
    return new.view(node, lambda array: np.broadcast_to(array, shape))


def is_number_along(node: Node, axis: int) -> bool:
    """Whether a node is, along a dimension, a constant by which a sum may be multiplied instead."""
    if not repeats(node, axis) or node.base.number() is None:
        return False
    return SMALLEST <= abs(node.base.number() or 0) <= LARGEST


def scaled_sum(new: Graph, factor: Node, total: Node, shape: tuple[int, int]) -> Node:
    """A sum multiplied by the factor of its terms."""
    char = total.dtype.char
    return new.apply(np.multiply, f"{char}{char}->{char}", factor, new.reshape(total, shape))
