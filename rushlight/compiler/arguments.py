"""The arguments of a call: their structure, the tensors among them, and whether another call's are alike."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from rushlight.compiler.memories import Unrecordable
from rushlight.compiler.surroundings import SIMPLE, same
from rushlight.core.graph import TensorBase


class Leaf:
    """A tensor among arguments: its place in the list of them, and what has to be the same at another call."""

    __slots__ = ("dtype", "has_node", "index", "is_view", "needs", "shape", "strides", "type", "unsettled")

    def __init__(self, index: int, tensor: TensorBase):
        array = tensor._array
        self.index = index
        self.type = type(tensor)
        self.shape = array.shape
        self.dtype = array.dtype
        self.strides = array.strides
        self.needs = tensor.requires_grad
        self.has_node = tensor._node is not None
        self.is_view = tensor._view is not None
        self.unsettled = tensor._unsettled

    def fits(self, tensor: Any) -> bool:
        """Whether a tensor is of the same kind."""
        if type(tensor) is not self.type:
            return False
        array = tensor._array
        return (
            type(array) is np.ndarray
            and array.shape == self.shape
            and array.dtype == self.dtype
            and array.strides == self.strides
            and tensor.requires_grad == self.needs
            and (tensor._node is not None) == self.has_node
            and (tensor._view is not None) == self.is_view
            and tensor._unsettled == self.unsettled
            and tensor._tangents is None
            and tensor.hooks is None
        )

    def __repr__(self) -> str:
        return f"{self.dtype}{list(self.shape)}" + (" that requires grad" if self.needs else "")


def flattened(value: Any, tensors: list, roots: list) -> Any:
    """The structure of arguments: tensors are put into a list, and objects to look at into another."""
    if isinstance(value, TensorBase):
        tensors.append(value)
        return Leaf(len(tensors) - 1, value)
    if isinstance(value, SIMPLE):
        return value
    if type(value) in (list, tuple):
        return type(value)([flattened(item, tensors, roots) for item in value])
    if type(value) is dict:
        return {key: flattened(item, tensors, roots) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return Record(type(value), {name: flattened(getattr(value, name), tensors, roots) for name in value._fields})
    if is_dataclass(value) and not isinstance(value, type):
        content = {field.name: flattened(getattr(value, field.name), tensors, roots) for field in fields(value)}
        return Record(type(value), content)
    if isinstance(value, np.ndarray):
        raise Unrecordable("a NumPy array is among the arguments: pass tensors")
    roots.append(value)
    return Object(value)


class Record:
    """A dataclass or named tuple among arguments."""

    def __init__(self, cls: type, content: dict[str, Any]):
        self.cls = cls
        self.content = content

    def __repr__(self) -> str:
        return f"{self.cls.__name__}({', '.join(f'{name}={value}' for name, value in self.content.items())})"


class Object:
    """Any other object among arguments: it has to be the very same."""

    def __init__(self, value: Any):
        self.value = value

    def __repr__(self) -> str:
        return f"this {type(self.value).__name__}"


def fits(structure: Any, value: Any, tensors: list) -> bool:
    """Whether arguments have a structure; its tensors are put into a list."""
    kind = type(structure)
    if kind is Leaf:
        tensors.append(value)
        return structure.fits(value)
    if kind is list or kind is tuple:
        if type(value) is not kind or len(value) != len(structure):
            return False
        return all(fits(part, item, tensors) for part, item in zip(structure, value, strict=True))
    if kind is dict:
        if type(value) is not dict or list(value) != list(structure):
            return False
        return all(fits(part, value[key], tensors) for key, part in structure.items())
    if kind is Object:
        return structure.value is value
    if kind is Record:
        if type(value) is not structure.cls:
            return False
        return all(fits(part, getattr(value, name), tensors) for name, part in structure.content.items())
    return structure is value or (type(value) is kind and same(structure, value))


def rebuilt(structure: Any, make: Callable[[Any], Any]) -> Any:
    """A result of a structure, with what `make` gives for each leaf."""
    kind = type(structure)
    if kind is list or kind is tuple:
        return kind([rebuilt(item, make) for item in structure])
    if kind is dict:
        return {key: rebuilt(item, make) for key, item in structure.items()}
    if kind is Record:
        content = {name: rebuilt(item, make) for name, item in structure.content.items()}
        return structure.cls(**content)
    if kind is Object:
        return structure.value
    return make(structure) if kind is Leaf else structure
