"""Temporary replacement of functions."""

from collections.abc import Callable
from contextlib import ExitStack
from types import FunctionType
from typing import Any


def replaced(stack: ExitStack, owner: Any, name: str, make: Callable[..., Any]) -> None:
    """Replaces a function by what `make` returns for it, until the stack is left."""
    own = vars(owner).get(name)
    original = getattr(owner, name) if own is None else own

    def put_back() -> None:
        if own is None:
            delattr(owner, name)
        else:
            setattr(owner, name, own)

    made = make(original)
    if isinstance(made, FunctionType):
        made.in_place_of = original  # type: ignore[attr-defined]  # for who asks for the functions themselves
    setattr(owner, name, made)
    stack.callback(put_back)
