"""Findings as an HTML page: the lines, the norms of gradients over steps and layers, the graph of a pass."""

import linecache
from html import escape
from typing import Any

import numpy as np

from rushlight.explain.finding import Finding, Line
from rushlight.explain.text import NAMES

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
section { border-left: 4px solid #c60; padding: 0.2rem 1rem; margin: 1.5rem 0; background: #faf8f5; }
section.error, section.nan { border-color: #b22; } h2 { font-size: 1.1rem; } .kind { color: #777; font-weight: normal; }
pre { background: #f0eee9; padding: 0.5rem; overflow-x: auto; font-size: 14px; } pre b { background: #ffd9a8; }
svg { background: #fff; border: 1px solid #ddd; } text { font-size: 11px; } 
th, td { padding: 0 0.7rem; text-align: left; }
"""
WIDTH, HEIGHT = 640, 200
COLOURS = ("#1b6ca8", "#c0392b", "#27855a", "#8e5ea2", "#b8860b", "#444")


def page(case: Any) -> str:
    """The whole page."""
    findings = "".join(section(one) for one in case.findings) or "<p>Nothing is the matter.</p>"
    return (
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>rushlight explains</title><style>{STYLE}</style>"
        f"<h1>rushlight explains</h1>{findings}{norms(case)}{graph(case)}</html>\n"
    )


def section(finding: Finding) -> str:
    """The section for one finding."""
    lines = "".join(f"<p>{escape(word)} {with_neighbours(line)}</p>" for word, line in finding.related)
    where = with_neighbours(finding.line) if finding.line is not None else ""
    return (
        f"<section class='{finding.symptom}'><h2>{escape(finding.what)} "
        f"<span class='kind'>{finding.kind.name}: {NAMES[finding.symptom]}</span></h2>{where}"
        f"<p><b>Why:</b> {escape(finding.why)}.</p><p><b>Do:</b> {escape(finding.do)}.</p>{lines}</section>"
    )


def with_neighbours(line: Line) -> str:
    """A line with its neighbours."""
    text = [
        f"{'<b>' if n == line.number else ''}{n:4}  {escape(source.rstrip())}{'</b>' if n == line.number else ''}"
        for n in range(max(1, line.number - 2), line.number + 3)
        if (source := linecache.getline(line.file, n))
    ]
    return f"{escape(str(line))}<pre>{chr(10).join(text)}</pre>"


def norms(case: Any) -> str:
    """The norms of gradients: a curve over passes for a few parameters, and the median for each one."""
    leaves = [leaf for leaf in case.ledger.leaves.values() if leaf.norms]
    if not leaves:
        return ""
    names = [case.names.of(leaf.tensor, f"a leaf {list(leaf.shape)}").strip("`") for leaf in leaves]
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td>{float(np.median(leaf.norms)):.2e}</td><td>{leaf.arrivals}</td></tr>"
        for name, leaf in zip(names, leaves, strict=True)
    )
    return (
        f"<h2>Norms of gradients</h2>{curves([(n, leaf.norms) for n, leaf in zip(names, leaves, strict=True)][:6])}"
        f"<table><tr><th>parameter</th><th>median norm</th><th>gradients</th></tr>{rows}</table>"
    )


def curves(series: list[tuple[str, list[float]]]) -> str:
    """Curves of norms over passes, on a logarithmic scale."""
    logs = [(name, [logarithm(v) for v in values]) for name, values in series]
    known = [v for _, values in logs for v in values if v is not None]
    if not known:
        return ""
    low, high = min(known) - 0.1, max(known) + 0.1
    longest = max(len(values) for _, values in logs)
    parts = []
    for i, (name, values) in enumerate(logs):
        points = " ".join(
            f"{40 + (WIDTH - 60) * k / max(longest - 1, 1):.1f},{10 + (HEIGHT - 30) * (high - v) / (high - low):.1f}"
            for k, v in enumerate(values)
            if v is not None
        )
        colour = COLOURS[i % len(COLOURS)]
        parts.append(f"<polyline fill='none' stroke='{colour}' points='{points}'/>")
        parts.append(f"<text x='50' y='{24 + 13 * i}' fill='{colour}'>{escape(name)}</text>")
    scale = f"<text x='2' y='18'>1e{high:.0f}</text><text x='2' y='{HEIGHT - 20}'>1e{low:.0f}</text>"
    return f"<svg width='{WIDTH}' height='{HEIGHT}'>{scale}{''.join(parts)}</svg>"


def logarithm(value: float) -> float | None:
    """The logarithm of a norm; None for zero and for values that are not finite."""
    return float(np.log10(value)) if value > 0 and np.isfinite(value) else None


def graph(case: Any) -> str:
    """The drawing of the first pass."""
    picture = case.ledger.picture
    return f"<h2>The graph of the first pass</h2><div style='overflow:auto'>{picture}</div>" if picture else ""
