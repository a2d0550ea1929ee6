"""Constants that a compiled file repeats, to have them as C constants, agree with the file that they are from."""

import re
from pathlib import Path

import pytest

import rushlight

PACKAGE = Path(rushlight.__file__).parent
KINDS = "SUM NUMBERS PRODUCT LARGEST SMALLEST SQUARES SIZES".split()
REPEATED = [  # where they are from, where they stand again, which; (a, b): by which names
    ("core/tracing.py", "core/formulas.pyx", ["MOST_STEPS"]),
    ("compiler/allocation.py", "kernels/compiled/groups.pyx", ["ALIGNMENT"]),
    ("kernels/reductions.py", "kernels/compiled/reductions.pyx", KINDS),
    ("layouts.py", "kernels/compiled/walker.pyx", ["MOST_DIMS"]),
    ("layouts.py", "kernels/compiled/windows.pyx", ["MOST_DIMS"]),
]


def declared(file: str) -> dict[str, int]:
    """The numbers that a file gives names to, alone or several in a line, in a module or an enumeration."""
    found: dict[str, int] = {}
    for names, numbers in re.findall(
        r"^ *((?:[A-Z]\w*, )*[A-Z]\w*) = ([\d,]+(?: [\d,]+)*|range\(\d+\)|1 << \d+) *(?:#.*)?$",
        (PACKAGE / file).read_text("utf-8"),
        re.MULTILINE,
    ):
        value = eval(numbers)
        parts = names.split(", ")
        found |= zip(parts, [value] if len(parts) == 1 else value, strict=True)
    return found


@pytest.mark.parametrize(("source", "copy", "names"), REPEATED)
def test_a_repeated_constant_is_the_same(source, copy, names):
    pairs = [name if isinstance(name, tuple) else (name, name) for name in names]
    ours, theirs = declared(source), declared(copy)
    assert {a: ours[a] for a, _ in pairs} == {a: theirs[b] for a, b in pairs}
