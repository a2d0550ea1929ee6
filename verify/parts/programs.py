"""Random programs, run on rushlight and on PyTorch: values, gradients, versions, strides, nodes, exceptions."""

import argparse
import gc
import warnings
from collections import Counter

import torch
from tqdm import tqdm

from verify.figures import Figure
from verify.programs.generators import GENERATORS
from verify.programs.program import compare, judged, script, shortened
from verify.programs.writer import Writer

SHORTENED = 5  # differences of a kind that are made short and printed; of others the program's name


def options(parser: argparse.ArgumentParser) -> None:
    """What can be chosen."""
    parser.add_argument("--count", type=int, default=100_000, help="programs in all (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="what they are drawn by (default: %(default)s)")
    parser.add_argument("--start", type=int, default=0, help="the number of the first (default: %(default)s)")
    parser.add_argument("--only", default="", metavar="WORD", help="only the kinds of programs with this word")


def check(kind: str, name: str, figure: Figure, seen: Counter) -> None:
    """Writes one program, runs it, and notes how it came out."""
    writer = Writer(name)
    GENERATORS[kind].write(writer)
    figure.checked += 1
    found = compare(writer.lines, writer.space, writer.errors)
    if not found:
        return
    difference, why = judged(writer.lines, found)
    if difference is None:
        figure.explained[why] += 1
        return
    seen[difference.kind] += 1
    title = f"program {name} ({kind}): {difference.kind}"
    if seen[difference.kind] > SHORTENED:
        figure.unexplained.append(title)
    else:
        figure.unexplained.append(script(*shortened(writer.lines, difference), title))


def run(arguments: argparse.Namespace) -> list[Figure]:
    """Runs the programs, the kinds in turns."""
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    kinds = list(GENERATORS)
    kind_of = lambda number: kinds[number % len(kinds)]
    figures = {kind: Figure(kind) for kind in kinds if arguments.only in kind}
    seen = {kind: Counter() for kind in figures}
    numbers = range(arguments.start, arguments.start + arguments.count)
    with tqdm([n for n in numbers if kind_of(n) in figures], unit="program", mininterval=1) as progress:
        for number in progress:
            kind = kind_of(number)
            check(kind, f"{arguments.seed}-{number}", figures[kind], seen[kind])
            if number % 2000 == 0:
                gc.collect()
                progress.set_postfix(unexplained=sum(len(f.unexplained) for f in figures.values()))
    return list(figures.values())
