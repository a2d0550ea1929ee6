# The types of entries for checkers of types; those for the compiler are in entries.pxd.
from collections.abc import Callable, Sequence
from typing import Any

OPTIONS: dict[str, Any]

def node_name(name: str) -> str: ...

class Entry:
    name: str
    forward: Callable[..., Any]
    params: tuple[str, ...]
    formulas: dict[str, Callable[..., Any]]
    joint: Callable[..., Any] | None
    inputs: tuple[int, ...]
    operands: tuple[int, ...]
    lists: frozenset[int]
    promote: Callable[..., Any] | None
    kept: str
    broadcasts: bool
    view: bool
    linear: bool
    additive: bool
    holomorphic: bool
    nondifferentiable: frozenset[int]
    takes_none: bool
    takes_turned: bool
    batch: Any
    tangent: Callable[..., Any] | None
    series: Callable[..., Any] | None
    one_byte: bool
    converts: bool
    slopes: tuple[str, ...] | None
    kernel: bool
    in_steps: bool
    reads_layout: bool
    shape_of_values: bool | Callable[[Sequence[Any]], bool]
    aten: Any
    flops: Callable[..., int] | None
    saved_as: dict[str, str]
    layout: str
    laying: int
    node: str
    node_class: type | None
    def __init__(
        self,
        name: str,
        forward: Callable[..., Any],
        params: tuple[str, ...],
        formulas: dict[str, Callable[..., Any]],
        **given: Any,
    ) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
