"""A guard around a function: what a failed call says is put right. Compiled, it leaves no frame of its own."""

from numpy import generic, ndarray

SWITCH = None  # asks who takes over a call: see `overrides.switches`


def use_switch(switch):
    """Tells all guards whom to ask first: `switch(function, args, kwargs)` gives a result in a tuple, or None."""
    global SWITCH
    SWITCH = switch


def with_errors_of(refusal, other_form, foreign, function, place):
    """The function; an exception of its is raised as what `refusal(place, args, kwargs, error)` makes of it.

    A function of tensors that gives an array was given arrays alone, which operators compute with too: that is refused.

    Where that is a TypeError and `other_form(place, args, kwargs)` knows the arguments in another form, it is called
    with those. `foreign(args, kwargs)` tells whether an object among them takes calls over itself: then it is asked.
    """

    def called(*args, **kwargs):
        if SWITCH is not None:
            taken = SWITCH(called, args, kwargs)
            if taken is not None:
                return taken[0]
        try:
            result = function(*args, **kwargs)
            if type(result) is ndarray or isinstance(result, generic):
                raise TypeError("an array was given where a tensor belongs")
            return result
        except Exception as error:
            again = (args, kwargs) if SWITCH is None and foreign(args, kwargs) else None
            better = error if again else refusal(place, args, kwargs, error)
            if again is None and isinstance(better, TypeError):
                again = other_form(place, args, kwargs)
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
