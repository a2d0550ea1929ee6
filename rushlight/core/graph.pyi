# The types of the graph for checkers of types; those for the compiler are in graph.pxd.
from typing import Any

from rushlight.core.aliases import Array

COMPILED: bool
FIELDS: set[str]
DEFAULT: int
MULTI: int
UNRECORDED: int
CUSTOM: int
INFERRED: int

class VersionCounter:
    value: int

class Vertex:
    sequence: int
    hooks: Any
    told: Any

class Plan:
    def __getattr__(self, name: str) -> Any: ...

class Packed:
    def __init__(self, content: Any, unpack: Any, source: TensorBase | None, index: int) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class Node(Vertex):
    metadata: dict[str, Any]
    next_functions: tuple[tuple[Any, int], ...]
    saved: Any
    def name(self) -> str: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class View:
    base: Any
    origin: int
    version: int

class TensorBase(Vertex):
    _array: Array  # any array that supports NumPy's functions
    _node: Any
    requires_grad: bool
    grad_fn: Any
    is_leaf: bool
    output_nr: int
    ndim: int
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

def note_detached(tensor: Any) -> None: ...
def use_tensor_class(cls: type) -> None: ...
def count_inference(step: int) -> None: ...
def watch_changes(wanted: bool = True) -> bool: ...
def blank() -> Any: ...
def new_tensor(array: Any) -> Any: ...
def conjugate(value: Any) -> Any: ...
def fit(grad: Any, shape: Any, dtype: Any) -> Any: ...
def unbroadcast(grad: Any, shape: Any) -> Any: ...
def __getattr__(name: str) -> Any: ...
