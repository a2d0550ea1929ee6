"""Functions that answer calls later."""

import functools
from collections.abc import Callable
from typing import Any

from rushlight.futures import Future

__all__ = ["async_execution"]


def async_execution(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a function that returns a `Future`: the call is answered when the future is done.

    No thread waits meanwhile. It must be inside `staticmethod` or `classmethod`.

    >>> import rushlight as torch
    >>> from rushlight.distributed import rpc
    >>> @rpc.functions.async_execution
    ... def soon(x):
    ...     future = torch.futures.Future()
    ...     future.set_result(x + 1)
    ...     return future
    >>> soon(1).wait()
    2
    """

    @functools.wraps(fn)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return fn(*args, **kwargs)

    wrapper._wrapped_async_rpc_function = fn  # type: ignore[attr-defined]
    return wrapper


def awaited(function: Callable[..., Any], result: Any) -> Future[Any]:
    """The future that answers a call of a function. RuntimeError if the function must return one and did not."""
    if not hasattr(function, "_wrapped_async_rpc_function"):
        done: Future[Any] = Future()
        done.set_result(result)
        return done
    if not isinstance(result, Future):
        raise RuntimeError(
            "Functions decorated with @rpc.async_function must return a torch.futures.Future object, but got "
            f"{type(result).__name__}"
        )
    return result
