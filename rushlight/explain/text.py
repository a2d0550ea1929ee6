"""Findings as text for a terminal."""

import os
import textwrap

from rushlight.core.above import above
from rushlight.explain.finding import Finding, Line

WIDTH = 100
NAMES = {
    "error": "an error",
    "nan": "NaN or infinity",
    "none": "no gradient",
    "zero": "gradients of zero",
    "wrong": "silently wrong",
    "memory": "memory",
}


@above
def as_text(finding: Finding) -> str:
    """One finding as text: the line, what happened, why, and what to do."""
    head = f"{finding.what} [{finding.kind.name}]"
    parts = [textwrap.fill(head, WIDTH)]
    if finding.line is not None:
        parts.append(line_with_text(finding.line, "-->"))
    parts += [line_with_text(line, f"{word}:") for word, line in finding.related]
    parts += [paragraph("why", finding.why), paragraph("do", finding.do)]
    return "\n".join(parts)


def paragraph(label: str, words: str) -> str:
    """A labelled paragraph."""
    return textwrap.fill(words, WIDTH, initial_indent=f"  {label + ':':<5}", subsequent_indent="       ")


def line_with_text(line: Line, word: str) -> str:
    """A line of the program, with its text."""
    file = (
        os.path.relpath(line.file)
        if os.path.isabs(line.file) and len(os.path.relpath(line.file)) < len(line.file)
        else line.file
    )
    return f"  {word} {file}:{line.number}" + (f"\n       | {line.source}" if line.source else "")


def report(findings: list[Finding]) -> str:
    """All findings as text, the most likely first; "" if there are none."""
    if not findings:
        return ""
    n = len(findings)
    head = f"rushlight explains: {n} finding{'s' if n > 1 else ''}"
    return "\n\n".join([head, *(f"{i}. {as_text(one)}" for i, one in enumerate(findings, 1))]) + "\n"
