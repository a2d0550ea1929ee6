# The types of passes for checkers of types; those for the compiler are in passes.pxd.
from collections.abc import Callable, Iterable
from typing import Any, Self

from rushlight.core.graph import Node, TensorBase
from rushlight.explain.origins import Birth, Info
from rushlight.explain.sites import Site

PRODUCTS: frozenset[str]
AT_ZERO: tuple[str, ...]
RECTIFIERS: frozenset[str]
GOOD: str
ZERO: str
BAD: str

class Pass:
    site: Site
    number: int
    keep: bool
    recorded: bool
    whole: bool
    births: list[Birth]
    bad_leaves: list[Any]
    zero_leaves: list[Any]
    zeros: dict[int, Any]
    reached: list[Any]
    root_info: Info | None
    nodes: int
    node: Node | None
    given: list[Any]
    failed: bool
    unseen: list[tuple[Callable[[], TensorBase | None], Site, int]]
    spoilt: list[tuple[TensorBase, Site]]
    def __init__(self, site: Site, run: Any, number: int, unseen: list[Any], unused: set[int]) -> None: ...
    def at(self, node: Node) -> Self: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *exception: object) -> None: ...
    def made(self, grads: Iterable[Any]) -> None: ...
    def look_back(self) -> None: ...
    def cancels(self, vertex: Any) -> bool: ...
    def look_for_changes(self, node: Node) -> None: ...

def state_of(array: Any) -> str: ...
def is_zero(array: Any) -> bool: ...
def source_of_zeros(node: Node, i: int) -> Any: ...
