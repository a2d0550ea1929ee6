"""What keeps a tensor alive: the attribute or variable, or the list in it, that holds the tensor."""

import gc
import sys
from collections import deque
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from rushlight.core.graph import TensorBase
from rushlight.core.lines import is_users

CONTAINERS = (list, tuple, set, dict, deque)


def holder_of(value: Any, frames: list[FrameType], depth: int = 4) -> str | None:
    """The name of the variable or attribute whose list, dict or similar container holds a value."""
    scopes = [scope for frame in frames for scope in (frame.f_locals, frame.f_globals)]
    level = [value]
    for _ in range(depth):
        level = [r for r in gc.get_referrers(*level) if isinstance(r, CONTAINERS) and all(r is not s for s in scopes)]
        for container in level[:50]:
            name = name_in(container, scopes)
            if name is not None:
                return name
    return None


def name_in(container: Any, scopes: list[dict[Any, Any]]) -> str | None:
    """The name of a container: a variable, or an attribute of an object of the program."""
    for scope in scopes:
        for name, value in list(scope.items()):
            if value is container:
                return name
    for owner in owners_of(container, is_object):
        for name, value in list(vars(owner).items()):
            if value is container:
                return name
    return None


def owners_of(value: Any, wanted: Callable[[Any], bool]) -> Iterator[Any]:
    """The objects accepted by `wanted` that have a value as an attribute."""
    for referrer in gc.get_referrers(value):
        if wanted(referrer):
            yield referrer
        elif type(referrer) is dict:  # the `__dict__` of an object
            yield from (o for o in gc.get_referrers(referrer) if wanted(o) and vars(o) is referrer)


def tensors_of(node: Any) -> Iterator[TensorBase]:
    """The existing tensors that a node made."""
    results = owners_of(node, lambda one: isinstance(one, TensorBase))
    return (tensor for tensor in results if tensor._node is node)


def is_object(value: Any) -> bool:
    """Whether a value is an instance of one of the program's classes."""
    if isinstance(value, type) or not hasattr(value, "__dict__"):
        return False
    module = sys.modules.get(type(value).__module__)
    return module is None or is_users(getattr(module, "__file__", None) or "<none>")


def attribute_made_at(site: Any, frames: list[FrameType]) -> str | None:
    """The attribute of an object in some frames that holds a tensor made at a site, alone or in a tuple."""
    for frame in frames:
        for owner in list(frame.f_locals.values()):
            if not is_object(owner):
                continue
            for name, value in list(vars(owner).items()):
                if any(made_at(item, site) for item in items_of(value)):
                    return name
    return None


def variables_made_at(site: Any, frame: FrameType) -> list[str]:
    """The variables of a frame that hold a tensor made at a site, alone or in a tuple."""
    return [
        name for name, value in list(frame.f_locals.items()) if any(made_at(item, site) for item in items_of(value))
    ]


def items_of(value: Any) -> Any:
    """The items of a list or tuple; for any other value the value itself."""
    return value if isinstance(value, (list, tuple)) else (value,)


def made_at(value: Any, site: Any) -> bool:
    """Whether a tensor was made at a site."""
    node = value._node if isinstance(value, TensorBase) else None
    return node is not None and node.told is not None and node.told.site is site


def unregistered_in(owner: Any, module: Any = None) -> str:
    """The name of the attribute that holds a module (or any) in a list, tuple or dict; "" if there is none."""
    for name, value in vars(owner).items():
        items = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
        if not name.startswith("_"):
            for item in items:
                if item is module or (module is None and hasattr(item, "named_parameters")):
                    return name
    return ""
