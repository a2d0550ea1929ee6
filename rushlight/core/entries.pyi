# The types of entries for checkers of types; those for the compiler are in entries.pxd.
from collections.abc import Callable
from typing import Any

class Entry:
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
    layout: str
    laying: int
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
        layout: str = "",
    ) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
