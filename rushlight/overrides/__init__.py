"""Overriding PyTorch's functions: `__torch_function__` of classes and modes, as `torch.overrides`.

What runs at every call, once anything overrides functions, is compiled, as the core is: `calls` and `switches`.
"""

import functools as _functools
from collections.abc import Callable as _Callable
from typing import Any as _Any

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.overrides import calls as _calls
from rushlight.overrides.listing import (
    get_ignored_functions,
    get_overridable_functions,
    get_testing_overrides,
    is_tensor_method_or_property,
    resolve_name,
)
from rushlight.overrides.modes import BaseTorchFunctionMode, TorchFunctionMode
from rushlight.tensors import Tensor as _Tensor

__all__ = [
    "BaseTorchFunctionMode",
    "TorchFunctionMode",
    "get_ignored_functions",
    "get_overridable_functions",
    "get_testing_overrides",
    "handle_torch_function",
    "has_torch_function",
    "has_torch_function_unary",
    "has_torch_function_variadic",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "resolve_name",
    "wrap_torch_function",
]


def has_torch_function(relevant_args: _Any) -> bool:
    """Whether a mode is active, or one of the arguments has a class with `__torch_function__`."""
    here = _calls.HERE
    if here.modes and not here.without_modes:
        return True
    return not here.without_classes and bool(_calls.overriding(relevant_args))


def has_torch_function_unary(arg: _Any) -> bool:
    """`has_torch_function` of one argument."""
    return has_torch_function((arg,))


def has_torch_function_variadic(*args: _Any) -> bool:
    """`has_torch_function` of some arguments."""
    return has_torch_function(args)


def handle_torch_function(public_api: _Callable[..., _Any], relevant_args: _Any, *args: _Any, **kwargs: _Any) -> _Any:
    """Asks modes and classes for the result of a call; to be used by functions of your own that can be overridden.

    TypeError if each returns `NotImplemented`.

    >>> import rushlight as torch
    >>> from rushlight.overrides import handle_torch_function, has_torch_function_unary
    >>> def double(x):
    ...     if has_torch_function_unary(x):
    ...         return handle_torch_function(double, (x,), x)
    ...     return 2 * x
    >>> class Length:
    ...     @classmethod
    ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
    ...         return f"{func.__name__} of a length"
    >>> double(Length()), torch.exp(Length())
    ('double of a length', 'exp of a length')
    """
    return _calls.handle(public_api, _calls.overriding(relevant_args), args, kwargs)


def wrap_torch_function(dispatcher: _Callable[..., _Any]) -> _Callable[..., _Any]:
    """Decorates a function so that it can be overridden; `dispatcher` returns the arguments whose classes are asked."""

    def decorate(func: _Callable[..., _Any]) -> _Callable[..., _Any]:
        @_functools.wraps(func)
        def wrapped(*args: _Any, **kwargs: _Any) -> _Any:
            relevant = dispatcher(*args, **kwargs)
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return func(*args, **kwargs)

        return wrapped

    return decorate


def is_tensor_like(inp: _Any) -> bool:
    """Whether a value is a tensor, or of a class with `__torch_function__`.

    >>> import rushlight as torch
    >>> is_tensor_like(torch.ones(2)), is_tensor_like([1.0])
    (True, False)
    """
    return type(inp) is _Tensor or hasattr(inp, "__torch_function__")


_explain_misses(globals())
