"""The equations of `einsum`: parsed, and checked against the shapes of the operands."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from rushlight.core.graph import TensorBase

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def arguments(args: Sequence[Any]) -> tuple[str, list[Any]]:
    """The equation and the operands, from either calling form of `einsum`."""
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand "
            "and its "
            "subscripts list"
        )
    if isinstance(args[0], TensorBase):
        return from_sublists(args)
    if not isinstance(args[0], str):
        raise TypeError(f"einsum(): argument 'equation' (position 1) must be str, not {type(args[0]).__name__}")
    operands = list(args[1]) if len(args) == 2 and isinstance(args[1], (list, tuple)) else list(args[1:])
    check_operands(operands)
    return args[0], operands


def check_operands(operands: list[Any]) -> None:
    """Raises TypeError for an operand that is no tensor."""
    for i, x in enumerate(operands):
        if not isinstance(x, TensorBase):
            raise TypeError(f"expected Tensor as element {i} in argument 1, but got {type(x).__name__}")


def from_sublists(args: Any) -> tuple[str, list[Any]]:
    """The equation for the calling form with lists of numbers: operand, list, ..., and perhaps the result's list."""
    operands, lists = list(args[0 : len(args) - 1 : 2]), list(args[1::2])
    check_operands(operands)
    terms = ["".join(letter(number) for number in sublist) for sublist in lists]
    equation = ",".join(terms)
    return (f"{equation}->{''.join(letter(n) for n in args[-1])}" if len(args) % 2 else equation), operands


def letter(number: Any) -> str:
    """The letter that stands for a number in a list of subscripts."""
    if number is Ellipsis:
        return "..."
    if not 0 <= number < 52:
        raise ValueError(f"einsum(): expected subscripts to be within the range [0, 52), but got {number}")
    return LETTERS[number - 26]  # capital letters first


@lru_cache(1024)
def parse(equation: str, shapes: tuple[Any, ...]) -> tuple[tuple[str, ...], str]:
    """The letters of each operand and of the result, without ellipses. RuntimeError for a wrong equation."""
    equation = equation.replace(" ", "")
    left, arrow, right = equation.partition("->")
    terms = left.split(",")
    check_letters(equation, terms, right)
    if len(terms) != len(shapes):
        word = "fewer" if len(terms) > len(shapes) else "more"
        raise RuntimeError(f"einsum(): {word} operands were provided than specified in the equation")
    dims = ellipsis_letters(terms, shapes, left + right)
    subscripts = tuple(
        term.replace("...", dims[len(dims) - (len(shape) - len(term) + 3) :])
        for term, shape in zip(terms, shapes, strict=True)
    )
    check_letter_sizes(subscripts, shapes)
    if not arrow:
        once = sorted(c for c, n in Counter(left).items() if n == 1 and c.isalpha())
        return subscripts, dims + "".join(once)
    check_output(right, left)
    return subscripts, right.replace("...", dims)


def check_letters(equation: str, terms: Sequence[str], right: str) -> None:
    """Raises RuntimeError for characters that are not subscripts, and for incomplete ellipses."""
    for i, term in enumerate([*terms, right]):
        where = f"for operand {i}" if i < len(terms) else "for the output"
        rest = term.replace("...", "", 1)
        if "." in rest:
            if rest != term:
                raise RuntimeError(f"einsum(): found '.' {where} for which an ellipsis was already found")
            raise RuntimeError(f"einsum(): found '.' {where} that is not part of any ellipsis")
        for c in rest:
            if c not in LETTERS:
                raise RuntimeError(
                    f"einsum(): invalid subscript given at index {equation.rindex(c)} in the equation "
                    "string, subscripts "
                    "must be in [a-zA-Z]"
                )


def ellipsis_letters(terms: Sequence[str], shapes: Sequence[Sequence[int]], used: str) -> str:
    """Letters for the dimensions that ellipses stand for, as many as the longest one needs."""
    longest = 0
    for i, (term, shape) in enumerate(zip(terms, shapes, strict=True)):
        named = len(term.replace("...", ""))
        if "..." in term and named <= len(shape):
            longest = max(longest, len(shape) - named)
        elif named != len(shape):
            ending = "" if "..." in term else " and no ellipsis was given"
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({named}) does not match the number "
                "of dimensions "
                f"({len(shape)}) for operand {i}{ending}"
            )
    letters = unused(used)
    return "".join(next(letters) for _ in range(longest))


def unused(*terms: str) -> Any:
    """The letters that occur in none of the terms."""
    return (c for c in LETTERS if not any(c in term for term in terms))


def check_letter_sizes(subscripts: Sequence[str], shapes: Sequence[Sequence[int]]) -> None:
    """Raises RuntimeError if a letter stands for two different sizes, neither of them 1."""
    sizes: dict[str, int] = {}
    for i, (term, shape) in enumerate(zip(subscripts, shapes, strict=True)):
        own: dict[str, int] = {}
        for c, n in zip(term, shape, strict=True):
            if own.setdefault(c, n) != n:
                raise RuntimeError(
                    f"einsum(): subscript {c} is repeated for operand {i} but the sizes don't match, {n} != {own[c]}"
                )
            if sizes.get(c, 1) == 1:
                sizes[c] = n
            elif n not in (1, sizes[c]):
                raise RuntimeError(
                    f"einsum(): subscript {c} has size {n} for operand {i} which does not broadcast with "
                    "previously seen "
                    f"size {sizes[c]}"
                )


def check_output(right: str, left: str) -> None:
    """Raises RuntimeError for letters of the result that occur twice in it, or in no operand."""
    for i, c in enumerate(right.replace("...", "")):
        if c in right.replace("...", "")[:i]:
            raise RuntimeError(f"einsum(): output subscript {c} appears more than once in the output")
        if c not in left:
            raise RuntimeError(f"einsum(): output subscript {c} does not appear in the equation for any input operand")
