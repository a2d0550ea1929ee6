"""Functions that are not traced into: `torch.fx.wrap`, and their temporary replacements."""

import builtins
import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["replaced", "wrap"]

WRAPPED: dict[tuple[int, str], dict[str, Any]] = {}  # wrapped functions, by the dictionary of globals and the name
ABSENT = object()


def wrap(fn_or_name: Any) -> Any:
    """Makes tracing record calls of a function as single nodes instead of tracing into it; also as a decorator.

    Takes a function of the calling module, or its name: `torch.fx.wrap("len")`. RuntimeError for anything else;
    NotImplementedError if not called at the top level of a module.
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError("Unsupported type for global function! Must be either a callable or string name")
    caller = sys._getframe(1)
    if caller.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    WRAPPED[id(caller.f_globals), name] = caller.f_globals
    return fn_or_name


class Replacements:
    """Temporary replacements while a program is traced."""

    def __init__(self, written: Callable[[Callable[..., Any], tuple[Any, ...], dict[Any, Any]], Any]):
        self.written = written  # records a call, or returns NotImplemented if no proxy is in it
        self.undo: list[Callable[[], Any]] = []
        self.searched: set[int] = set()

    def in_globals(self, names: dict[str, Any], name: str) -> None:
        """Replaces a function in a dictionary of globals."""
        before = names.get(name, ABSENT)
        function = getattr(builtins, name) if before is ABSENT else before
        if getattr(function, "is_written_down", False):
            return
        names[name] = self.writing(function)
        self.undo.append(lambda: names.pop(name) if before is ABSENT else names.__setitem__(name, before))

    def on_class(self, cls: type, name: str, function: Callable[..., Any]) -> None:
        """Replaces a method of a class."""
        before = getattr(cls, name)
        setattr(cls, name, functools.wraps(before)(function))
        self.undo.append(lambda: setattr(cls, name, before))

    def found_in(self, names: dict[str, Any], functions: set[int]) -> None:
        """Replaces functions, given by their ids, in all globals that refer to them."""
        if id(names) in self.searched:
            return
        self.searched.add(id(names))
        for name, value in list(names.items()):
            if name[:1] != "_" and callable(value) and id(value) in functions:
                self.in_globals(names, name)

    def writing(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A wrapper that records calls of a function if a proxy is among the arguments."""

        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            result = self.written(function, args, kwargs)
            return function(*args, **kwargs) if result is NotImplemented else result

        called.is_written_down = True  # type: ignore[attr-defined]
        return called


@contextmanager
def replaced(written: Callable[[Callable[..., Any], tuple[Any, ...], dict[Any, Any]], Any]) -> Iterator[Replacements]:
    """A context in which functions marked by `wrap` are replaced, and further ones can be."""
    replacements = Replacements(written)
    try:
        for (_, name), names in list(WRAPPED.items()):
            replacements.in_globals(names, name)
        yield replacements
    finally:
        for undo in reversed(replacements.undo):
            undo()
