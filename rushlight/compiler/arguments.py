"""The arguments and results of a call: their structure, and the tensors among them."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from rushlight.compiler.guards import Leaf, Object, Record, Varying, rebuilt
from rushlight.compiler.memories import Unrecordable
from rushlight.compiler.surroundings import SIMPLE
from rushlight.core.graph import TensorBase


def flattened(value: Any, tensors: list[Any], roots: list[Any]) -> Any:
    """The structure of arguments; tensors are appended to one list, and objects to guard to another."""
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


def floats_in(structure: Any) -> Iterator[float]:
    """The floats in the structure of arguments, in order; a varying float gives its recorded value."""
    if type(structure) is float:
        yield structure
    elif type(structure) is Varying:
        yield structure.value
    elif type(structure) in (list, tuple):
        for item in structure:
            yield from floats_in(item)
    elif type(structure) is dict:
        yield from floats_in(list(structure.values()))
    elif type(structure) is Record:
        yield from floats_in(structure.content)


def with_floats(structure: Any, others: Iterator[Any]) -> Any:
    """The structure with each float replaced."""
    if type(structure) in (float, Varying):
        return next(others)
    if type(structure) in (list, tuple):
        return type(structure)([with_floats(item, others) for item in structure])
    if type(structure) is dict:
        return {key: with_floats(item, others) for key, item in structure.items()}
    if type(structure) is Record:
        return Record(structure.cls, with_floats(structure.content, others))
    return structure


def call_with(structure: Any, arguments: list[Any], numbers: Any) -> tuple[tuple[Any, ...], dict[Any, Any]]:
    """The args and kwargs of a call for a structure, with its tensors and floats."""
    return rebuilt(with_floats(structure, iter(numbers)), arguments, [])
