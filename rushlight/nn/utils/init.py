"""Creating modules without initializing their parameters."""

import inspect
from typing import Any

from rushlight.nn.modules.module import Module
from rushlight.random import fork_rng

__all__ = ["skip_init"]


def skip_init(module_cls: type[Module], *args: Any, **kwargs: Any) -> Module:
    """A module with uninitialized parameters, for which no random numbers are drawn.

    RuntimeError for a class that is not a module, and for modules without a `device` argument.

    >>> import rushlight as torch
    >>> torch.nn.utils.skip_init(torch.nn.Linear, 5, 1)
    Linear(in_features=5, out_features=1, bias=True)
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    with fork_rng():
        return module_cls(*args, **kwargs)
