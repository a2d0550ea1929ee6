"""Measurements: times per run, with their median and spread."""

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

__all__ = ["Measurement", "TaskSpec", "select_unit", "trim_sigfig", "unit_to_english"]

UNITS = {"ns": ("nanosecond", 1e-9), "us": ("microsecond", 1e-6), "ms": ("millisecond", 1e-3), "s": ("second", 1.0)}
SPREAD = 0.1  # a larger interquartile range, relative to the median, gives a warning


@dataclass(frozen=True)
class TaskSpec:
    """The statement to measure, with its setup and options."""

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """The title of a table."""
        if self.label is not None:
            return self.label + (f": {self.sub_label}" if self.sub_label else "")
        return self.stmt if "\n" not in self.stmt else f"stmt:\n{indented(self.stmt)}"

    def setup_str(self) -> str:
        """The setup as text for a report."""
        if self.setup == "pass" or not self.setup:
            return ""
        return f"setup: {self.setup}" if "\n" not in self.setup else f"setup:\n{indented(self.setup)}"

    def summarize(self) -> str:
        """Setup and threads in a few lines."""
        lines = [self.title, self.description or "", self.setup_str()]
        lines.append(f"{self.num_threads} threads" if self.num_threads > 1 else "")
        return "\n".join(line for line in lines if line)


def indented(text: str) -> str:
    """Indents the lines of a text."""
    return "\n".join(f"  {line}" for line in text.strip("\n").split("\n"))


def select_unit(t: float) -> tuple[str, float]:
    """A suitable unit for a time in seconds, and its length in seconds.

    >>> select_unit(0.0021)
    ('ms', 0.001)
    """
    return next(((name, length) for name, (_, length) in reversed(UNITS.items()) if t >= length), ("ns", 1e-9))


def unit_to_english(u: str) -> str:
    """The name of a unit."""
    return UNITS[u][0]


def trim_sigfig(x: float, n: int) -> float:
    """A number with n significant digits.

    >>> trim_sigfig(12345.0, 2)
    12000.0
    """
    magnitude = math.ceil(math.log10(abs(x))) if x else 0
    scale = 10.0 ** (magnitude - n)
    return float(round(x / scale) * scale)


@dataclass
class Measurement:
    """Times of several runs of a task, each of `number_per_run` executions."""

    number_per_run: int
    raw_times: list[float]
    task_spec: TaskSpec
    metadata: dict[Any, Any] | None = field(default=None)

    @property
    def times(self) -> list[float]:
        """The time of one execution in each run, in seconds."""
        return [t / self.number_per_run for t in self.raw_times]

    @property
    def median(self) -> float:
        """The median of the times."""
        return float(np.median(self.times))

    @property
    def mean(self) -> float:
        """The mean of the times."""
        return float(np.mean(self.times))

    @property
    def iqr(self) -> float:
        """The distance between the quartiles."""
        low, high = np.quantile(self.times, [0.25, 0.75])
        return float(high - low)

    @property
    def has_warnings(self) -> bool:
        """Whether the times vary so much that they say little."""
        return self.iqr > SPREAD * self.median

    @property
    def significant_figures(self) -> int:
        """The number of significant digits of the median, from the spread of the times."""
        if len(self.raw_times) < 2:
            return 3
        spread = max(float(np.std(self.times)) / math.sqrt(len(self.times)), self.median * 1e-3, 1e-15)
        return int(min(max(1 + math.floor(math.log10(max(self.median, 1e-15) / spread)), 1), 5))

    def __getattr__(self, name: str) -> Any:
        """The task's own attributes: stmt, setup, label, title, num_threads and the others."""
        if name == "task_spec":  # while a copy or a pickle is made
            raise AttributeError(name)
        return getattr(self.task_spec, name)

    @property
    def env(self) -> str:
        """The environment of the run."""
        return "Unspecified env" if self.task_spec.env is None else self.task_spec.env

    @property
    def as_row_name(self) -> str:
        """The name of the task's row in a table."""
        return self.task_spec.sub_label or self.task_spec.stmt or "[Unknown]"

    @staticmethod
    def merge(measurements: Any) -> list["Measurement"]:
        """Merges measurements of the same task into one."""
        found: dict[TaskSpec, list[float]] = {}
        for each in measurements:
            found.setdefault(each.task_spec, []).extend(each.times)
        return [Measurement(1, times, task) for task, times in found.items()]

    def meets_confidence(self, threshold: float = SPREAD) -> bool:
        """Whether the spread of the times is below a threshold."""
        return len(self.raw_times) > 2 and self.iqr / self.median < threshold

    def __repr__(self) -> str:
        unit, length = select_unit(self.median)
        runs = f"{len(self.raw_times)} measurement{'s' * (len(self.raw_times) > 1)}"
        lines = [f"<torch.utils.benchmark.utils.common.Measurement object at {hex(id(self))}>"]
        lines.append(self.task_spec.summarize())
        lines.append(f"  {'Median: ' if len(self.raw_times) > 1 else ''}{self.median / length:.2f} {unit}")
        if len(self.raw_times) > 1:
            low, high = np.quantile(self.times, [0.25, 0.75]) / length
            lines.append(f"  IQR:    {self.iqr / length:.2f} {unit} ({low:.2f} to {high:.2f})")
        lines.append(
            f"  {runs}, {self.number_per_run} runs {'per measurement, ' if len(self.raw_times) > 1 else ', '}"
            f"{self.num_threads} thread{'s' * (self.num_threads > 1)}"
        )
        if self.has_warnings:
            part = f"{self.iqr / self.median * 100:.1f}%"
            lines.append(f"  WARNING: Interquartile range is {part} of the median measurement.")
        return "\n".join(lines)

    def with_description(self, description: str) -> "Measurement":
        """A copy with another description."""
        return replace(self, task_spec=replace(self.task_spec, description=description))
