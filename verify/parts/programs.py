"""Random programs, run on rushlight and on PyTorch: values, gradients, versions, strides, nodes, exceptions.

They run in separate processes, since some of them crash PyTorch.
"""

import argparse
import warnings
from collections import Counter
from typing import NamedTuple

import torch
from tqdm import tqdm

from verify.explained import ENDED
from verify.figures import Figure
from verify.isolation import Ended, results
from verify.programs.generators import GENERATORS
from verify.programs.program import Difference, compare, judged, script, shortened
from verify.programs.writer import Writer

SHORTENED = 5  # differences of a kind that are made short and printed; of others the program's name


def options(parser: argparse.ArgumentParser) -> None:
    """What can be chosen."""
    parser.add_argument("--count", type=int, default=100_000, help="programs in all (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="what they are drawn by (default: %(default)s)")
    parser.add_argument("--start", type=int, default=0, help="the number of the first (default: %(default)s)")
    parser.add_argument("--only", default="", metavar="WORD", help="only the kinds of programs with this word")


class Program(NamedTuple):
    """A program: its kind, and the name that it is drawn by."""

    kind: str
    name: str

    def written(self) -> Writer:
        """Its lines, run on PyTorch."""
        writer = Writer(self.name)
        GENERATORS[self.kind].write(writer)
        return writer


def check(program: Program) -> tuple[Difference | None, str]:
    """What a program does otherwise than on PyTorch without a reason, or the reason; neither where nothing differs."""
    writer = program.written()
    found = compare(writer.lines, writer.space, writer.errors)
    return judged(writer.lines, found) if found else (None, "")


def short(program: Program, title: str) -> str:
    """A program that differs, as a script with the lines that it needs."""
    lines = program.written().lines
    difference, _ = judged(lines, compare(lines))
    return title if difference is None else script(*shortened(lines, difference), title)


def alone(work, default: str) -> str:
    """What a function gives in a process of its own."""
    (result,) = results(lambda _: work(), [None])
    return default if isinstance(result, Ended) else result


def is_ended_by_pytorch(program: Program) -> bool:
    """Whether a program ends its process where it runs on PyTorch alone."""
    return alone(lambda: program.written().lines[0], "") == ""


def note(program: Program, result, figure: Figure, seen: Counter) -> None:
    """Counts how a program came out."""
    figure.checked += 1
    title = f"program {program.name} ({program.kind}): "
    if isinstance(result, Ended):
        title += f"the process ends by {result.how}"
        if is_ended_by_pytorch(program):
            tqdm.write(f"{title}, of PyTorch alone")
            figure.explained[ENDED] += 1
        else:
            figure.unexplained.append(title)
        return
    difference, why = result
    if difference is not None:
        seen[difference.kind] += 1
        title += difference.kind
        tqdm.write(title)
        few = seen[difference.kind] <= SHORTENED
        figure.unexplained.append(alone(lambda: short(program, title), title) if few else title)
    elif why:
        figure.explained[why] += 1


def run(arguments: argparse.Namespace) -> list[Figure]:
    """Runs the programs, the kinds in turns."""
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    kinds = list(GENERATORS)
    figures = {kind: Figure(kind) for kind in kinds if arguments.only in kind}
    seen = {kind: Counter() for kind in figures}
    numbers = range(arguments.start, arguments.start + arguments.count)
    programs = [Program(kinds[number % len(kinds)], f"{arguments.seed}-{number}") for number in numbers]
    programs = [program for program in programs if program.kind in figures]
    with tqdm(programs, unit="program", mininterval=1) as progress:
        for program, result in zip(progress, results(check, programs), strict=True):
            note(program, result, figures[program.kind], seen[program.kind])
            progress.set_postfix(unexplained=sum(len(f.unexplained) for f in figures.values()), refresh=False)
    return list(figures.values())
