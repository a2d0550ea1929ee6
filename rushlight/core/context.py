"""What is looked up for every recorded operation: the value of a context variable, and the next number of a node.

This is the plain twin: where the core is compiled, `context.pyx` takes its place.
"""

from itertools import count

NUMBERS = count(1)


def value_of(variable):
    """The value of a context variable that has a default."""
    return variable.get()


def next_number():
    """The number of the next node: the backward pass runs the youngest first."""
    return next(NUMBERS)


def last_number():
    """The number of the node that was recorded last."""
    return NUMBERS.__reduce__()[1][0] - 1
