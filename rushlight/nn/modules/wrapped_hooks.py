"""Hooks as PyTorch's modules keep them: they are in pickles of whole modules."""

from collections.abc import Callable
from functools import update_wrapper
from typing import Any
from weakref import ref

__all__ = ["_WrappedHook"]


class _WrappedHook:
    """A hook that is called with a module before its arguments, if it was made with one; the module is not kept."""

    hook: Callable[..., Any]

    def __init__(self, hook: Callable[..., Any], module: Any = None):
        update_wrapper(self, hook)
        self.hook, self.with_module = hook, module is not None
        self.module: Any = None if module is None else ref(module)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.with_module:
            return self.hook(*args, **kwargs)
        module = self.module()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *args, **kwargs)

    def __getstate__(self) -> dict[str, Any]:
        state = {"hook": self.hook, "with_module": self.with_module}
        return {**state, "module": self.module()} if self.with_module else state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.hook, self.with_module = state["hook"], state["with_module"]
        if self.with_module:
            if state["module"] is None:
                raise RuntimeError("You are trying to revive the hook of a dead Module!")
            self.module = ref(state["module"])
