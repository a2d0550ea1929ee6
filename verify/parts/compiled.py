"""Random programs as functions that are called again and again: compiled, and as they are."""

import argparse
import warnings
from collections import Counter

import torch
from tqdm import tqdm

from verify.figures import Figure
from verify.programs.generators import GENERATORS
from verify.programs.replayed import outcome
from verify.programs.writer import Writer


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
    for number in tqdm(range(arguments.start, arguments.start + arguments.count), unit="program", mininterval=1):
        kind = kinds[number % len(kinds)]
        figure = figures[kind]
        writer = Writer(f"0-{number}")
        GENERATORS[kind].write(writer)
        lines = [line for line, error in zip(writer.lines, writer.errors, strict=True) if not error]
        figure.checked += 1
        came, difference = outcome(lines, arguments.backend)
        if difference:
            figure.unexplained.append("\n".join([f"# program 0-{number} ({kind})", *lines, f"# {difference}"]))
        elif came == "differs by rounding":
            figure.explained["the program makes much of rounding: it is as sensitive to small disturbances"] += 1
        elif came != "replayed":
            figure.explained["the program runs as it is, and says so"] += 1
            reasons[kind][came] += 1
    for kind, counted in reasons.items() if arguments.reasons else ():
        print("\n".join([kind, *(f"  {count:,} {why}" for why, count in counted.most_common(12))]))
    return list(figures.values())
