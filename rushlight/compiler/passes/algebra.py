"""Algebraic simplification: identities that hold for every number, also for NaN, infinities and signed zeros."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.compiler.graph import APPLY, PRODUCT, WINDOW, Graph, Node, rebuilt

FOLDED = 4096  # the largest constants of which functions are computed in advance


def simplified(graph: Graph) -> Graph:
    """The graph with nodes replaced by simpler ones; outputs stay in the memory order in which they were recorded."""
    views = {node for node in graph.outputs if node.kind == WINDOW}
    return rebuilt(graph, lambda new, node, inputs: None if node in views else simpler(new, node, inputs))


def simpler(new: Graph, node: Node, inputs: tuple[Node, ...]) -> Node | None:
    """A simpler node with the same value; None if no rule applies."""
    if node.kind == WINDOW:
        return turned_product(new, node, inputs[0])
    if node.kind != APPLY:
        return None
    folded = constant(new, node, inputs)
    if folded is not None:
        return folded
    rule = RULES.get(node.detail[0])
    found = None if rule is None else rule(new, node, *inputs)
    return found if found is None or found.shape == node.shape else None


def constant(new: Graph, node: Node, inputs: tuple[Node, ...]) -> Node | None:
    """The value of a function of constants."""
    if node.size > FOLDED or not all(x.kind == "constant" for x in inputs):
        return None
    return new.constant(node.detail[0](*[x.detail.array for x in inputs]).astype(node.dtype))


def like(new: Graph, node: Node, function: np.ufunc, *inputs: Node) -> Node:
    """An arithmetic function in the dtype of a node."""
    char = node.dtype.char
    return new.apply(function, f"{char * len(inputs)}->{char}", *inputs)


def negated(node: Node) -> Node | None:
    """The node that a node is the negative of, or None."""
    return node.inputs[0] if node.kind == APPLY and node.detail[0] is np.negative else None


def multiply(new: Graph, node: Node, a: Node, b: Node) -> Node | None:
    """1 x = x; -1 x = -x; signs are moved outside."""
    for x, other in ((a, b), (b, a)):
        if x.number() == 1:
            return other
        if x.number() == -1:
            return like(new, node, np.negative, other)
        inner = negated(x)
        if inner is not None:
            product = like(new, node, np.multiply, inner, other)
            return like(new, node, np.negative, product)
    return None


def divide(new: Graph, node: Node, a: Node, b: Node) -> Node | None:
    """x / 1 = x; x / 2**n = x * 2**-n; signs are moved outside."""
    value = b.number()
    if value == 1:
        return a
    if value is not None and is_power_of_two(value):
        return like(new, node, np.multiply, a, new.constant(np.array(1 / value, node.dtype)))
    inner = negated(a)
    return None if inner is None else like(new, node, np.negative, like(new, node, np.divide, inner, b))


def is_power_of_two(value: float) -> bool:
    """Whether the reciprocal of a number is exact."""
    return value != 0 and np.isfinite(value) and abs(np.frexp(value)[0]) == 0.5 and 1e-30 < abs(value) < 1e30


def add(new: Graph, node: Node, a: Node, b: Node) -> Node | None:
    """x + x = 2 x; x + -y = x - y; x + -0 = x."""
    if a is b:
        return like(new, node, np.multiply, a, new.constant(np.array(2, node.dtype)))
    for x, other in ((a, b), (b, a)):
        inner = negated(x)
        if inner is not None:
            return like(new, node, np.subtract, other, inner)
        if is_zero(x, True):
            return other
    return None


def is_zero(node: Node, negative: bool) -> bool:
    """Whether a node is the constant 0, or -0."""
    value = node.number()
    return value == 0 and bool(np.signbit(value)) == negative


def subtract(new: Graph, node: Node, a: Node, b: Node) -> Node | None:
    """x - -y = x + y; x - 0 = x."""
    inner = negated(b)
    if inner is not None:
        return like(new, node, np.add, a, inner)
    return a if is_zero(b, False) else None


def negative(new: Graph, node: Node, a: Node) -> Node | None:
    """--x = x."""
    return negated(a)


def square(new: Graph, node: Node, a: Node) -> Node | None:
    """(-x)² = x², and x² is a product, so that both are the same node."""
    inner = negated(a) or a
    return like(new, node, np.multiply, inner, inner)


def positive(new: Graph, node: Node, a: Node) -> Node:
    """+x = x."""
    return a


def turned_product(new: Graph, node: Node, base: Node) -> Node | None:
    """The transpose of a product is the product of the transposes in reverse order."""
    if base.kind != PRODUCT or len(base.inputs) != 2 or 1 in base.shape[-2:]:
        return None
    turned = new.transpose(base)
    if (turned.shape, turned.detail) != (node.shape, node.detail):
        return None
    a, b = base.inputs
    return new.product(new.transpose(b), new.transpose(a))


RULES: dict[Any, Callable[..., Node | None]] = {
    np.multiply: multiply,
    np.divide: divide,
    np.add: add,
    np.subtract: subtract,
    np.negative: negative,
    np.square: square,
    np.positive: positive,
}
