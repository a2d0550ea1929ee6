"""Wrong, empty and 0-d arguments of operators and modules: the same result as PyTorch's, or the same exception.

Exceptions are the same if their types are equal and their messages begin with the same words, apart from numbers.
"""

import argparse
import re
from collections.abc import Iterator

import torch
from tqdm import tqdm

import rushlight
from verify import modules
from verify.explained import reason
from verify.figures import Figure
from verify.operators import cases as operators
from verify.operators.cases import UNSET, Case, tensors_in
from verify.operators.kinds import gradients
from verify.operators.kinds.layout import lies
from verify.operators.outcome import Raised, difference, outcome

WORDS = 5  # how many words of the messages have to be the same
DEADLY = r"native_batch_norm\(.*float64\[0\]|lu_unpack\(|pdist\(float64\[0|embedding_bag\(.*offsets=int64\[0\]"
DIES = "PyTorch reads memory that is not there, and ends the process"
TYPES = (torch.float64, torch.int64, torch.bool)  # the first that an operator takes is used


def options(parser: argparse.ArgumentParser) -> None:
    """What can be chosen."""
    parser.add_argument("--only", default="", metavar="WORD", help="only names that contain this word")
    parser.add_argument(
        "--samples", type=int, default=4, help="samples of an operator or module (default: %(default)s)"
    )


def emptied(case: Case) -> Iterator[Case]:
    """The call with one of its tensors cut to nothing along one dimension."""
    for k, tensor in enumerate(tensors(case)):
        for dim, size in enumerate(tensor.shape):
            if size:
                yield with_tensor(case, k, tensor.narrow(dim, 0, 0))


def single(case: Case) -> Iterator[Case]:
    """The call with one number, without dimensions, in the place of one of its tensors."""
    for k, tensor in enumerate(tensors(case)):
        if tensor.dim() and tensor.numel():
            yield with_tensor(case, k, tensor.reshape(-1)[0])


def tensors(case: Case) -> list[torch.Tensor]:
    """The tensors among the arguments."""
    return tensors_in([case.args, case.kwargs], torch.Tensor)


def with_tensor(case: Case, place: int, part: torch.Tensor) -> Case:
    """The call with another tensor in one place."""
    given = tensors(case)
    given[place] = part.detach().clone().requires_grad_(given[place].requires_grad)
    return case.but_with(given)


def of_operators(word: str, count: int) -> Iterator[tuple[str, list[Case], list[Case]]]:
    """Of each operator the name, samples, and what it refuses."""
    for op in operators.operators(word):
        dtype = next((dtype for dtype in TYPES if dtype in op.dtypes), None)
        good = []
        if dtype is not None and op.name not in UNSET:
            good = list(operators.samples(op, dtype, count, op.supports_autograd and dtype.is_floating_point))
        yield op.full_name, good, list(operators.wrong(op))


def of_modules(word: str, count: int) -> Iterator[tuple[str, list[Case], list[Case]]]:
    """Of each module the name, samples, and what it refuses."""
    for module in modules.modules(word):
        yield module.name, list(modules.samples(module, count)), list(modules.wrong(module))


def use(side) -> list:
    """Values, how they lie, gradients."""
    result = side.call()
    outs = tensors_in(result, side.library.Tensor)
    found = [gradients.detached(tensors_in(side.case.determined(result), side.library.Tensor))]
    found.append([lies(t, [])[:3] for t in outs])
    return [*found, gradients.use(side)] if side.inputs else found


def check(case: Case, figure: Figure) -> None:
    """Makes a call in both libraries, and notes how it came out."""
    figure.checked += 1
    if re.search(DEADLY, str(case)):
        figure.explained[DIES] += 1
        return
    ours, theirs = outcome(use, case, rushlight), outcome(use, case, torch)
    found = difference(ours, theirs)
    if not found and isinstance(ours, Raised) and not begin_alike(ours, theirs):
        found = f"says {ours}\non PyTorch {theirs}"
    if not found:
        return
    if why := reason("errors", found, [str(case)]):
        figure.explained[why] += 1
    else:
        figure.unexplained.append(f"{figure.what}: {case}\n{found}")


def begin_alike(ours: Raised, theirs: Raised) -> bool:
    """Whether a message begins with the first words of PyTorch's, but for the numbers in them."""
    said = [re.sub(r"\d+", "", error.words.lower()) for error in (theirs, ours)]
    wanted, found = (re.findall(r"[a-z_']+(?:\.[a-z_']+)*", words) for words in said)
    return found[: len(wanted[:WORDS])] == wanted[:WORDS]


def run(arguments: argparse.Namespace) -> list[Figure]:
    """Checks all operators, then all modules."""
    torch.set_num_threads(1)
    figures = []
    for what, sources in (("operators", of_operators), ("modules", of_modules)):
        wrong, empty, numbers = [Figure(f"{what}, {kind}") for kind in ("wrong calls", "sizes of 0", "0-d inputs")]
        figures += [wrong, empty, numbers]
        with tqdm(sources(arguments.only, arguments.samples), unit=what, mininterval=1) as progress:
            for name, good, bad in progress:
                for figure, cases in (
                    (wrong, bad),
                    (empty, (changed for case in good for changed in emptied(case))),
                    (numbers, (changed for case in good for changed in single(case))),
                ):
                    for case in cases:
                        check(case, figure)
                progress.set_postfix(last=name, unexplained=sum(len(f.unexplained) for f in figures))
    return figures
