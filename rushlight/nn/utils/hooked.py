"""Helpers of utilities that compute a weight in a forward pre-hook."""

from typing import Any

from rushlight.nn.modules.module import Module


def hook_on(module: Module, kind: Any, name: str) -> tuple[int, Any] | None:
    """The hook of a class for a weight, with its id; None if there is none."""
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, kind) and getattr(hook, "name", None) == name:
            return key, hook
    return None


def refuse_second(module: Module, kind: type, what: str, name: str) -> None:
    """Raises RuntimeError if a module already has a hook of a class for a weight."""
    if hook_on(module, kind, name) is not None:
        raise RuntimeError(f"Cannot register two {what} hooks on the same parameter {name}")


def remove_hook(module: Module, kind: type, what: str, name: str) -> Module:
    """Makes the weight of a hook a parameter again, and removes the hook. ValueError if there is none."""
    found = hook_on(module, kind, name)
    if found is None:
        raise ValueError(f"{what} of '{name}' not found in {module}")
    key, hook = found
    hook.remove(module)
    del module._forward_pre_hooks[key]
    return module
