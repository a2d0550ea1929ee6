"""The numbers of checks and of their outcomes, and the table of these numbers."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.table import markdown, write_page

PAGE = Path(__file__).parent.parent / "docs" / "reliability.md"
HEADS = ["what", "checked", "as expected", "explained", "unexplained"]


@dataclass
class Figure:
    """A row of the table. Each thing that is checked comes out as expected, or with an explanation, or without one."""

    what: str
    checked: int = 0
    explained: Counter[str] = field(default_factory=Counter)
    unexplained: list[str] = field(default_factory=list)

    @property
    def expected(self) -> int:
        """How many came out as expected."""
        return self.checked - self.explained.total() - len(self.unexplained)

    def cells(self) -> list[str]:
        """The row's cells."""
        numbers = (self.checked, self.expected, self.explained.total(), len(self.unexplained))
        return [self.what, *(f"{number:,}" for number in numbers)]


def table(figures: Iterable[Figure]) -> str:
    """The figures as a table in Markdown, and how often each explanation was needed."""
    figures = list(figures)
    reasons = sum((figure.explained for figure in figures), Counter())
    lines = [f"- {number:,} explained: {reason}" for reason, number in reasons.most_common()]
    return "\n".join([markdown(HEADS, [figure.cells() for figure in figures]), *([""] if lines else []), *lines])


def write(part: str, command: str, text: str, page: Path = PAGE) -> None:
    """Puts the table of a part, under the command that gives it, between the part's two comments in a page."""
    write_page(part, f"    {command}\n\n{text}", page)
