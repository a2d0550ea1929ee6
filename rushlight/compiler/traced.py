"""Traced numbers, which know how they were computed, to find out where a program uses its arguments.

Python computes with `Traced` numbers; operators, which check the types of numbers, get plain floats, which are
recognized by id.
"""

import operator
from collections.abc import Callable
from typing import Any

from rushlight.compiler.guards import Formula
from rushlight.compiler.memories import Unrecordable


class Traced(float):
    """A number that knows its formula. Reading its value in a way that cannot be traced raises."""

    formula: Formula

    def __new__(cls, value: float, formula: Formula) -> "Traced":
        """A number with its formula."""
        made = super().__new__(cls, value)
        made.formula = formula
        return made

    @property
    def plain(self) -> float:
        """The number without its formula."""
        return float.__float__(self)

    def refuse(self, *args: Any) -> Any:
        """Raises: the value may be different at the next call."""
        raise Unrecordable("the way of the call depends on a number")


DEPENDING = """
    __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __bool__ __float__ __int__ __trunc__ __round__ __floor__ __ceil__ __str__
    __repr__ __format__ __hash__ __divmod__ __rdivmod__ is_integer as_integer_ratio hex
"""
for name in DEPENDING.split():
    setattr(Traced, name, Traced.refuse)


def traced(function: Callable[..., Any], reverse: bool = False) -> Callable[..., Any]:
    """Makes a method of traced numbers from a Python function."""

    def method(self: Traced, *others: Any) -> Any:
        if any(not isinstance(other, (int, float)) for other in others):
            return NotImplemented
        operands = (*others, self) if reverse else (self, *others)
        value = function(*[one.plain if isinstance(one, Traced) else one for one in operands])
        if type(value) is not float:
            raise Unrecordable("a number becomes one of another type")
        return Traced(value, Formula(function, [one.formula if isinstance(one, Traced) else one for one in operands]))

    return method


for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    setattr(Traced, f"__{name}__", traced(getattr(operator, name)))
    setattr(Traced, f"__r{name}__", traced(getattr(operator, name), True))
for name in ("neg", "pos", "abs"):
    setattr(Traced, f"__{name}__", traced(getattr(operator, name)))


class Plain:
    """The plain floats that operators get in place of traced numbers, by id."""

    def __init__(self) -> None:
        self.known: dict[int, tuple[float, Traced]] = {}

    def of(self, args: Any) -> Any:
        """Arguments with traced numbers replaced by plain floats."""
        if isinstance(args, Traced):
            plain = args.plain
            self.known[id(plain)] = plain, args
            return plain
        return type(args)([self.of(arg) for arg in args]) if type(args) in (tuple, list) else args

    def traced(self, number: Any) -> Any:
        """The traced number behind a plain one; other values are unchanged."""
        found = self.known.get(id(number)) if type(number) is float else None
        return number if found is None else found[1]
