"""A guard around a function: what a failed call says is put right. Compiled, it leaves no frame of its own."""

from functools import wraps


def with_errors_of(refusal, function, place):
    """The function; an exception of its is raised as what `refusal(place, args, kwargs, error)` makes of it."""

    def called(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except Exception as error:
            better = refusal(place, args, kwargs, error)
            if better is error:
                raise
            raise better from None

    called = wraps(function)(called)
    vars(called)["refuses"] = True
    return called
