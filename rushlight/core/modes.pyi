# The types of modes for checkers of types; those for the compiler are in modes.pxd.
from contextvars import ContextVar
from typing import Any

class Modes:
    grad: bool
    inference: bool
    anomaly: bool
    check_nan: bool
    packing: Any
    refusal: str | None
    special: bool
    def __init__(
        self,
        grad: bool = True,
        inference: bool = False,
        anomaly: bool = False,
        check_nan: bool = True,
        packing: Any = None,
        refusal: str | None = None,
    ) -> None: ...
    def replace(self, **switches: Any) -> Modes: ...
    def with_grad(self, enabled: bool) -> Modes: ...

class Setting:
    def __init__(self, variable: ContextVar[Any], value: Any) -> None: ...
    def __enter__(self) -> Any: ...
    def __exit__(self, *exception: object) -> None: ...

class Switch:
    names: tuple[str, ...]
    def __enter__(self) -> Any: ...
    def __exit__(self, *exception: object) -> None: ...

CURRENT: ContextVar[Modes]

def switched(**switches: Any) -> Setting: ...
def in_grad_mode(enabled: bool) -> Setting: ...
def __getattr__(name: str) -> Any: ...
