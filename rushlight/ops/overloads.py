"""Operators under the names of PyTorch's dispatcher: packets (`aten.add`) and overloads (`aten.add.Tensor`).

The overloads are listed in `overloads.txt`, which `tests/ops/record_overloads.py` writes. Calling one calls the public
function of that name.
"""

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["OpOverload", "OpOverloadPacket"]

FILE = Path(__file__).parent / "overloads.txt"


@cache
def recorded() -> dict[str, list[str]]:
    """The overloads of each operator, read from `overloads.txt`."""
    lines = FILE.read_text().splitlines()
    return {name: overloads.split() for name, _, overloads in (line.partition(":") for line in lines)}


class OpOverloadPacket:
    """An operator with all its overloads, which are its attributes: `torch.ops.aten.add.Tensor`."""

    __name__: str

    def __init__(self, namespace: str, name: str, function: Callable[..., Any] | None, overloads: list[str]):
        self.__name__, self.__qualname__, self.__module__ = name, f"{namespace}.{name}", f"torch.ops.{namespace}"
        self._qualified_op_name, self._function, self._overload_names = f"{namespace}::{name}", function, overloads

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self}')>"

    def __str__(self) -> str:
        return self.__qualname__

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Calls the public function of the same name."""
        return call(self, args, kwargs)

    def __getattr__(self, name: str) -> "OpOverload":
        if name not in self._overload_names:
            raise AttributeError(
                f"The underlying op of '{self}' has no overload name '{name}'. It has "
                f"{', '.join(self._overload_names)}."
            )
        overload = OpOverload(self, name)
        setattr(self, name, overload)
        return overload

    def __reduce__(self) -> Any:
        return overload_of, (self.__qualname__,)

    def overloads(self) -> list[str]:
        """The names of the overloads."""
        return list(self._overload_names)


class OpOverload:
    """One overload of an operator."""

    __name__: str

    namespace: str

    def __init__(self, packet: OpOverloadPacket, name: str):
        self._overloadpacket, self._overloadname = packet, name
        self._opname, self.namespace = packet.__name__, packet.__qualname__.partition(".")[0]
        self.__name__, self.__qualname__ = f"{packet.__name__}.{name}", f"{packet}.{name}"
        self.__module__ = packet.__module__

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self._overloadpacket}', overload='{self._overloadname}')>"

    def __str__(self) -> str:
        return self.__qualname__

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Calls the public function of the same name."""
        return call(self._overloadpacket, args, kwargs)

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __reduce__(self) -> Any:
        return overload_of, (self.__qualname__,)

    @property
    def overloadpacket(self) -> OpOverloadPacket:
        """The operator with all its overloads."""
        return self._overloadpacket

    def name(self) -> str:
        """The name as the dispatcher writes it: `aten::add.Tensor`."""
        suffix = "" if self._overloadname == "default" else f".{self._overloadname}"
        return f"{self._overloadpacket._qualified_op_name}{suffix}"


def overload_of(qualified: str) -> Any:
    """An operator by its qualified name, such as `aten.add.Tensor`."""
    value = sys.modules["rushlight.ops"]
    for part in qualified.split("."):
        value = getattr(value, part)
    return value


def call(packet: OpOverloadPacket, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Calls the function of an operator. NotImplementedError if there is none."""
    if packet._function is None:
        raise NotImplementedError(
            f"Could not run '{packet._qualified_op_name}' with arguments from the 'CPU' backend: rushlight knows the "
            "name but has no such function. Use the public functions of torch."
        )
    if "self" in kwargs:
        args, kwargs = (kwargs["self"], *args), {key: value for key, value in kwargs.items() if key != "self"}
    return packet._function(*args, **kwargs)
