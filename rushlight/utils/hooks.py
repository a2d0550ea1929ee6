"""Handles of hooks, as `torch.utils.hooks`."""

from typing import Any

from rushlight.core.hooks import RemovableHandle
from rushlight.core.lines import warn
from rushlight.nn.modules.base.backward_hook import BackwardHook

__all__ = ["BackwardHook", "RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]


def unserializable_hook(f: Any) -> Any:
    """Marks a hook that other processes do not need: `warn_if_has_hooks` does not warn about it."""
    f.__torch_unserializable__ = True
    return f


def warn_if_has_hooks(tensor: Any) -> None:
    """Warns about each hook on a leaf, since files do not store hooks."""
    hooks = getattr(tensor.hooks, "outputs", None) or {}
    for hook in [hook for table in hooks.values() for hook in table.values()]:
        if not hasattr(hook, "__torch_unserializable__"):
            warn(
                f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, you can decorate the "
                "function with @torch.utils.hooks.unserializable_hook to suppress this warning",
            )
