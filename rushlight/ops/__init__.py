"""The operators, grouped in folders by family. `table` has the helper functions that register them."""

import sys
from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    """Loads `torch.ops.aten` on first use, and finds the operators that users define with `torch.library`."""
    if name == "aten":
        return import_module("rushlight.ops.aten_namespace").aten
    if name in ("c10d", "c10d_functional"):
        return import_module("rushlight.ops.collective_names").NAMESPACES[name]
    library = sys.modules.get("rushlight.library")
    found = None if library is None else library.namespace(name)
    if found is None:
        raise AttributeError(f"module 'rushlight.ops' has no attribute '{name}'")
    return found
