"""Drawings of planned programs: inputs, instructions with their lines and times, results."""

from pathlib import Path

from rushlight.autograd.drawing import Box, Picture, add
from rushlight.compiler.fusion import maker
from rushlight.compiler.graph import Graph, Node
from rushlight.compiler.measuring import Measured, Told


def pictured(parts: list[Measured]) -> Picture:
    """The drawing of several programs side by side."""
    boxes: list[Box] = []
    arrows: dict[tuple[str, str], None] = {}
    for part in parts:
        if part.graph is not None:
            draw(part, part.graph, boxes, arrows)
    return Picture(boxes, list(arrows))


def draw(part: Measured, graph: Graph, boxes: list[Box], arrows: dict[tuple[str, str], None]) -> None:
    """Adds the boxes and arrows of one program. Constants have none."""
    given = dict(zip(graph.inputs, part.inputs, strict=True))
    names: dict[Node, str] = {}

    def lead(source: Node, target: str) -> None:
        source = maker(source)
        if source not in names and source in given:
            names[source] = add(boxes, "leaf", [given[source]])
        if source in names:
            arrows[names[source], target] = None

    for one in part.instructions():
        name = add(boxes, "node", box_lines(one))
        for source in one.instruction.reads:
            lead(source, name)
        names.update(dict.fromkeys(one.instruction.nodes, name))
    for number, node in enumerate(graph.outputs):
        lead(node, add(boxes, "result", [f"result {number} of {part.name}", str(list(node.shape))]))
    for place, value in graph.writes:
        lead(value, add(boxes, "result", [f"overwrites {given[place]}"]))


def box_lines(one: Told) -> list[str]:
    """The lines of an instruction's box."""
    lines = [one.what, one.kind, *[f"{Path(path).name}:{line}" for path, _, line in map(file_and_line, one.lines)]]
    return lines if one.time is None else [*lines, f"{1e6 * one.time:,.1f} µs"]


def file_and_line(where: str) -> tuple[str, str, str]:
    """The parts of a source line, "file.py:12"."""
    return where.rpartition(":")
