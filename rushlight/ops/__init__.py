"""The operators, a file for each family. `table` has the forms they are entered in."""

from importlib import import_module


def __getattr__(name):
    """`torch.ops.aten`, and what users define with `torch.library`, are loaded when they are first used."""
    if name == "aten":
        return import_module("rushlight.ops.aten")
    found = import_module("rushlight.library").namespace(name)
    if found is None:
        raise AttributeError(f"module 'rushlight.ops' has no attribute '{name}'")
    return found
