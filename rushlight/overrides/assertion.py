"""`torch._assert`, an assertion that can be overridden: symbolic tracing records it."""

from typing import Any

from rushlight.overrides import wrap_torch_function

__all__ = ["_assert"]


@wrap_torch_function(lambda condition, message: (condition,))
def _assert(condition: Any, message: str) -> None:
    """Raises AssertionError if a condition, which may be a tensor, is false.

    >>> import rushlight as torch
    >>> torch._assert(torch.tensor(False), "never")
    Traceback (most recent call last):
    ...
    AssertionError: never
    """
    assert condition, message
