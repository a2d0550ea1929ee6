"""`fork` and `wait`: PyTorch's compiled code runs such calls side by side, Python's code one after the other."""

from collections.abc import Callable
from typing import Any

from rushlight.futures import Future

__all__ = ["Future", "fork", "wait"]


def fork(func: Callable, *args: Any, **kwargs: Any) -> Future:
    """A future of a call, which is made at once, as PyTorch does outside compiled code.

    >>> import rushlight as torch
    >>> torch.jit.wait(torch.jit.fork(lambda x: x + 1, torch.tensor(2)))
    tensor(3)
    """
    future: Future = Future()
    future.set_result(func(*args, **kwargs))
    return future


def wait(future: Future) -> Any:
    """The result of a call that `fork` made."""
    return future.wait()
