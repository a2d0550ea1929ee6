"""Sets that parameters and values of distributions have to lie in."""

from collections.abc import Callable
from typing import NamedTuple

from rushlight.tensors import Tensor

__all__ = [
    "Constraint", "boolean", "integer_interval", "positive", "real", "real_vector", "simplex", "unit_interval",
]  # fmt: skip


class Constraint(NamedTuple):
    """A set: its name in messages, and what says of each element (or row) of a tensor whether it lies in it.

    >>> import rushlight as torch
    >>> from rushlight.distributions import constraints
    >>> constraints.positive.check(torch.tensor([1.0, 0.0]))
    tensor([ True, False])
    """

    name: str
    check: Callable[[Tensor], Tensor]

    def __repr__(self):
        return self.name


def integer_interval(low: int, high: int) -> Constraint:
    """The integers from `low` to `high`, both included."""
    name = f"IntegerInterval(lower_bound={low}, upper_bound={high})"
    return Constraint(name, lambda value: (value % 1 == 0) & (value >= low) & (value <= high))


def _is_simplex(value: Tensor) -> Tensor:
    """Whether the rows are not negative and sum to 1."""
    return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


real = Constraint("Real()", lambda value: value == value)  # False for NaN alone
real_vector = Constraint("IndependentConstraint(Real(), 1)", lambda value: (value == value).all(-1))
positive = Constraint("GreaterThan(lower_bound=0.0)", lambda value: value > 0)
unit_interval = Constraint("Interval(lower_bound=0.0, upper_bound=1.0)", lambda value: (value >= 0) & (value <= 1))
boolean = Constraint("Boolean()", lambda value: (value == 0) | (value == 1))
simplex = Constraint("Simplex()", _is_simplex)
