# The types of origins for checkers of types; those for the compiler are in origins.pxd.
from itertools import count
from typing import Any
from weakref import ref

from rushlight.core.graph import TensorBase
from rushlight.explain.sites import Site

class Cut:
    site: Site
    how: str
    name: str
    where: Site | None
    leaves: dict[int, ref[TensorBase]]
    count: int
    behind: set[int]
    of_number: bool
    def __init__(self, site: Site, how: str, name: str, where: Site | None = None) -> None: ...
    def comes_from(self, leaf: TensorBase) -> bool: ...
    def is_cast(self) -> bool: ...
    def take(self, tensor: TensorBase) -> None: ...

class Birth:
    numbers: count[int]
    number: int
    site: Site | None
    name: str
    value: str
    detail: str
    backward: bool
    hidden: bool
    def __init__(
        self, site: Site | None, name: str, value: str, detail: str = "", backward: bool = False, hidden: bool = False
    ) -> None: ...

class Info:
    site: Site
    name: str
    step: int
    depth: int
    cuts: tuple[Cut, ...]
    plain: tuple[Any, ...]
    parents: tuple[Info, ...]
    birth: Birth | None
    source: Any
    shape: Any
    dim: Any

def info_at(site: Site | None, name: str, step: int) -> Info: ...
def info_of(tensor: Any) -> Info | None: ...
def tell(tensor: TensorBase, info: Info) -> None: ...
def leaves_of(tensor: TensorBase) -> list[Any]: ...
def leaves_behind(vertex: Any, limit: int = 2000) -> list[Any]: ...
def merged(first: tuple[Any, ...], second: tuple[Any, ...], limit: int = 12) -> tuple[Any, ...]: ...
