"""The operators, a file for each family. `table` has the forms they are entered in."""


def __getattr__(name):
    """`torch.ops.aten` is loaded when it is first used."""
    if name == "aten":
        from importlib import import_module

        return import_module("rushlight.ops.aten")
    raise AttributeError(f"module 'rushlight.ops' has no attribute '{name}'")
