"""Differences of gradients that the numbers themselves explain: slopes that are PyTorch's mistake, and zeros.

A gradient in a program is that of some expression with respect to some variables. Where rushlight's is the slope of the
expression by central differences and PyTorch's is not, PyTorch is wrong. And where one library finds that nothing
depends on a variable, but the other that it does with a gradient of zero, both say the same.
"""

import re
from collections.abc import Callable

import numpy as np
import torch

import rushlight
from verify.compare import array
from verify.programs.writer import run

GRADIENT = re.compile(r"^(\w+) = torch\.autograd\.grad\((.*), (\[[^\]]*\])(?:, \w+=\w+)*\)$", re.DOTALL)
STEP = 1e-5


def gradient_line(lines: list[str], name: str) -> tuple[int, str, str] | None:
    """The line in which a variable gets gradients, what is differentiated there, and with respect to what."""
    for i, line in enumerate(lines):
        found = GRADIENT.match(line)
        if found and found[1] == name:
            return i, found[2], found[3]
    return None


def moved(library, lines: list[str], variable: str, change: Callable) -> dict:
    """The variables of a library after a program in which one is changed when it is made."""
    space = {"torch": library}
    for line in lines:
        run(line, space)
        if re.match(rf"{variable} = ", line) and isinstance(space.get(variable), library.Tensor):
            with library.no_grad():
                change(space[variable])
    return space


def slopes(library, lines: list[str], target: str, variable: str, shape: tuple) -> np.ndarray:
    """The slopes of an expression after some lines in each element of a variable, by central differences."""
    found = np.zeros(shape)
    for place in np.ndindex(shape):
        sides = []
        for step in (STEP, -STEP):

            def change(tensor, step=step, place=place):
                tensor[place] += step

            space = moved(library, lines, variable, change)
            sides.append(float(eval(target, space)))
        found[place] = (sides[0] - sides[1]) / (2 * STEP)
    return found


def is_right(lines: list[str], difference: str) -> bool:
    """Whether a gradient that differs is the slope in rushlight, and is not in PyTorch."""
    place = re.match(r"(\w+)\[(\d+)\]: values", difference)
    found = place and gradient_line(lines, place[1])
    if not found:
        return False
    i, target, variables = found
    ours, theirs = (moved(library, lines, "", lambda _: None) for library in (rushlight, torch))
    mine, other = (array(space[place[1]][int(place[2])]) for space in (ours, theirs))
    names = re.findall(r"\w+", variables if " for " not in variables else wanted(variables))
    names = [name for name in names if " for " not in variables or theirs[name].requires_grad]
    variable = names[int(place[2])]
    if mine.dtype != np.float64 or not theirs[variable].is_leaf:
        return False
    try:
        slope = slopes(rushlight, lines[:i], target, variable, mine.shape)
    except Exception:
        return False
    scale = max(np.abs(slope).max(initial=0), 1)
    return bool(np.abs(mine - slope).max() < 1e-5 * scale < 1e-4 * scale < np.abs(other - slope).max())


def wanted(variables: str) -> str:
    """The variables among which those are taken that require grad: `(x, w)` of `[t for t in (x, w) if ...]`."""
    return re.search(r"in \(([^)]*)\)", variables)[1]


def all_zero(gradients) -> bool:
    """Whether gradients are all zero, or absent."""
    return all(g is None or not bool((g != 0).any()) for g in gradients)


def is_constant(lines: list[str], difference: str) -> bool:
    """Whether one library has gradients, all of them zero, where the other finds that nothing depends on anything."""
    raised = re.match(r"(\w+) = torch\.autograd\.grad\(.*\nraises (\w+), on PyTorch (\w+)$", difference, re.DOTALL)
    if raised and {raised[2], raised[3]} == {"nothing", "RuntimeError"}:
        library = torch if raised[3] == "nothing" else rushlight
        return all_zero(moved(library, lines, "", lambda _: None)[raised[1]])
    present = re.match(r"(\w+)\[(\d+)\]: value 'tensor.*PyTorch's None$", difference, re.DOTALL)
    if present:
        return all_zero([moved(rushlight, lines, "", lambda _: None)[present[1]][int(present[2])]])
    tied = re.match(r"(\w+)((?:\[\d+\])*): (?:requires_grad (\w+)|leaf (\w+)|node '(\w*)')", difference)
    if not tied:
        return False
    library = rushlight if tied[3] == "True" or tied[4] == "False" or tied[5] else torch
    made = max((i + 1 for i, line in enumerate(lines) if line.startswith(f"{tied[1]} = ")), default=len(lines))
    space = moved(library, lines[:made], "", lambda _: None)  # later lines may free its graph
    value = eval(tied[1] + tied[2], space)
    leaves = [v for v in space.values() if isinstance(v, library.Tensor) and v.is_leaf and v.requires_grad]
    if not leaves or not value.requires_grad:
        return not leaves and "functional." in "".join(lines)  # with create_graph; nothing can be asked for
    return all_zero(library.autograd.grad((value.abs() ** 2).sum(), leaves, allow_unused=True))
