"""The operators, a file for each family. `table` has the forms they are entered in."""

import sys
from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    """`torch.ops.aten`, loaded when it is first used, and the operators that users define with `torch.library`."""
    if name == "aten":
        return import_module("rushlight.ops.aten_namespace").aten
    library = sys.modules.get("rushlight.library")
    found = None if library is None else library.namespace(name)
    if found is None:
        raise AttributeError(f"module 'rushlight.ops' has no attribute '{name}'")
    return found
