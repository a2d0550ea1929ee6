"""A finished program: run on both libraries, compared, and shortened as long as the difference remains."""

import textwrap
from dataclasses import dataclass

import torch

import rushlight
from verify.compare import differences
from verify.explained import CONSTANT, DIGITS, ROUNDING, SLOPE, reason, without_blamed
from verify.libraries import LIBRARIES
from verify.programs.mended import Mended
from verify.programs.proofs import are_right, is_constant
from verify.programs.rounding import is_rounding
from verify.programs.steps import agree
from verify.programs.writer import run


@dataclass
class Difference:
    """What a program does otherwise than on PyTorch: its kind (a few words), and all of it."""

    kind: str
    text: str


def compare(lines: list[str], space: dict | None = None, errors: list[str] | None = None) -> list[Difference]:
    """Runs a program on rushlight, and on PyTorch where its variables and errors there are not given.

    An exception that differs is the only difference: what comes after it means nothing.
    """
    if space is None:
        space = {"torch": torch}
        errors = [run(line, space) for line in lines]
    rushlight.set_default_dtype(rushlight.float32)  # a program that ends early leaves its own
    ours = {"torch": rushlight}
    for line, theirs in zip(lines, errors, strict=True):
        mine = run(line, ours)
        if mine != theirs:
            said = f"raises {mine or 'nothing'}, on PyTorch {theirs or 'nothing'}"
            return [Difference(said, f"{line}\n{said}")]
    return [
        Difference(text.partition(": ")[2].split()[0], text)
        for name, value in space.items()
        if name != "torch" and not name.startswith("__")
        for text in differences(ours[name], value, name, LIBRARIES)
    ]


def judged(lines: list[str], found: list[Difference]) -> tuple[Difference | None, str]:
    """The first difference of a program for which there is no reason; where there is none, a reason of the others."""
    why = [reason("programs", difference.text, lines) for difference in found]
    if all(why):
        return None, why[0] if why else ""
    with Mended() as mended:
        space = {"torch": torch}
        errors = [run(line, space) for line in lines]
    left = compare(lines, space, errors)
    why = [reason("programs", difference.text, lines) for difference in left]
    reasons = mended.reasons + mended.rest + why
    if reasons and all(why):
        return None, reasons[0]
    left = [difference for difference, known in zip(left, why, strict=True) if not known] or found
    if all(is_constant(lines, difference.text) for difference in left):
        return None, CONSTANT
    if are_right(lines, [difference.text for difference in left]):
        return None, SLOPE
    others, blame = without_blamed(lines)
    if blame and judged(others, compare(others))[0] is None:
        return None, blame
    if all(difference.kind in ("values", "number") for difference in left) and is_rounding(lines):
        return None, ROUNDING
    with Mended():
        return (None, DIGITS) if agree(lines) else (left[0], "")


def shortened(lines: list[str], difference: Difference) -> tuple[list[str], Difference]:
    """A program without the lines that it does not need to differ in the same way, and how it differs."""
    i = len(lines)
    while i := i - 1:
        fewer = lines[:i] + lines[i + 1 :]
        found, _ = judged(fewer, compare(fewer))
        if found is not None and found.kind == difference.kind:
            lines, difference = fewer, found
            i = min(i + 1, len(lines))
    return lines, difference


def script(lines: list[str], difference: Difference, title: str) -> str:
    """A program to be run by itself."""
    space = {"torch": torch}
    written = [f"# {title}", "import contextlib", "", "import rushlight as torch  # or: import torch", ""]
    for line in lines:
        if run(line, space):
            line = "with contextlib.suppress(Exception):\n" + textwrap.indent(line, "    ")
        written.append(line)
    return "\n".join([*written, textwrap.indent(difference.text, "# ")])
