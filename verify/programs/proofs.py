"""Differences of gradients that the numbers themselves explain: slopes that are PyTorch's mistake, and zeros.

A gradient in a program is that of some expression with respect to some variables. Where rushlight's is the slope of the
expression by central differences and PyTorch's is not, PyTorch is wrong. And where one library finds that nothing
depends on a variable, but the other that it does with a gradient of zero, both say the same.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch

import rushlight
from verify.compare import array
from verify.programs.writer import run

VARIABLES = r"(\[[\w, ]*\]|\[t for [^\]]*\]|[xwbs])"
ONES = r"torch\.ones_like\(\w+\)"
COTANGENTS = rf"(?:, {ONES}|, \[{ONES}(?:, {ONES})*\])?"
GRADIENT = re.compile(rf"^(\w+) = torch\.autograd\.grad\((.*), {VARIABLES}{COTANGENTS}(?:, \w+=\w+)*\)$", re.DOTALL)
PASS = re.compile(r"^(?:torch\.autograd\.backward\((\[.*?\])|(\S.*)\.backward\().*\)$")
STEP = 1e-5
ZERO = 1e-12


class Slope(NamedTuple):
    """What a gradient is the slope of: expressions, each after some lines of a program; and in which variable."""

    targets: list[tuple[int, str]]
    variable: str


def variables_of(text: str, space: dict) -> list[str]:
    """The names in a list of variables, or of those that require grad: `[t for t in (x, w) if t.requires_grad]`."""
    if " for " not in text:
        return re.findall(r"\w+", text)
    names = re.search(r"in \(([^)]*)\)", text)[1]
    return [name for name in re.findall(r"\w+", names) if space[name].requires_grad]


def slope_of(lines: list[str], errors: list[str], difference: str, space: dict) -> Slope | None:
    """What the gradient that differs is the slope of. The cotangents of passes are taken for ones."""
    gradient = re.match(r"(\w+)\[(\d+)\]: values", difference)
    if gradient:
        for i, line in enumerate(lines):
            found = GRADIENT.match(line)
            if found and found[1] == gradient[1]:
                return Slope([(i, sum_of(found[2]))], variables_of(found[3], space)[int(gradient[2])])
    leaf = re.match(r"(\w+)\.grad: values", difference)
    passes = [(i, PASS.match(line)) for i, line in enumerate(lines) if not errors[i]]
    sums = [(i, sum_of(found[1] or found[2])) for i, found in passes if found]
    return Slope(sums, leaf[1]) if leaf and sums else None


def sum_of(outputs: str) -> str:
    """The sum of all numbers in what a pass begins with: a tensor, or a list of them."""
    return f"sum(t.sum() for t in {outputs})" if outputs.startswith("[") else f"({outputs}).sum()"


def moved(library, lines: list[str], variable: str, change: Callable) -> dict:
    """The variables of a library after a program in which one is changed when it is made."""
    space = {"torch": library}
    for line in lines:
        run(line, space)
        if re.match(rf"{variable} = ", line) and isinstance(space.get(variable), library.Tensor):
            with library.no_grad():
                change(space[variable])
    return space


def slopes(library, lines: list[str], slope: Slope, shape: tuple) -> np.ndarray:
    """The slopes in each element of the variable, by central differences."""
    found = np.zeros(shape)
    for place in np.ndindex(shape):
        sides = []
        for step in (STEP, -STEP):

            def change(tensor, step=step, place=place):
                tensor[place] += step

            spaces = [moved(library, lines[:i], slope.variable, change) for i, _ in slope.targets]
            pairs = zip(slope.targets, spaces, strict=True)
            sides.append(sum(float(eval(target, space)) for (_, target), space in pairs))
        found[place] = (sides[0] - sides[1]) / (2 * STEP)
    return found


def near(one: np.ndarray, other: np.ndarray, tolerance: float) -> bool:
    """Whether numbers agree up to a part of the largest; nan agrees with nan."""
    scale = np.abs(other[np.isfinite(other)]).max(initial=1)
    return np.allclose(one, other, rtol=0, atol=tolerance * scale, equal_nan=True)


def is_right(lines: list[str], difference: str) -> bool:
    """Whether a gradient that differs is the slope in rushlight, and is not in PyTorch."""
    ours, theirs = {"torch": rushlight}, {"torch": torch}
    errors = [run(line, ours) or run(line, theirs) for line in lines]
    slope = slope_of(lines, errors, difference, theirs)
    if slope is None or not theirs[slope.variable].is_leaf:
        return False
    place = difference.partition(":")[0]
    mine, other = (array(eval(place, space)) for space in (ours, theirs))
    if mine.dtype != np.float64:
        return False
    try:
        right = slopes(rushlight, lines, slope, mine.shape)
    except Exception:
        return False
    return near(mine, right, 1e-5) and not near(other, right, 1e-4)


def are_right(lines: list[str], differences: list[str]) -> bool:
    """Whether gradients that differ are right in rushlight only, and all else that differs was computed from them."""
    names = [re.split(r"\W", difference)[0] for difference in differences]
    gradients = [i for i, text in enumerate(differences) if re.match(r"\w+(\[\d+\]|\.grad): values", text)]
    wrong = {names[i] for i in gradients}
    for line in lines:
        made = re.match(r"(\w+) = (.*)", line)
        if made and wrong.intersection(re.findall(r"\w+", made[2])):
            wrong.add(made[1])
    return wrong.issuperset(names) and all(is_right(lines, differences[i]) for i in gradients)


def all_zero(gradients) -> bool:
    """Whether gradients are all zero up to rounding, or absent."""
    return all(g is None or not bool((g.detach().abs() > ZERO).any()) for g in gradients)


def is_constant(lines: list[str], difference: str) -> bool:
    """Whether one library has gradients, all of them zero, where the other finds that nothing depends on anything."""
    raised = re.match(r"(\w+) = torch\.autograd\.grad\(.*\nraises (\w+), on PyTorch (\w+)$", difference, re.DOTALL)
    if raised and {raised[2], raised[3]} == {"nothing", "RuntimeError"}:
        library = torch if raised[3] == "nothing" else rushlight
        return all_zero(moved(library, lines, "", lambda _: None)[raised[1]])
    present = re.match(r"(\w+)\[(\d+)\]: (?:value 'tensor.*PyTorch's None|(kind NoneType).*)$", difference, re.DOTALL)
    if present:
        library = torch if present[3] else rushlight
        return all_zero([moved(library, lines, "", lambda _: None)[present[1]][int(present[2])]])
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
