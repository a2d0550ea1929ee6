"""Tensors in memory that processes share: methods that load `rushlight.multiprocessing` when they are called."""

from importlib import import_module
from typing import Any

from rushlight.ops.table import method
from rushlight.tensors import Tensor

__all__: list[str] = []


def sharing() -> Any:
    """The module that shares memory; most programs do without it, and without the time that it takes to load."""
    return import_module("rushlight.multiprocessing.sharing")


@method
def share_memory_(self: Tensor) -> Tensor:
    """Moves the tensor into memory that processes share: what one writes to it, all see.

    RuntimeError for a view, whose base would stay behind.

    >>> import rushlight as torch
    >>> torch.ones(2).share_memory_().is_shared()
    True
    """
    sharing().share(self)
    return self


@method
def is_shared(self: Tensor) -> bool:
    """Whether the tensor lies in memory that processes share.

    >>> import rushlight as torch
    >>> torch.ones(2).is_shared()
    False
    """
    return sharing().is_shared(self)
