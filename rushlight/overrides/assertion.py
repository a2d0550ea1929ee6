"""`torch._assert`, an assertion that can be taken over: a traced program writes it down."""

from typing import Any

from rushlight.overrides import wrap_torch_function

__all__ = ["_assert"]


@wrap_torch_function(lambda condition, message: (condition,))
def _assert(condition: Any, message: str) -> None:
    """Raises AssertionError where a condition, a tensor perhaps, is not true.

    >>> import rushlight as torch
    >>> torch._assert(torch.tensor(False), "never")
    Traceback (most recent call last):
    ...
    AssertionError: never
    """
    assert condition, message
