"""The class that transforms derive from: a module without parameters."""

from typing import Any, Self

from rushlight.nn.modules.module import Module

__all__ = ["Transform"]


class Transform(Module):
    """Base class of transforms; `repr` shows the attributes listed in `shown`."""

    shown: tuple[str, ...] = ()

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """A transform that is a module before its class sets anything."""
        transform = super().__new__(cls)
        Module.__init__(transform)
        return transform

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)}' for name in self.shown)})"
