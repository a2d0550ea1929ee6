"""Names in graphs and in the code generated from them."""

import builtins
import inspect
import keyword
import math
import re
from collections.abc import Callable
from types import FunctionType, GenericAlias, ModuleType
from typing import Any

import rushlight
from rushlight.absent.misses import served_name
from rushlight.ops.overloads import OpOverload, OpOverloadPacket
from rushlight.overrides.listing import resolve_name
from rushlight.utils import _pytree

# Names that generated code has without a definition, and the imports for them in a saved file.
GLOBALS: dict[str, tuple[str, Any]] = {
    "inf": ("from math import inf", math.inf),
    "nan": ("from math import nan", math.nan),
    "NoneType": ("NoneType = type(None)", type(None)),
    "torch": ("import torch", rushlight),
    "device": ("from torch import device", rushlight.device),
    "pytree": ("import torch.utils._pytree as pytree", _pytree),
}
TAKEN: dict[str, Any] = {
    **dict.fromkeys(keyword.kwlist, object()),
    **vars(builtins),
    **{name: obj for name, (_, obj) in GLOBALS.items()},
}
NUMBERED = re.compile(r"^([a-zA-Z_][0-9a-zA-Z_]*?)(?:_(\d+))?$")


class Namespace:
    """A set of unique names; those of Python itself are reserved."""

    def __init__(self) -> None:
        self.names: dict[Any, str] = {}  # by object
        self.used: set[str] = set()
        self.counts: dict[str, int] = {}

    def create_name(self, candidate: str, obj: Any = None) -> str:
        """A unique name like the candidate, with a number if that is taken; always the same for one object."""
        if obj is not None and obj in self.names:
            return self.names[obj]
        base, number = NUMBERED.match(as_identifier(candidate)).groups()  # type: ignore[union-attr]
        candidate = as_identifier(candidate)
        if number is None or candidate in self.used:
            count = self.counts.get(base, 0)
            if TAKEN.get(candidate, obj) is not obj:
                count += 1
                candidate = f"{base}_{count}"
        else:
            count = int(number)
        while candidate in self.used:
            count += 1
            candidate = f"{base}_{count}"
        self.used.add(candidate)
        self.counts[base] = count
        if obj is not None:
            self.names[obj] = candidate
        return candidate


def as_identifier(text: str) -> str:
    """A text turned into a Python identifier."""
    text = re.sub("[^0-9a-zA-Z_]+", "_", text) or "_unnamed"
    return f"_{text}" if text[0].isdigit() else text


def snake_case(text: str) -> str:
    """A name converted from camel case to snake case.

    >>> snake_case("BatchNorm")
    'batch_norm'
    """
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", text).lower()


def hint(target: str | Callable[..., Any]) -> str:
    """The base name for a target's result, without a number.

    >>> import rushlight as torch
    >>> hint(torch.cat), hint("__call__"), hint("layer.0")
    ('cat', 'call', 'layer.0')
    """
    name = target if isinstance(target, str) else target.__name__
    magic = name[:2] == "__" == name[-2:]
    return snake_case(name[2:-2] if magic else name)


def of_torch(obj: Any) -> bool:
    """Whether an object is one of PyTorch's, which generated code refers to as `torch.…`."""
    if isinstance(obj, (OpOverload, OpOverloadPacket)):
        return True
    home = getattr(obj, "__module__", None) or ""
    return home.partition(".")[0] in ("rushlight", "torch") and obj is not rushlight.device


def qualified_name(obj: Any) -> str:
    """The qualified name of a function or class. RuntimeError for a lambda without one.

    >>> import rushlight as torch
    >>> qualified_name(torch.cat), qualified_name(len), qualified_name(math.sqrt)
    ('torch.cat', 'len', 'math.sqrt')
    """
    if isinstance(obj, (OpOverload, OpOverloadPacket)):
        return f"torch.ops.{obj}"
    name = obj.__name__
    if getattr(builtins, name, None) is obj:
        return name
    known = resolve_name(obj) if of_torch(obj) else None
    if known:
        return known
    if name == "<lambda>":
        name = name_of_lambda(obj)
    if obj.__module__ is None:
        raise RuntimeError(f"cannot find module for {obj}")
    return f"torch.{name}" if getattr(rushlight, name, None) is obj else f"{served_name(obj.__module__)}.{name}"


def name_of_lambda(function: Callable[..., Any]) -> str:
    """The name that a lambda is assigned to in its source line. RuntimeError if there is none."""
    try:
        return inspect.getsource(function).split("=")[0].strip()
    except (OSError, TypeError):
        raise RuntimeError("Unable to represent lambda: give the function a name with def.") from None


def type_name(kind: Any) -> str:
    """A type as generated code writes it."""
    if isinstance(kind, type) and not isinstance(kind, GenericAlias):
        return kind.__qualname__ if kind.__module__ == "builtins" else qualified_name(kind)
    if kind is ...:
        return "..."
    if isinstance(kind, FunctionType):
        return kind.__name__
    return repr(kind).replace("rushlight.tensors.Tensor", "torch.Tensor")


def shown_target(target: Any) -> str:
    """A node's target as text for printing."""
    if isinstance(target, str):
        return target
    home = getattr(target, "__module__", None)
    if home in ("builtins", "_operator"):
        return f"{home.lstrip('_')}.{target.__name__}"
    return qualified_name(target)


def import_of(name: str, obj: Any) -> str:
    """The import statement for a name that generated code uses."""
    if name in GLOBALS:
        return GLOBALS[name][0]
    if isinstance(obj, ModuleType):
        return f"import {obj.__name__} as {name}"
    return f"from {served_name(obj.__module__)} import {obj.__qualname__} as {name}"
