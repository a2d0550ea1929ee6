"""`fork` and `wait`: PyTorch's compiled code runs such calls side by side, Python's code one after the other."""

from collections.abc import Callable
from typing import Any

from rushlight.futures import Future

__all__ = ["Future", "fork", "wait"]


def fork(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Future[Any]:
    """A future of a call, which is made at once, as PyTorch does outside compiled code.

    >>> import rushlight as torch
    >>> torch.jit.wait(torch.jit.fork(lambda x: x + 1, torch.tensor(2)))
    tensor(3)
    """
    future: Future[Any] = Future()
    future.set_result(func(*args, **kwargs))
    return future


def wait(future: Future[Any]) -> Any:
    """The result of a call that `fork` made."""
    return future.wait()
