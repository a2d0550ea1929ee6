"""Walking through a graph backward from a result."""

from collections.abc import Iterable, Iterator
from typing import Any

from rushlight.core.graph import Node

__all__ = ["edges_of", "nodes_behind", "operator_of"]


def operator_of(node: Any) -> str:
    """The name of a node's operator; "" for a leaf, and for a node without an operator."""
    return node.op.name if isinstance(node, Node) and node.op is not None else ""


def edges_of(node: Any) -> list[Any]:
    """The nodes and leaves of a node's operands that have a history."""
    return [edge for i in range(node.arity) if (edge := node.edge_at(i)[0]) is not None]


def nodes_behind(roots: Iterable[Any], limit: int) -> Iterator[Node]:
    """The nodes of graphs, up to a limit."""
    nodes = list(roots)
    seen: set[int] = set()
    while nodes and len(seen) < limit:
        node = nodes.pop()
        if isinstance(node, Node) and id(node) not in seen:
            seen.add(id(node))
            yield node
            nodes += edges_of(node)
