"""Errors for names that PyTorch or MindSpore may have and rushlight does not."""

import sys
from collections.abc import Callable
from typing import Any

from rushlight.absent.types import absent_type
from rushlight.core.above import ABOVE


class LateText:
    """A text that is computed when it is read: programs often probe for names, and never read the message."""

    arguments: tuple[Any, ...]

    def __init__(self, make: Callable[..., str], *arguments: Any):
        self.make, self.arguments = make, arguments

    def __str__(self) -> str:
        return self.make(*self.arguments)

    def __repr__(self) -> str:
        return repr(str(self))


def no_such_name(module: str, name: str) -> AttributeError:
    """The error for a name that a module lacks.

    >>> str(no_such_name("rushlight", "matmull"))
    "module 'torch' has no attribute 'matmull' in rushlight. Did you mean matmul or chain_matmul or mul?"
    """
    return AttributeError(LateText(explanation, module, name))


def explain_misses(namespace: dict[Any, Any]) -> None:
    """Gives a module, whose globals are given, errors that say why it lacks a name, or which of its names are similar.

    >>> import rushlight as torch
    >>> torch.cuda.nccl
    Traceback (most recent call last):
    ...
    AttributeError: module 'torch.cuda' has no attribute 'nccl' in rushlight: it needs a GPU, ...
    """
    module = namespace["__name__"]

    namespace["__getattr__"] = lambda name: type_or_miss(module, name)


def type_or_miss(module: str, name: str) -> type:
    """What a module returns for a name that it lacks: a class without instances; else AttributeError."""
    found = absent_type(module, name)
    if found is None:
        raise no_such_name(module, name)
    return found


def near_names(name: str, known: list[str]) -> list[str]:
    """The known names that a name may be a misspelling of."""
    from difflib import get_close_matches

    return get_close_matches(name, known, n=3)


def names_of(module: str) -> list[str]:
    """The public names of a module, including those that are loaded at their first use."""
    return [name for name in dir(sys.modules[module]) if not name.startswith("_")]


def explanation(module: str, name: str) -> str:
    """The message for a name that a module lacks: Python's words, then the reason, or similar names."""
    known = served_name(module)
    why = ABOVE.reason(f"{known}.{name}")
    if why:
        return f"module '{known}' has no attribute '{name}' in rushlight: {why}"
    near = near_names(name, names_of(module))
    hint = f" Did you mean {' or '.join(near)}?" if near else f" dir({known}) lists what there is."
    return f"module '{known}' has no attribute '{name}' in rushlight.{hint}"


def served_name(module: str) -> str:
    """The name under which users know a module: that of the module of PyTorch or MindSpore that it replaces.

    >>> served_name("rushlight.nn"), served_name("rushlight.interop.mindspore.ops")
    ('torch.nn', 'mindspore.ops')
    """
    return module.replace("rushlight.interop.mindspore", "mindspore", 1).replace("rushlight", "torch", 1)
