"""`fork` and `wait`: PyTorch runs such calls in parallel in compiled code, and one after the other in Python code."""

from collections.abc import Callable
from typing import Any

from rushlight.futures import Future

__all__ = ["Future", "fork", "wait"]


def fork(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Future[Any]:
    """Calls a function at once, as PyTorch does outside compiled code, and returns a future of its result.

    >>> import rushlight as torch
    >>> torch.jit.wait(torch.jit.fork(lambda x: x + 1, torch.tensor(2)))
    tensor(3)
    """
    future: Future[Any] = Future()
    future.set_result(func(*args, **kwargs))
    return future


def wait(future: Future[Any]) -> Any:
    """The result of a call made by `fork`."""
    return future.wait()
