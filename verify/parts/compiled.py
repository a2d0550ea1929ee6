"""Random programs as functions that are called several times, compiled and uncompiled.

The programs are generated with PyTorch, which some of them crash, so they run in separate processes.
"""

import argparse
import warnings
from collections import Counter

import torch
from tqdm import tqdm

from verify.explained import ENDED
from verify.figures import Figure
from verify.isolation import Ended, results
from verify.parts.programs import Program, is_ended_by_pytorch
from verify.programs.generators import GENERATORS
from verify.programs.replayed import outcome

SENSITIVE = "the program makes much of rounding: it is as sensitive to small disturbances"
AS_IT_IS = "the program runs as it is, and says so"


def options(parser: argparse.ArgumentParser) -> None:
    """What can be chosen."""
    parser.add_argument("--count", type=int, default=20_000, help="programs in all (default: %(default)s)")
    parser.add_argument("--start", type=int, default=0, help="the number of the first (default: %(default)s)")
    parser.add_argument("--only", default="", metavar="WORD", help="only the kinds of programs with this word")
    parser.add_argument("--backend", default="walker", help="what runs the programs (default: %(default)s)")
    parser.add_argument("--reasons", action="store_true", help="print why programs were not replayed")


def run(arguments: argparse.Namespace) -> list[Figure]:
    """Runs the programs, the kinds in turns. What was not replayed, since it runs as it is, is explained."""
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    kinds = [kind for kind in GENERATORS if arguments.only in kind]
    figures = {kind: Figure(kind) for kind in kinds}
    reasons: dict[str, Counter[str]] = {kind: Counter() for kind in kinds}
    numbers = range(arguments.start, arguments.start + arguments.count)
    programs = [Program(kinds[number % len(kinds)], f"0-{number}") for number in numbers]

    def called(program: Program) -> tuple[str, str, list[str]]:
        writer = program.written()
        lines = [line for line, error in zip(writer.lines, writer.errors, strict=True) if not error]
        return *outcome(lines, arguments.backend), lines

    with tqdm(programs, unit="program", mininterval=1) as progress:
        for program, result in zip(progress, results(called, programs), strict=True):
            note(program, result, figures[program.kind], reasons[program.kind])
    for kind, counted in reasons.items() if arguments.reasons else ():
        print("\n".join([kind, *(f"  {count:,} {why}" for why, count in counted.most_common(12))]))
    return list(figures.values())


def note(program: Program, result: Ended | tuple[str, str, list[str]], figure: Figure, reasons: Counter) -> None:
    """Counts how a program came out."""
    figure.checked += 1
    title = f"# program {program.name} ({program.kind})"
    if isinstance(result, Ended):
        if is_ended_by_pytorch(program):
            figure.explained[ENDED] += 1
        else:
            figure.unexplained.append(f"{title}: the process ends by {result.how}")
        return
    came, difference, lines = result
    if difference:
        figure.unexplained.append("\n".join([title, *lines, f"# {difference}"]))
    elif came == "differs by rounding":
        figure.explained[SENSITIVE] += 1
    elif came != "replayed":
        figure.explained[AS_IT_IS] += 1
        reasons[came] += 1
