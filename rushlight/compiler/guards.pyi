# The types of guards for checkers of types; those for the compiler are in guards.pxd.
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from rushlight.core.graph import TensorBase

MISSING: object

class Leaf:
    index: int
    type: type[Any]
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    strides: tuple[int, ...]
    needs: bool
    has_node: bool
    is_view: bool
    unsettled: bool
    def __init__(self, index: int, tensor: TensorBase) -> None: ...
    def fits(self, value: Any) -> bool: ...

class Record:
    cls: type[Any]
    content: dict[str, Any]
    def __init__(self, cls: type[Any], content: dict[str, Any]) -> None: ...

class Object:
    value: Any
    def __init__(self, value: Any) -> None: ...

class Varying:
    index: int
    value: float
    def __init__(self, index: int, value: float) -> None: ...

class Formula:
    function: Callable[..., Any] | None
    operands: tuple[Any, ...]
    def __init__(self, function: Callable[..., Any] | None, operands: Iterable[Any]) -> None: ...
    def value(self, numbers: list[float]) -> Any: ...
    def leaves_program(self) -> bool: ...

def fits(structure: Any, value: Any, tensors: list[Any], numbers: list[float]) -> bool: ...
def rebuilt(structure: Any, tensors: list[Any], numbers: list[Any]) -> Any: ...
def same(a: Any, b: Any) -> bool: ...

class Place:
    kind: int
    holder: Any
    key: Any
    value: Any
    simple: bool
    def __init__(self, kind: int, holder: Any, key: Any, value: Any, simple: bool) -> None: ...
    def holds(self) -> bool: ...

def content_of(cell: Any) -> Any: ...

class Guard:
    structure: tuple[Any, ...]
    places: list[Place]
    others: list[Any]
    leaves: list[Leaf]
    grads: list[tuple[int, Any, bool]]
    pattern: list[int]
    layouts: list[tuple[Any, ...]]
    def __init__(
        self,
        structure: tuple[Any, ...],
        places: list[Place],
        others: list[Any],
        grads: list[tuple[int, Any, bool]],
        pattern: list[int],
        layouts: list[tuple[Any, ...]],
    ) -> None: ...
    def match(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any] | None: ...

def is_plain(gradient: TensorBase) -> bool: ...
def pattern_of(tensors: list[Any], others: list[Any]) -> list[int]: ...
def gather(places: list[Any], arguments: list[Any], made: list[Any] | None) -> list[Any]: ...
