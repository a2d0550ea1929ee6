# The types of modes for checkers of types; those for the compiler are in modes.pxd.
from contextlib import AbstractContextManager
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

CURRENT: ContextVar[Modes]
OBSERVER: ContextVar[Any]

def observer() -> Any: ...
def observe_everywhere(profiler: Any) -> None: ...
def switched(**switches: Any) -> AbstractContextManager[None]: ...
def __getattr__(name: str) -> Any: ...
