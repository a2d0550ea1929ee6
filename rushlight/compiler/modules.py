"""Compiled modules."""

from collections.abc import Callable
from typing import Any

from rushlight.nn.modules.module import Module


class OptimizedModule(Module):
    """A module whose calls are recorded and replayed. It wraps the original, `_orig_mod`, and shows its attributes."""

    def __init__(self, module: Module, call: Callable[..., Any]):
        super().__init__()
        self._orig_mod = module
        self.__dict__["_call"] = call
        self.__dict__["training"] = module.training

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the original, or replays a recording."""
        return self._call(*args, **kwargs)

    @property
    def dynamo_ctx(self) -> Callable[..., Any]:
        """What records and replays calls; libraries recognize compiled modules by this name."""
        return self.__dict__["_call"]

    def train(self, mode: bool = True) -> "OptimizedModule":
        """Sets the training mode of the original."""
        super().train(mode)
        return self

    def __getattr__(self, name: str) -> Any:
        if name == "_orig_mod":
            return super().__getattr__(name)
        return getattr(self._orig_mod, name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *dir(self._orig_mod)]
