"""One explanation: watches the program while it runs, then searches the evidence."""

import sys
from contextlib import ExitStack
from types import TracebackType
from typing import Any

from rushlight.core.above import ABOVE
from rushlight.core.graph import watch_changes
from rushlight.core.interpreters import STACK
from rushlight.core.lines import HERE, user_traces
from rushlight.explain import page as pages
from rushlight.explain import text
from rushlight.explain.finding import FINDERS, SYMPTOMS, Finding
from rushlight.explain.ledger import Ledger
from rushlight.explain.names import Names
from rushlight.explain.observer import Watch
from rushlight.explain.readings import Readings
from rushlight.explain.sites import Site


class explain:
    """Finds out, inside, why a gradient is missing, zero, NaN, stale or wrong; says nothing if all is well.

    On leaving, the findings are written to `file` (default: standard error) as text, and to `page`, a path, as an HTML
    page; with `file=False` no text is written. `findings` has them as objects: each gives its kind, the line to look
    at, what happened, why, and what to do. An exception is explained and propagates. RuntimeError if another
    explanation is running. It slows the program down: use it for debugging only.

    >>> import rushlight as torch
    >>> w = torch.ones(2, requires_grad=True)
    >>> with torch.autograd.explain(file=False) as why:
    ...     loss = (w.detach() * 2).sum()
    ...     try:
    ...         loss.backward()
    ...     except RuntimeError as error:
    ...         why.take(error)
    >>> [finding.kind.name for finding in why.findings]
    ['cut-off']
    """

    under_way: "explain | None" = None

    def __init__(self, *, file: Any = None, page: str | None = None):
        self.file = file
        self.page = page
        self.findings: list[Finding] = []
        self.ledger: Ledger = Ledger()
        self.readings: Readings = Readings()
        self.watch: Watch = Watch(self.ledger, self.readings)
        self.readings.sites, self.readings.here = self.watch.sites, self.watch.here
        self.ledger.readings, self.readings.ways = self.readings, self.ledger.ways
        self.ledger.watch = self.watch
        self.ledger.pictures = page is not None
        self.errors: list[tuple[BaseException, Site]] = []
        self.checked: dict[Any, Any] = {}  # results of checks, by what was checked
        self.names: Names = Names()
        self.stack: ExitStack | None = None

    def __enter__(self) -> "explain":
        if explain.under_way is not None:
            raise RuntimeError("An explanation is under way already: leave its context before another one is entered.")
        explain.under_way = self
        self.stack = ABOVE.tap(self.watch)
        self.watched: bool = watch_changes(True)
        STACK.enter(self.watch)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        STACK.leave(self.watch)
        watch_changes(self.watched)
        explain.under_way = None
        if self.stack is not None:
            self.stack.close()
        if isinstance(error, Exception):
            self.take(error)
        self.names.learn(sys._getframe(1), error, self.readings)
        self.conclude()
        self.write()

    def take(self, error: Exception) -> None:
        """Records an error that the program raised."""
        site = None
        for trace in user_traces(error):
            site = self.watch.sites.at(trace.tb_frame.f_code, trace.tb_lasti)
        if site is not None and all(known is not error for known, _ in self.errors):
            self.errors.append((error, site))
            self.names.learn(None, error, self.readings)
            self.conclude()

    def conclude(self) -> None:
        """Searches the evidence: one finding for each cause, the most likely first."""
        every: list[Finding] = []
        for find in FINDERS:
            try:
                every += find(self)
            except Exception as error:
                self.watch.troubles.append(error)
        best: dict[tuple[Any, ...], Finding] = {}
        for one in sorted(every, key=rank):
            if one.line is not None and one.line.file.startswith(HERE):
                continue  # rushlight's own programs
            best.setdefault((one.kind.name, str(one.line)), one)
        self.findings = without_effects(list(best.values()))

    def write(self) -> None:
        """Writes the findings."""
        if self.findings and self.file is not False:
            print(text.report(self.findings), file=self.file or sys.stderr)
        if self.page is not None:
            with open(self.page, "w", encoding="utf-8") as file:
                file.write(pages.page(self))


def rank(finding: Finding) -> tuple[Any, ...]:
    """The sort key of findings: first what stops the program, then what makes all values bad, then by weight."""
    return (SYMPTOMS.index(finding.symptom) if finding.symptom in ("error", "nan") else 2, -finding.weight)


def without_effects(findings: list[Finding]) -> list[Finding]:
    """Drops findings that only follow from an earlier one: after an error or a NaN other evidence is unreliable."""
    first = findings[0].symptom if findings else ""
    if first in ("error", "nan"):
        return [one for one in findings if one.symptom == first or one.weight >= 5][:3]
    return findings
