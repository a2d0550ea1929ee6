"""What each operation needs: the value of a context variable, the next number of a node, an object for its result.

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
    return int(repr(NUMBERS).strip("count()")) - 1  # a counter tells its next number by this alone from Python 3.14 on


def made_by(base, cls):
    """A new object of a class by the `__new__` of a base of it, whatever has been put in that one's place since."""
    return base.__new__(cls)
