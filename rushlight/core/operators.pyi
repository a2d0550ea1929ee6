# The types of operators for checkers of types; those for the compiler are in operators.pxd.
from collections.abc import Callable
from typing import Any

from rushlight.core.graph import TensorBase

USUAL: object
LINK: Operator

class Operator:
    name: str
    forward: Callable[..., Any]
    params: tuple[str, ...]
    formulas: dict[str, Callable[..., Any]]
    joint: Callable[..., Any] | None
    inputs: tuple[int, ...]
    lists: frozenset[int]
    promote: Callable[..., Any] | None
    broadcasts: bool
    view: bool
    linear: bool
    holomorphic: bool
    nondifferentiable: frozenset[int]
    batch: Any
    node_class: type
    def __init__(
        self,
        name: str,
        forward: Callable[..., Any],
        params: tuple[str, ...],
        formulas: dict[str, Callable[..., Any]],
        *,
        joint: Callable[..., Any] | None = None,
        inputs: tuple[str, ...] = (),
        promote: Callable[..., Any] | None = None,
        broadcasts: bool = False,
        lists: tuple[str, ...] = (),
        node: str = "",
        view: bool = False,
        linear: bool = False,
        holomorphic: bool = True,
        nondifferentiable: tuple[int, ...] = (),
        batch: Any = None,
    ) -> None: ...
    def __call__(self, *args: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...

def unary(op: Operator, a: Any) -> Any: ...
def binary(op: Operator, a: Any, b: Any) -> Any: ...
def call(op: Operator, args: tuple[Any, ...]) -> Any: ...
def look(out: TensorBase, source: TensorBase, several: bool) -> None: ...
def count_levels(step: int) -> None: ...
def count_unusual(step: int) -> None: ...
def unusual() -> bool: ...
def levels() -> int: ...
def is_dual(tensor: TensorBase) -> bool: ...
def carries_tangents(args: Any) -> bool: ...
def recording() -> bool: ...
def next_number() -> int: ...
def __getattr__(name: str) -> Any: ...
