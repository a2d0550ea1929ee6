"""Gives every output its own memory, except views of one array, as equal nodes have become one."""

from typing import Any

from rushlight.compiler.graph import CONSTANT, COPY, INPUT, WINDOW, Graph, Node, rebuilt


def with_owners(graph: Graph) -> Graph:
    """The graph with copies for outputs in memory that belongs to something else."""
    new = rebuilt(graph, lambda new, node, inputs: None)
    claimed: dict[Node, Any] = {node: node.detail for node in new.inputs}
    copies: dict[Any, Node] = {}
    for i, (node, owner) in enumerate(zip(new.outputs, new.owners, strict=True)):
        base = node.base
        if base.kind not in (INPUT, CONSTANT) and claimed.setdefault(base, owner) is owner:
            continue
        if base.kind == INPUT and claimed.get(base) == owner:
            continue
        copy = copies.get((base, owner))
        if copy is None:
            copy = copies[base, owner] = new.add(COPY, (base,), base.shape, base.dtype, len(copies))
        new.outputs[i] = copy if node.kind != WINDOW else new.window(copy, node.detail[0], node.shape, node.detail[1])
    return new
