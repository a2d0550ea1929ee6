"""Replacing the parts of a graph that match a pattern."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from rushlight.fx._symbolic_trace import symbolic_trace
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule, copy_attribute
from rushlight.fx.node import Node
from rushlight.nn.modules.module import Module

__all__ = ["Match", "replace_pattern"]


class Match(NamedTuple):
    """A match of a pattern: the node for its result, and the graph's node for each of its nodes."""

    anchor: Node
    nodes_map: dict[Node, Any]


def replace_pattern(
    gm: GraphModule, pattern: Callable[..., Any] | GraphModule, replacement: Callable[..., Any] | GraphModule
) -> list[Match]:
    """Replaces each part of a module's graph that matches `pattern` by `replacement`.

    Both are functions, or modules, of the same arguments in the same order; of overlapping matches only the first is
    replaced.

    >>> import rushlight as torch
    >>> traced = torch.fx.symbolic_trace(lambda x: torch.exp(x) - 1)
    >>> matches = torch.fx.replace_pattern(traced, lambda x: torch.exp(x) - 1, lambda x: torch.expm1(x))
    >>> print(traced.code.strip())
    def forward(self, x):
        expm1 = torch.expm1(x);  x = None
        return expm1
    """
    wanted, new = as_graph(pattern), as_graph(replacement)
    if len(inputs(wanted)) != len(inputs(new)):
        raise AssertionError(f"Placeholder count mismatch: {len(inputs(wanted))} vs {len(inputs(new))}")
    matches = list(found_in(gm.graph, wanted))
    moved: dict[Node, Node] = {}
    for match in matches:
        for node, found in list(match.nodes_map.items()):
            match.nodes_map[node] = moved.get(found, found) if isinstance(found, Node) else found
        replace(gm.graph, match, wanted, new, moved)
    for made in (pattern, replacement):
        if isinstance(made, Module):
            take_attributes(made, gm)
    gm.recompile()
    return matches


def as_graph(program: Any) -> Graph:
    """The graph of a module or function."""
    if isinstance(program, Graph):
        return program
    return (program if isinstance(program, GraphModule) else symbolic_trace(program)).graph


def inputs(graph: Graph) -> list[Node]:
    """The inputs of a graph."""
    return graph.find_nodes(op="placeholder")


def results(graph: Graph) -> list[Node]:
    """The nodes in a graph's output."""
    return graph.output_node().all_input_nodes


def found_in(graph: Graph, pattern: Graph) -> Iterator[Match]:
    """Finds matches of a pattern that do not overlap, and whose inner results have no other users."""
    anchors = results(pattern)
    taken: set[Node] = set()
    for node in list(graph.nodes):
        bound: dict[Node, Any] = {}
        if not alike(anchors[0], node, bound) or not all(anchor in bound for anchor in anchors):
            continue
        inside = {found for step, found in bound.items() if step.op not in ("placeholder", "get_attr")}
        ends = {bound[anchor] for anchor in anchors}
        hidden = all(set(found.users) <= inside for found in inside - ends)
        if hidden and not inside & taken:
            taken |= inside
            yield Match(node, bound)


def alike(wanted: Any, given: Any, bound: dict[Node, Any]) -> bool:
    """Whether an argument matches the pattern's; records in `bound` what the pattern's nodes stand for."""
    if isinstance(wanted, Node):
        if wanted in bound:
            return bound[wanted] is given
        if wanted.op != "placeholder":
            same = isinstance(given, Node) and (wanted.op, wanted.target) == (given.op, given.target)
            if not same or not alike(wanted.args, given.args, bound) or not alike(wanted.kwargs, given.kwargs, bound):
                return False
        bound[wanted] = given
        return True
    if isinstance(wanted, (tuple, list)) and isinstance(given, (tuple, list)):
        return len(wanted) == len(given) and all(alike(a, b, bound) for a, b in zip(wanted, given, strict=True))
    if isinstance(wanted, dict) and isinstance(given, dict):
        return wanted.keys() == given.keys() and all(alike(wanted[key], given[key], bound) for key in wanted)
    return type(wanted) is type(given) and wanted == given


def replace(graph: Graph, match: Match, wanted: Graph, new: Graph, moved: dict[Node, Node]) -> None:
    """Replaces a match by a copy of a graph; `moved` maps replaced results to the new ones."""
    ends = [match.nodes_map[node] for node in results(wanted)]
    given: dict[Node, Any] = {
        node: match.nodes_map.get(other) for node, other in zip(inputs(new), inputs(wanted), strict=True)
    }
    users = {user for end in ends for user in end.users}
    first = next((node for node in graph.nodes if node in users), None)
    with graph.inserting_before(first or max(ends, key=list(graph.nodes).index)._next):
        graph.graph_copy(new, given)
    for old, node in zip(ends, results(new), strict=True):
        old.replace_all_uses_with(given[node])
        moved[old] = given[node]
    for node in reversed(list(graph.nodes)):
        if any(node is found for found in match.nodes_map.values()) and not node.users and node.op != "placeholder":
            graph.erase_node(node)


def take_attributes(source: Module, module: GraphModule) -> None:
    """Copies the attributes that a module's graph refers to from another module."""
    for node in module.graph.nodes:
        if node.op in ("get_attr", "call_module"):
            try:
                copy_attribute(source, module, str(node.target))
            except AttributeError:
                continue
