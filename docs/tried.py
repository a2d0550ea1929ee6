"""What wrong calls of a function raise, and what shape it gives, tried out where a docstring does not say it."""

import inspect
import re
import warnings
from collections.abc import Callable, Iterator

import rushlight as torch

ERRORS = re.compile(r"Error|[Rr]aises|refuse")
SHAPES = re.compile(r"\(\w*\*|shape|size|dimension|vector|matri")


class NoTensor:
    """An object that is nothing a function could take."""


def found(value: object, doc: str) -> list[str]:
    """Lines on shapes and errors that the docstring of a function, or of a module that needs no arguments, lacks."""
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        function = called(value)
        if function is None:
            return []
        lines = [] if SHAPES.search(doc) else [*shapes(function)]
        return lines + ([] if ERRORS.search(doc) else [*errors(function)])


def called(value: object) -> Callable | None:
    """What is tried: a function of tensors; None for others, which may change settings."""
    if inspect.isclass(value):
        made = outcome(value) if issubclass(value, torch.nn.Module) else None
        return made.forward if isinstance(made, torch.nn.Module) else None
    names = required(value) if callable(value) else []
    first = inspect.signature(value).parameters[names[0]] if names else None
    return value if first is not None and (first.name == "input" or "Tensor" in str(first.annotation)) else None


def outcome(function: Callable, *arguments: object, **options: object) -> object:
    """What a call gives: its result, or the error that it raises."""
    try:
        return function(*arguments, **options)
    except Exception as error:
        return error


def tensors(count: int, *shape: int) -> list[torch.Tensor]:
    """Some tensors of a shape, of numbers that all functions are defined at."""
    return [torch.full(shape, 0.5) for _ in range(count)]


def required(function: Callable) -> list[str]:
    """The names of the parameters that a call has to give."""
    parameters = inspect.signature(function).parameters.values()
    return [p.name for p in parameters if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]


def shapes(function: Callable) -> Iterator[str]:
    """The shape of the result, where it is that of the operands."""
    names = required(function)
    result = outcome(function, *tensors(len(names), 2, 3)) if 0 < len(names) < 3 else None
    if isinstance(result, torch.Tensor) and result.shape == (2, 3):
        line = outcome(function, *tensors(len(names), 4))
        if isinstance(line, torch.Tensor) and line.shape == (4,):
            wide = len(names) == 2 and outcome(function, *tensors(1, 2, 3), *tensors(1, 3))
            joined = "the operands broadcast to it" if isinstance(wide, torch.Tensor) and wide.shape == (2, 3) else ""
            yield f"Shape: that of `{names[0]}`, any{'; ' if joined else ''}{joined}."


def errors(function: Callable) -> Iterator[str]:
    """The errors for what is no tensor, for a dimension that there is not, for shapes that do not fit."""
    names = required(function)
    told = []
    if names:
        given = tensors(len(names), 2, 3)
        if isinstance(outcome(function, NoTensor(), *given[1:]), TypeError):
            told.append("TypeError for what is no tensor")
        works = not isinstance(outcome(function, *given), Exception)
        takes_dim = works and "dim" in inspect.signature(function).parameters
        if takes_dim and isinstance(outcome(function, *given, dim=9), IndexError):
            told.append("IndexError for a dimension that there is not")
        if works and len(names) == 2 and isinstance(outcome(function, given[0], *tensors(1, 5)), RuntimeError):
            told.append("RuntimeError for shapes that do not fit")
    if told:
        yield f"{', '.join(told)}."
