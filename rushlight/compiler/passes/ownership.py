"""Every output in memory of its own, except views of one array: what was computed once may be asked for twice."""

from typing import Any

from rushlight.compiler.graph import CONSTANT, COPY, INPUT, WINDOW, Graph, Node, rebuilt


def with_owners(graph: Graph) -> Graph:
    """The graph with copies for the outputs that lie in memory that is somebody else's."""
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
