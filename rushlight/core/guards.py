"""A wrapper around public functions that improves the errors of failed calls.

Compiled, it adds no frame to tracebacks.
"""

from functools import wraps
from types import FunctionType

from numpy import generic, ndarray

from rushlight.core import interpreters
from rushlight.core.graph import TensorBase

SWITCH = None  # finds who overrides a call: see `overrides.switches`
ASKED = interpreters.ASKED


def use_switch(switch):
    """Sets what finds who overrides a call, which all guards ask first."""
    global SWITCH
    SWITCH = switch
    ASKED.insert(0, switch)


def is_compiled(function):
    """Whether a function is of a compiled module, so that its code cannot be exchanged."""
    return type(function) is type(use_switch) is not FunctionType


def anyone_asks():
    """Whether anything is asked before calls."""
    return len(ASKED) > 0


def answer(function, args, kwargs):
    """The first result, in a tuple, that something asked has for a call; None if the function is to be called."""
    for asked in ASKED:
        taken = asked(function, args, kwargs)
        if taken is not None:
            return taken
    return None


def asking(function):
    """Decorates a public function that other functions call below its guard: it asks what guards ask."""

    @wraps(function)
    def called(*args, **kwargs):
        taken = answer(called, args, kwargs)
        return function(*args, **kwargs) if taken is None else taken[0]

    return called


def stands_for_number(positions, names, args, kwargs):
    """Whether a tensor is given where a number belongs, or in a list of numbers."""
    for i in range(min(len(positions), len(args))):
        if positions[i] and has_tensor(args[i]):
            return True
    for name in kwargs:
        if name in names and has_tensor(kwargs[name]):
            return True
    return False


def has_tensor(value):
    """Whether a value is a tensor, or a list or tuple that has one."""
    if isinstance(value, TensorBase):
        return True
    if type(value) is tuple or type(value) is list:
        for item in value:
            if isinstance(item, TensorBase):
                return True
    return False


def with_errors_of(refusal, other_form, foreign, numbers_of, as_numbers, function, place):
    """Wraps a function: its exceptions are replaced by those that `refusal(place, args, kwargs, error)` makes.

    A function of tensors that returned an array was given only arrays: operators accept those, but the call is refused.

    If `other_form(place, args, kwargs, error)` recognizes the arguments as another of PyTorch's forms of the call, the
    function is called again with the arguments it returns. `foreign(args, kwargs)` tells whether an argument overrides
    calls itself: then that one is asked.

    `numbers_of(function)`, asked at the first call, returns the positions and the names of parameters for numbers.
    Where a tensor is given for one, `as_numbers(place, args, kwargs)` returns the arguments to call the function with.
    """
    positions = names = None

    def called(*args, **kwargs):
        nonlocal positions, names
        if ASKED:
            taken = answer(called, args, kwargs)
            if taken is not None:
                return taken[0]
        try:
            if names is None:
                positions, names = numbers_of(function)
            if names and stands_for_number(positions, names, args, kwargs):
                args, kwargs = as_numbers(place, args, kwargs)
            result = function(*args, **kwargs)
            if type(result) is ndarray or isinstance(result, generic):
                raise TypeError("an array was given where a tensor belongs")
            return result
        except Exception as error:
            again = (args, kwargs) if SWITCH is None and foreign(args, kwargs) else None
            better = error if again else refusal(place, args, kwargs, error)
            if again is None:
                again = other_form(place, args, kwargs, better)
            if again is None:
                if better is error:
                    raise
                raise better from None
        return called(*again[0], **again[1])

    called.__name__, called.__qualname__ = function.__name__, function.__qualname__
    called.__module__, called.__doc__ = function.__module__, function.__doc__
    called.__annotations__, called.__wrapped__ = function.__annotations__, function
    vars(called).update(vars(function), refuses=True, passes_switch=True)
    return called
