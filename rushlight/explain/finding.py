"""The parts of an explanation: kinds of mistakes, and findings with their lines and text."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from rushlight.core.above import ABOVE

SYMPTOMS = ("error", "nan", "none", "zero", "wrong", "memory")


@dataclass(frozen=True)
class Kind:
    """A kind of mistake: its symptom, what it is, and an example: a diff to the corrected program.

    Lines that begin with "-" are the mistake, those that begin with "+" correct it. Both programs begin with
    `import torch` and a seed, which are not repeated here.

    >>> from rushlight.explain.finding import KINDS
    >>> KINDS["cut-parameter"].symptom, KINDS["cut-parameter"].title
    ('none', 'the way from a parameter to the loss is cut')
    """

    name: str
    symptom: str
    title: str
    diff: str

    @property
    def mistake(self) -> str:
        """The program with the mistake."""
        return self._without("+")

    @property
    def mend(self) -> str:
        """The corrected program."""
        return self._without("-")

    def _without(self, mark: str) -> str:
        return "\n".join(line[2:] for line in self.diff.splitlines() if not line.startswith(mark))


KINDS: dict[str, Kind] = {}
FINDERS: list[Callable[[Any], Iterator["Finding"]]] = []


def kind(name: str, symptom: str, title: str, diff: str) -> Kind:
    """Registers a kind of mistake."""
    KINDS[name] = Kind(name, symptom, title, diff.strip("\n"))
    return KINDS[name]


def finder(function: Callable[..., Any]) -> Callable[..., Any]:
    """Registers a function that searches the evidence for some kinds of mistakes."""
    FINDERS.append(function)
    return function


@dataclass(frozen=True)
class Line:
    """A line of the user's program.

    >>> from rushlight.explain import Line
    >>> print(Line("train.py", 7, "loss.backward()"))
    train.py:7
    """

    file: str
    number: int
    source: str

    def __str__(self) -> str:
        return f"{self.file}:{self.number}"


def line_at(site: Any) -> Line | None:
    """The line of a site."""
    return None if site is None else Line(site.file, site.line, site.source)


@dataclass
class Finding:
    """One cause: its kind, the line to look at, what happened, why it matters, and what to do.

    `related` are other lines involved, each with a word for its role; `evidence` the numbers that support the finding.

    >>> import rushlight as torch
    >>> with torch.autograd.explain(file=False) as why:
    ...     torch.tensor([1.0, 0.0], requires_grad=True).log().sum().backward()
    >>> finding = why.findings[0]
    >>> finding.kind.name, finding.what
    ('first-bad-value', 'log() gives an infinity here (there is a zero among its operands)')
    """

    kind: Kind
    line: Line | None
    what: str
    why: str
    do: str
    related: list[tuple[str, Line]] = field(default_factory=list)
    evidence: dict[str, Any] = field(default_factory=dict)
    weight: float = 0.0  # the greater, the more likely the cause of the symptom

    @property
    def symptom(self) -> str:
        """The symptom: an error, a gradient that is None, NaN, zero or wrong, or growing memory."""
        return self.kind.symptom

    @property
    def lines(self) -> list[Line]:
        """The line to look at, followed by the related ones."""
        return [] if self.line is None else [self.line, *(line for _, line in self.related)]

    def __str__(self) -> str:
        return ABOVE.as_text(self)


def found(
    kind: Kind, site: Any, what: str, why: str, do: str, *related: Any, weight: float = 0.0, **evidence: Any
) -> Finding:
    """A finding at a site; `related` are pairs of a word and a site."""
    lines: list[tuple[str, Line]] = []
    for word, place in related:
        line = line_at(place)
        if line is not None and line != line_at(site) and line not in [known for _, known in lines]:
            lines.append((word, line))
    return Finding(kind, line_at(site), what, why, do, lines, evidence, weight)
