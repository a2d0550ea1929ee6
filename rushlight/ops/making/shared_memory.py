"""Tensors in memory shared between processes: methods that load `rushlight.multiprocessing` when called."""

from importlib import import_module
from typing import Any

from rushlight.ops.table import method
from rushlight.tensors import Tensor

__all__: list[str] = []


def sharing() -> Any:
    """The module `rushlight.multiprocessing`, imported only when needed, which keeps `import rushlight` fast."""
    return import_module("rushlight.multiprocessing.sharing")


@method
def share_memory_(self: Tensor) -> Tensor:
    """Moves the tensor to shared memory: what one process writes to it, all processes see.

    RuntimeError for a view, since its base would not move with it.

    >>> import rushlight as torch
    >>> torch.ones(2).share_memory_().is_shared()
    True
    """
    sharing().share(self)
    return self


@method
def is_shared(self: Tensor) -> bool:
    """Whether the tensor is in shared memory.

    >>> import rushlight as torch
    >>> torch.ones(2).is_shared()
    False
    """
    return sharing().is_shared(self)
