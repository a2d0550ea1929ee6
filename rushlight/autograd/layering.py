"""A drawing of a graph in layers, as SVG: needs no Graphviz."""

from html import escape
from typing import Any

COLOURS = {"leaf": "#cfe2f3", "node": "#eeeeee", "result": "#d5ecc2"}
WIDTH, LINE, GAP, STEP = 150, 14, 14, 34  # box width, line height, gap between boxes, between layers


def svg_of(boxes: Any, arrows: Any) -> str:
    """The drawing: results at the bottom, each box above all boxes that it leads to."""
    depths = depths_of([box.name for box in boxes], arrows)
    layers: dict[int, list[Any]] = {}
    for box in boxes:
        layers.setdefault(depths[box.name], []).append(box)
    tall = max((len(box.lines) for box in boxes), default=1) * LINE + 10
    widest = max(len(layer) for layer in layers.values())
    total = widest * (WIDTH + GAP) + GAP
    places = {
        box.name: (
            (total - len(layer) * (WIDTH + GAP)) / 2 + i * (WIDTH + GAP) + GAP / 2,
            (len(layers) - 1 - depth) * (tall + STEP) + GAP,
        )
        for depth, layer in layers.items()
        for i, box in enumerate(layer)
    }
    lines = [
        f"<line x1='{places[a][0] + WIDTH / 2:.0f}' y1='{places[a][1] + tall:.0f}' x2='{places[b][0] + WIDTH / 2:.0f}' "
        f"y2='{places[b][1]:.0f}' stroke='#888'/>"
        for a, b in arrows
    ]
    height = len(layers) * (tall + STEP)
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{total}' height='{height}' font-family='sans-serif' "
        f"font-size='11'>{''.join(lines)}{''.join(drawn(box, *places[box.name], tall) for box in boxes)}</svg>"
    )


def drawn(box: Any, x: float, y: float, tall: int) -> str:
    """One box with its lines."""
    texts = "".join(
        f"<text x='{x + WIDTH / 2:.0f}' y='{y + LINE * (i + 1):.0f}' text-anchor='middle'>{escape(line)}</text>"
        for i, line in enumerate(box.lines)
    )
    return f"<rect x='{x:.0f}' y='{y:.0f}' width='{WIDTH}' height='{tall}' rx='4' fill='{COLOURS[box.kind]}'/>{texts}"


def depths_of(names: list[str], arrows: list[tuple[str, str]]) -> dict[str, int]:
    """The layer of each box: one more than the highest layer that it leads to."""
    targets: dict[str, list[str]] = {name: [] for name in names}
    sources: dict[str, list[str]] = {name: [] for name in names}
    for start, end in arrows:
        targets[start].append(end)
        sources[end].append(start)
    waiting = {name: len(targets[name]) for name in names}
    ready = [name for name in names if not waiting[name]]
    depths: dict[str, int] = {}
    while ready:
        name = ready.pop()
        depths[name] = max((depths[end] + 1 for end in targets[name]), default=0)
        for start in sources[name]:
            waiting[start] -= 1
            if not waiting[start]:
                ready.append(start)
    return depths
