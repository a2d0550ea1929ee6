"""Tools around tensors: loading data, checkpointing, logs."""

from importlib import import_module
from typing import Any

from rushlight.absent.misses import no_such_name as _no_such_name
from rushlight.utils import checkpoint, data

__all__ = ["checkpoint", "data"]

ON_DEMAND = frozenset(
    (
        "_contextlib _foreach_utils _python_dispatch _pytree benchmark dlpack flop_counter hooks model_zoo "
        "module_tracker tensorboard"
    ).split()
)


def __getattr__(name: str) -> Any:
    """Loads a submodule at its first use; AttributeError for an unknown name, with the reason or similar names."""
    if name in ON_DEMAND:
        return import_module(f"rushlight.utils.{name}")
    raise _no_such_name("rushlight.utils", name)
