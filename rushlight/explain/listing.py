"""The list of the kinds of mistakes, each with its example."""

from textwrap import indent

from rushlight.explain.finding import KINDS, SYMPTOMS, Kind
from rushlight.explain.text import NAMES

__all__ = ["KINDS", "listing"]


def listing(names: list[str]) -> str:
    """A line for each kind, or the given kinds with their programs."""
    if names:
        return "\n\n".join(described(KINDS[name]) for name in names)
    width = max(map(len, KINDS))
    parts = []
    for symptom in SYMPTOMS:
        lines = [f"  {kind.name:{width}}  {kind.title}" for kind in KINDS.values() if kind.symptom == symptom]
        parts.append("\n".join([f"{NAMES[symptom]}:", *lines]))
    return "\n\n".join(parts)


def described(kind: Kind) -> str:
    """One kind, as a diff from the mistake (-) to the corrected program (+)."""
    return f"{kind.name} ({NAMES[kind.symptom]}): {kind.title}\n\n{indent(kind.diff, '    ')}"
