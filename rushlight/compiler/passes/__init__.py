"""Passes: functions from a graph to one that computes the same, up to rounding, with less work."""

from rushlight.compiler.graph import PRODUCT, Graph
from rushlight.compiler.passes.algebra import simplified
from rushlight.compiler.passes.ownership import with_owners
from rushlight.compiler.passes.products import gathered_outer, joined_products, with_addends
from rushlight.compiler.passes.repeats import computed_once

__all__ = ["improved"]

FOR_PRODUCTS = (gathered_outer, joined_products, simplified, with_addends, simplified)


def improved(graph: Graph) -> Graph:
    """The graph after all passes."""
    has_products = any(node.kind == PRODUCT for node in graph.live())
    for run in (computed_once, simplified, *(FOR_PRODUCTS if has_products else (simplified,)), with_owners):
        graph = run(graph)
    return graph
