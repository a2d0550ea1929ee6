"""The table of results in Markdown, with lines that describe the machine and the libraries."""

import os
import platform
import re
import statistics
from collections.abc import Callable
from pathlib import Path

from benchmarks.contenders import CONTENDERS
from benchmarks.measure import Result

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
THEIRS, KEPT = "torch", "torch, blocks kept"
HEEDED = "OPENBLAS_ OMP_ GOMP_ MKL_ ONEDNN_ NPY_ XLA_ RUSHLIGHT_ MALLOC_ GLIBC_ LD_PRELOAD"  # how their names begin


def readable(seconds: float) -> str:
    """A time with three digits and a unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def spread(ratios: list[float]) -> str:
    """The median of some ratios, and the lowest and highest."""
    middle = f"{statistics.median(ratios):.2f}"
    return middle if len(ratios) == 1 else f"{middle} ({min(ratios):.2f}–{max(ratios):.2f})"


def cell(result: Result, name: str) -> str:
    """A contender's time."""
    if name in result.cannot:
        return "cannot"
    return readable(result.median(name)) if name in result.times else ""


def ratio(result: Result, name: str) -> str:
    """rushlight's ratio to a contender."""
    return spread(result.ratios(name)) if name in result.times and "rushlight" in result.times else ""


def columns(names: list[str]) -> dict[str, Callable[[Result], str]]:
    """The heads of the table, and what is in their cells: the ratio to PyTorch stands beside its time."""
    found = {"work": lambda result: result.workload.name}
    for name in names:
        found[CONTENDERS[name].title] = lambda result, name=name: cell(result, name)
        if name == THEIRS:
            found["ratio to PyTorch"] = lambda result: ratio(result, THEIRS)
            found["at most"] = lambda result: str(result.workload.bound or "")
        if name == KEPT:
            found["ratio to that"] = lambda result: ratio(result, KEPT)
    return found


def markdown(heads: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    return "\n".join(f"| {' | '.join(row)} |" for row in (heads, ["---"] * len(heads), *rows))


def table(results: list[Result], names: list[str]) -> str:
    """The table, and the reasons for what could not be done."""
    cells = columns(names)
    rows = [[fill(result) for fill in cells.values()] for result in results]
    reasons = [
        f"- {CONTENDERS[name].title} cannot do “{result.workload.name}”: {first_line(reason)}"
        for result in results
        for name, reason in result.cannot.items()
    ]
    return "\n".join([markdown(list(cells), rows), *([""] if reasons else []), *reasons])


def first_line(text: str) -> str:
    """The first line of a message, not too long."""
    return text.strip().splitlines()[0][:160]


def cpu() -> str:
    """The CPU's name."""
    try:
        return re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text()).group(1)
    except (OSError, AttributeError):
        return platform.processor() or platform.machine()


def settings(environment: dict[str, str]) -> str:
    """The environment variables that libraries of numbers listen to."""
    found = [
        f"`{name}={value}`" for name, value in sorted(environment.items()) if name.startswith(tuple(HEEDED.split()))
    ]
    return " ".join(found) or "none"


def header(descriptions: dict[str, str], environment: dict[str, str], what: str) -> str:
    """On what the table was measured, and how."""
    machine = f"{cpu()}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"
    lines = [f"Machine: {machine}. Settings in the environment: {settings(environment)}."]
    said = set()
    for name, text in descriptions.items():
        if text not in said:  # PyTorch says it once
            said.add(text)
            lines.append(f"{CONTENDERS[name].title}: {text}.")
    return "\n".join(f"- {line}" for line in (*lines, what))


def write_page(mark: str, text: str, page: Path = PAGE) -> None:
    """Puts text between the two comments in docs/benchmarks.md that have this mark."""
    begin, end = f"<!-- {mark}: begin -->", f"<!-- {mark}: end -->"
    before, rest = page.read_text().split(begin)
    _, after = rest.split(end)
    page.write_text(f"{before}{begin}\n{text}\n{end}{after}")
