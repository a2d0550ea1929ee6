"""Passes: functions from a graph to one that computes the same, to rounding, with less work."""

from rushlight.compiler.graph import Graph
from rushlight.compiler.passes.algebra import simplified
from rushlight.compiler.passes.ownership import with_owners
from rushlight.compiler.passes.products import gathered_outer, joined_products, with_addends
from rushlight.compiler.passes.repeats import computed_once

__all__ = ["improved"]

PASSES = (
    computed_once, simplified, gathered_outer, joined_products, simplified, with_addends, simplified, with_owners,
)  # fmt: skip


def improved(graph: Graph) -> Graph:
    """The graph after all passes."""
    for run in PASSES:
        graph = run(graph)
    return graph
