"""Every overload that PyTorch's stubs declare: arguments by position, by name, optional ones, tensors for numbers."""

import argparse
from collections.abc import Iterator
from typing import Any

import torch
from tqdm import tqdm

import rushlight
from verify.conventions.arguments import Fitting, accepted, fitting
from verify.conventions.overloads import UNKNOWN, Overload, overloads
from verify.explained import reason
from verify.figures import Figure
from verify.operators.cases import UNSET, Case, Side
from verify.operators.names import function_of
from verify.operators.outcome import difference, outcome

FORMS = ("by position", "by name", "optional arguments", "tensors for numbers")


def options(parser: argparse.ArgumentParser) -> None:
    """What can be chosen."""
    parser.add_argument("--only", default="", metavar="WORD", help="only functions whose names contain this word")
    parser.add_argument("--show", action="store_true", help="print the overloads that no arguments were found for")


def is_here(overload: Overload) -> bool:
    """Whether rushlight has a function that PyTorch has too."""
    name = f"{overload.home}.{overload.name}" if overload.home else overload.name
    try:
        return all(callable(function_of(library, name)) for library in (rushlight, torch))
    except (AttributeError, NotImplementedError):
        return False


def filled(found: Fitting, last: str, value: Any) -> dict[str, Any] | None:
    """The arguments up to an optional one, whose predecessors have their defaults; None where these are unknown."""
    values = dict(found.given)
    for parameter in found.overload.parameters:
        if parameter.name == last:
            return {**values, last: value}
        if parameter.name not in values:
            if parameter.default is UNKNOWN or not parameter.positional:
                return None
            values[parameter.name] = parameter.default
    return None


def forms(found: Fitting) -> Iterator[tuple[str, Case]]:
    """The ways to give the arguments of an overload that PyTorch takes."""
    yield "by position", found.case(found.given)
    method = found.overload.home == "Tensor"
    for count in range(len(found.given)):
        if count >= method and accepted(case := found.case(found.given, count)):
            yield "by name", case
    for parameter, value in found.extras():
        yield "optional arguments", found.case({**found.given, parameter.name: value})
        values = filled(found, parameter.name, value)
        if parameter.positional and values is not None and accepted(case := found.case(values)):
            yield "optional arguments", case
    yield from (("tensors for numbers", case) for case in found.tensors())


DETERMINED = {"linalg.eig": 0, "linalg.eigh": 0, "linalg.svd": 1}  # of results with signs that are no one's choice


def used(side: Side) -> Any:
    """What of a call's result is the same in both libraries."""
    result, name = side.call(), side.case.name
    if name.rpartition(".")[2] in UNSET:
        return shape(result)
    return result[DETERMINED[name]] if name in DETERMINED else result


def check(what: str, case: Case, figure: Figure) -> None:
    """Makes a call in both libraries, and notes how it came out."""
    figure.checked += 1
    found = difference(outcome(used, case, rushlight), outcome(used, case, torch))
    if not found:
        return
    if why := reason("calls", found, [str(case)]):
        figure.explained[why] += 1
    else:
        figure.unexplained.append(f"{what}: {case}\n{found}")


def shape(tensor: Any) -> tuple:
    """What is sure of a tensor without values."""
    return tuple(tensor.shape), str(tensor.dtype)


def run(arguments: argparse.Namespace) -> list[Figure]:
    """Checks overload after overload."""
    torch.set_num_threads(1)
    figures = {name: Figure(name) for name in FORMS}
    todo = [overload for overload in overloads(arguments.only) if is_here(overload)]
    with tqdm(todo, unit="overload", mininterval=1) as progress:
        for overload in progress:
            found = fitting(overload)
            if found is None:
                if arguments.show:
                    tqdm.write(str(overload))
                continue
            for what, case in forms(found):
                check(what, case, figures[what])
            progress.set_postfix(last=overload.name, unexplained=sum(len(f.unexplained) for f in figures.values()))
    return list(figures.values())
