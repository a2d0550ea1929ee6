"""Drawings of graphs for Graphviz and Mermaid: nodes and leaves with names, shapes, saved bytes and lines of code."""

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any, NamedTuple

import numpy as np

from rushlight.autograd.layering import svg_of
from rushlight.core.graph import Node, Packed, TensorBase
from rushlight.tensors import Tensor

COLOURS = {"leaf": "lightblue", "node": "lightgrey", "result": "darkolivegreen1"}
LIMIT = 5000


class Box(NamedTuple):
    """A box of the drawing: a result, a node or a leaf."""

    name: str
    kind: str
    lines: list[str]


class Picture:
    """The drawing of a graph, as `svg`, `mermaid` and `dot`; `render` runs Graphviz. Notebooks display it."""

    def __init__(self, boxes: list[Box], arrows: list[tuple[str, str]]):
        self.boxes = boxes
        self.arrows = arrows

    @property
    def mermaid(self) -> str:
        """The drawing for Mermaid, which GitHub and notebooks render in Markdown."""
        shapes = {"leaf": ("([", "])"), "node": ("[", "]"), "result": ("[[", "]]")}
        boxes = [
            f'    {box.name}{shapes[box.kind][0]}"{"<br>".join(map(escape, box.lines))}"{shapes[box.kind][1]}'
            for box in self.boxes
        ]
        arrows = [f"    {start} --> {end}" for start, end in self.arrows]
        return "\n".join(["graph TD", *boxes, *arrows])

    @property
    def dot(self) -> str:
        """The drawing for Graphviz."""
        boxes = [
            f'    {box.name} [label="{escaped(box.lines)}", shape=box, style=filled, fillcolor={COLOURS[box.kind]}]'
            for box in self.boxes
        ]
        arrows = [f"    {start} -> {end}" for start, end in self.arrows]
        return "\n".join(["digraph {", *boxes, *arrows, "}"])

    @property
    def svg(self) -> str:
        """The drawing as SVG, laid out in layers: for pages and notebooks without Graphviz."""
        return svg_of(self.boxes, self.arrows)

    def render(self, filename: str, format: str = "svg") -> str:
        """Has Graphviz write the drawing to `filename` with the format's ending, and returns that path.

        ImportError without the package `graphviz`; `graphviz.ExecutableNotFound` if the program is not installed.
        """
        import graphviz

        return graphviz.Source(self.dot).render(filename, format=format, cleanup=True)

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.mermaid


def draw(tensor: Tensor | Iterable[Tensor], params: Mapping[str, Tensor] | None = None) -> Picture:
    """Draws the graph behind one or several tensors.

    Each node shows its name, the bytes it saved and, inside `autograd.explain`, the line that recorded it; each leaf
    its name in `params` (`dict(model.named_parameters())`) and its shape. ValueError for a graph of more than 5,000
    nodes.

    >>> import rushlight as torch
    >>> w = torch.ones(2, requires_grad=True)
    >>> print(torch.autograd.graph.draw((w * w).sum(), params={"w": w}).mermaid)
    graph TD
        n0[["result<br>[]"]]
        n1["SumBackward0"]
        n2["MulBackward0<br>saves 8 bytes"]
        n3(["w<br>[2]"])
        n1 --> n0
        n2 --> n1
        n3 --> n2
    """
    roots = [tensor] if isinstance(tensor, TensorBase) else list(tensor)
    names = {id(p): name for name, p in (params or {}).items()}
    return pictured(
        [
            (
                [names.get(id(root), "result"), str(list(root._array.shape))],
                root if root.grad_fn is None else root.grad_fn,
            )
            for root in roots
        ],
        names,
    )


def pictured(roots: list[tuple[list[str], Any]], names: dict[int, str]) -> Picture:
    """The drawing of the graph behind vertices; each root comes with the lines of the box that it leads to."""
    boxes: list[Box] = []
    arrows: list[tuple[str, str]] = []
    numbers: dict[int, str] = {}
    waiting = [(vertex, add(boxes, "result", lines)) for lines, vertex in roots]
    while waiting:
        vertex, target = waiting.pop()
        name = numbers.get(id(vertex))
        if name is None:
            if len(boxes) > LIMIT:
                raise ValueError(f"the graph has more than {LIMIT} nodes: draw a part of it, one step say")
            name = numbers[id(vertex)] = add(boxes, *described(vertex, names))
            if isinstance(vertex, Node):
                edges = [vertex.edge_at(i)[0] for i in range(vertex.arity)]
                waiting.extend((edge, name) for edge in reversed(edges) if edge is not None)
        if (name, target) not in arrows[-8:]:
            arrows.append((name, target))
    return Picture(boxes, arrows)


def add(boxes: list[Box], kind: str, lines: list[str]) -> str:
    """Adds a box; returns its name."""
    boxes.append(Box(f"n{len(boxes)}", kind, lines))
    return boxes[-1].name


def described(vertex: Any, names: dict[int, str]) -> tuple[str, list[str]]:
    """The kind of a box, and its lines."""
    if isinstance(vertex, TensorBase):
        return "leaf", [names.get(id(vertex), "leaf"), str(list(vertex._array.shape))]
    lines, size = [vertex.name()], saved_bytes(vertex)
    if size:
        lines.append(f"saves {size:,} bytes")
    if vertex.told is not None:
        site = vertex.told.site
        lines.append(f"{site.file.rpartition('/')[2]}:{site.line}")
    return "node", lines


def saved_bytes(node: Any) -> int:
    """The size of the arrays that a node saved, each counted once."""
    arrays: dict[int, int] = {}
    for value in (node.saved0, node.saved1, *(node.saved or ())):
        for item in value if isinstance(value, tuple) else (value,):
            item = item[0] if isinstance(item, tuple) and item else item
            array = item._array if isinstance(item, TensorBase) else item
            if isinstance(array, np.ndarray) and not isinstance(item, Packed):
                arrays[id(array)] = array.nbytes
    return sum(arrays.values())


def escaped(lines: list[str]) -> str:
    """The lines of a box, escaped for Graphviz."""
    return "\\n".join(line.replace("\\", "\\\\").replace('"', '\\"') for line in lines)
