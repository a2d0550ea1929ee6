"""Programs with one classic mistake each: cause, line and remedy are named. Sound ones that look like them: silence."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest
from explain.programs import explained

CORPUS = Path(__file__).with_name("corpus")


class Program(NamedTuple):
    """A program; what is to be found in it (or may be: kinds with a stroke between), at which lines, and a pattern for
    the remedy.
    """

    name: str
    source: str
    kind: str = ""
    remedy: str = ""
    lines: frozenset[int] = frozenset()


def programs(file: str) -> list[Program]:
    """The programs of a file: a head `== name: kind / remedy` each; lines that will do are marked `# !`."""
    found = []
    for part in re.split(r"^== ", (CORPUS / file).read_text(), flags=re.MULTILINE)[1:]:
        head, source = part.split("\n", 1)
        name, _, expected = head.partition(": ")
        kind, _, remedy = expected.partition(" / ")
        source = source.strip("\n")
        lines = frozenset(i for i, line in enumerate(source.split("\n"), 1) if line.endswith("# !"))
        found.append(Program(name, source, kind, remedy, lines))
    return found


MISTAKES = [
    one
    for name in "errors values gradients wrong typical lines fresh partial unseen".split()
    for one in programs(f"{name}.txt")
]
SOUND = [one for name in ("", "typical_", "fresh_", "partial_", "unseen_") for one in programs(f"{name}sound.txt")]


@pytest.mark.parametrize("program", MISTAKES, ids=lambda program: program.name)
def test_cause_line_and_remedy(program):
    why, _ = explained(program.source, program.name)
    assert why.findings
    first = why.findings[0]
    told = "\n\n".join(map(str, why.findings))
    assert first.kind.name in program.kind.split("|"), told
    assert first.line.number in program.lines, told
    assert re.search(program.remedy, first.do), told


@pytest.mark.parametrize("program", SOUND, ids=lambda program: program.name)
def test_sound_program_is_silent(program):
    if "bfloat16" in program.source:
        pytest.importorskip("ml_dtypes")
    why, error = explained(program.source, program.name)
    assert error is None
    assert not why.findings, "\n\n".join(map(str, why.findings))


def test_enough_programs():
    assert len(MISTAKES) >= 60
    assert len(SOUND) >= 30
