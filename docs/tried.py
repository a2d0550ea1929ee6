"""What wrong calls of a function raise, and what shape it gives, tried out where a docstring does not say it."""

import inspect
import re
import warnings
from collections.abc import Callable, Iterator

import rushlight as torch

ERRORS = re.compile(r"Error|[Rr]aises|refuse")
KINDS = ((2, 3), (4,), (4, 4), (4, 4, 4), (4, 4, 4, 4), (4, 4, 4, 4, 4))  # shapes that inputs are tried with
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
        made = outcome(value, *sizes(value)) if issubclass(value, torch.nn.Module) else None
        return made.forward if isinstance(made, torch.nn.Module) else None
    names = required(value) if callable(value) else []
    first = inspect.signature(value).parameters[names[0]] if names else None
    return value if first is not None and (first.name == "input" or "Tensor" in str(first.annotation)) else None


def sizes(module: type) -> list[int]:
    """What a module is made with: the same size everywhere, and windows that fit in it."""
    return [3 if name == "kernel_size" else 4 for name in required(module)]


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
    """The errors for what is no tensor, for dimensions that there are not, for shapes that do not fit."""
    names = required(function)
    told = []
    if names:
        results = {shape: outcome(function, *tensors(len(names), *shape)) for shape in KINDS}
        fitting = [shape for shape, result in results.items() if not isinstance(result, Exception)]
        given = tensors(len(names), *(fitting or KINDS)[0])
        if isinstance(outcome(function, NoTensor(), *given[1:]), TypeError):
            told.append("TypeError for what is no tensor")
        takes_dim = fitting and "dim" in inspect.signature(function).parameters
        if takes_dim and isinstance(outcome(function, *given, dim=9), IndexError):
            told.append("IndexError for a dimension that there is not")
        if fitting and len(names) == 2 and refusal(outcome(function, given[0], *tensors(1, 5))) == "RuntimeError":
            told.append("RuntimeError for shapes that do not fit")
        if fitting and isinstance(getattr(function, "__self__", None), torch.nn.Module):
            told += misfits(results, outcome(function, *tensors(len(names), *(n + 1 for n in fitting[0]))))
    if told:
        yield f"{', '.join(told)}."


def misfits(results: dict[tuple[int, ...], object], larger: object) -> Iterator[str]:
    """The errors of a module for inputs of other numbers of dimensions, and of other sizes."""
    refused = {len(shape): refusal(result) for shape, result in results.items() if len(shape) != 2 or shape == (4, 4)}
    for kind in sorted({kind for kind in refused.values() if kind}):
        dims = [str(n) for n, found in sorted(refused.items()) if found == kind]
        yield f"{kind} for an input of {' or '.join(dims)} dimension{'s' * (dims != ['1'])}"
    if kind := refusal(larger):
        yield f"{kind} for sizes that do not fit"


def refusal(result: object) -> str:
    """The name of the error that a call refuses what does not fit with; "" for a result."""
    return type(result).__name__ if isinstance(result, (RuntimeError, ValueError)) else ""
