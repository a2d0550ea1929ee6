"""Every operator of PyTorch's database that rushlight has, in every kind of check, compared with PyTorch.

If derivatives differ, central differences decide which library is right.
"""

import argparse

import torch
from tqdm import tqdm

import rushlight
from verify.explained import ROUNDING, reason
from verify.figures import Figure
from verify.operators.cases import Case, operators
from verify.operators.kinds import KINDS
from verify.operators.outcome import difference, outcome
from verify.operators.rounding import is_rounding

RIGHT = (
    "PyTorch is wrong, or cannot: central differences, or a loop, give what rushlight does (docs/pytorch-mistakes.md)"
)


def options(parser: argparse.ArgumentParser) -> None:
    """What can be chosen."""
    parser.add_argument("--only", default="", metavar="WORD", help="only operators whose names contain this word")
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS), help="only these kinds of use")
    parser.add_argument("--samples", type=int, default=2, help="samples of an operator and type (default: %(default)s)")


def is_right(kind, case: Case) -> bool:
    """Whether central differences, or a loop over a batch, give what rushlight does."""
    return hasattr(kind, "right") and outcome(kind.right, case, rushlight) is True


def check(kind, case: Case, figure: Figure) -> None:
    """Uses an operator in both libraries, and notes how it came out."""
    figure.checked += 1
    ours, theirs = outcome(kind.use, case, rushlight), outcome(kind.use, case, torch)
    found = difference(ours, theirs)
    if not found:
        return
    text = f"{kind.TITLE}: {case}"
    why = reason("operators", found, [text]) or (getattr(kind, "WHY", RIGHT) if is_right(kind, case) else "")
    if why := why or (ROUNDING if is_rounding(kind, case, ours, theirs) else ""):
        figure.explained[why] += 1
    else:
        figure.unexplained.append(f"{text}\n{found}")


def run(arguments: argparse.Namespace) -> list[Figure]:
    """Checks operator after operator."""
    torch.set_num_threads(1)
    figures = {name: Figure(KINDS[name].TITLE) for name in arguments.kinds}
    with tqdm(operators(arguments.only), unit="operator", mininterval=1) as progress:
        for op in progress:
            for name, figure in figures.items():
                for case in KINDS[name].cases(op, arguments.samples):
                    check(KINDS[name], case, figure)
            progress.set_postfix(last=op.full_name, unexplained=sum(len(f.unexplained) for f in figures.values()))
    return list(figures.values())
