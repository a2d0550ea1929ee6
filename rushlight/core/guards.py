"""A guard around a function: what a failed call says is put right. Compiled, it leaves no frame of its own."""

from functools import wraps


def with_errors_of(refusal, other_form, function, place):
    """The function; an exception of its is raised as what `refusal(place, args, kwargs, error)` makes of it.

    Where that is a TypeError and `other_form(place, args, kwargs)` knows the arguments in another form, it is called
    with those.
    """

    def called(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except Exception as error:
            better = refusal(place, args, kwargs, error)
            again = other_form(place, args, kwargs) if isinstance(better, TypeError) else None
            if again is None:
                if better is error:
                    raise
                raise better from None
        return called(*again[0], **again[1])

    called = wraps(function)(called)
    vars(called)["refuses"] = True
    return called
