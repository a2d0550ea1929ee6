"""Measurements as a table."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from rushlight.utils.benchmark.measurements import Measurement, select_unit, trim_sigfig

__all__ = ["Compare"]


class Compare:
    """A table of measurements: a row for each statement, a column for each description.

    >>> from rushlight.utils.benchmark import Compare, Timer
    >>> results = [Timer("pass", label="nothing", sub_label="pass", description=d).timeit(9) for d in "ab"]
    >>> print(str(Compare(results)).split("\\n")[0].strip("- []"))
    nothing
    """

    def __init__(self, results: Sequence[Measurement]):
        self._results: list[Measurement] = []
        self._trim = self._marks_best = self._rowwise = self._warnings = False
        self.extend_results(results)

    def extend_results(self, results: Sequence[Measurement]) -> None:
        """Adds measurements. ValueError for anything else."""
        for result in results:
            if not isinstance(result, Measurement):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(result)} instead.")
        self._results.extend(results)

    def trim_significant_figures(self) -> None:
        """Makes the table show only significant digits."""
        self._trim = True

    def highlight_warnings(self) -> None:
        """Makes the table mark times that vary much from run to run."""
        self._warnings = True

    def colorize(self, rowwise: bool = False) -> None:
        """Makes the table mark the best time of each column and number of threads, or with `rowwise` of each row."""
        self._marks_best, self._rowwise = True, rowwise

    def print(self) -> None:
        """Prints the table."""
        print(self)

    def __str__(self) -> str:
        merged = Measurement.merge(self._results)
        labels = list(dict.fromkeys(m.task_spec.label for m in merged))
        return "\n".join(self._table(label, [m for m in merged if m.task_spec.label == label]) for label in labels)

    def _table(self, label: str | None, found: Sequence[Measurement]) -> str:
        """The table for one label."""
        unit, length = select_unit(min(m.median for m in found))
        columns = list(dict.fromkeys(m.description or "" for m in found))
        rows: dict[tuple[Any, ...], dict[str, Measurement]] = {}
        for m in found:
            rows.setdefault((m.num_threads, m.env, m.as_row_name), {})[m.description or ""] = m
        table = [["", *columns]]
        for key, cells in rows.items():
            found_cells = [self._cell(cells.get(c), self._rivals(rows, key, c), length) for c in columns]
            table.append([f"{key[0]} threads: {key[2]}", *found_cells])
        widths = [max(len(line[i]) for line in table) for i in range(len(columns) + 1)]
        text = []
        for first, *others in table:
            filled = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
            text.append("  |  ".join([first.ljust(widths[0]), *filled]))
        head = f"[{'-' * 10} {label or 'Unknown'} {'-' * 10}]"
        return "\n".join([head, *text, f"\nTimes are in {unit}."])

    def _rivals(
        self, rows: dict[tuple[Any, ...], dict[str, Measurement]], key: tuple[Any, ...], column: str
    ) -> Collection[Measurement]:
        """The measurements among which `colorize` marks the best one."""
        if self._rowwise:
            return rows[key].values()
        return [cells[column] for (threads, *_), cells in rows.items() if threads == key[0] and column in cells]

    def _cell(self, m: Measurement | None, rivals: Iterable[Measurement], length: float) -> str:
        """A time as text for the table."""
        if m is None:
            return ""
        value = m.median / length
        value = trim_sigfig(value, m.significant_figures) if self._trim else value
        best = self._marks_best and m.median == min(other.median for other in rivals)
        return f"{'!' * (self._warnings and m.has_warnings)}{'*' * best}{value:.1f}"
