"""The public functions of elementwise operators.

Compiled, they notice further arguments and keywords at no cost to the usual call, which has operands alone.
"""

from rushlight.core.graph import TensorBase
from rushlight.core.guards import answer, anyone_asks
from rushlight.core.operators import binary, unary

ABSENT = object()  # stands for an operand that is not given under its own name or place


def of_tensor(op, otherwise):
    """A function of one tensor that calls an operator; any other call is `otherwise(function, args, kwargs)`."""

    def function(input=ABSENT, *more, out=None, **named):
        if anyone_asks():
            taken = answer(function, *as_given(input, ABSENT, more, out, named))
            if taken is not None:
                return taken[0]
        if named or more or out is not None or not isinstance(input, TensorBase):
            return otherwise(function, *as_given(input, ABSENT, more, out, named))
        return unary(op, input)

    return function


def of_operands(op, with_number, otherwise):
    """A function of a tensor and a tensor or number; any other call is `otherwise(function, args, kwargs)`.

    `with_number` is the operator that is called where the second operand is no tensor; None if it has to be one.
    """

    def function(input=ABSENT, other=ABSENT, *more, out=None, **named):
        if anyone_asks():
            taken = answer(function, *as_given(input, other, more, out, named))
            if taken is not None:
                return taken[0]
        if named or more or out is not None or other is ABSENT or not isinstance(input, TensorBase):
            return otherwise(function, *as_given(input, other, more, out, named))
        if isinstance(other, TensorBase):
            result = binary(op, input, other)
        else:
            result = NotImplemented if with_number is None else binary(with_number, input, other)
        return otherwise(function, (input, other), named) if result is NotImplemented else result

    return function


def as_given(input, other, more, out, named):
    """The arguments of a call as they are given: by position, and by name."""
    kwargs = named if out is None else {**named, "out": out}
    if input is ABSENT:
        return (), (kwargs if other is ABSENT else {**kwargs, "other": other})
    return ((input, *more) if other is ABSENT else (input, other, *more)), kwargs
