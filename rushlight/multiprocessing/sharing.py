"""Shared memory, and tensors in it.

The memory is an arena of Python's own `multiprocessing.heap`: an unnamed memory-mapped file, which is passed to another
process as a file descriptor and freed with the last process that holds it.
"""

from multiprocessing.heap import Arena
from multiprocessing.reduction import ForkingPickler
from typing import Any

import numpy as np

from rushlight.nn.parameter import Buffer, Parameter
from rushlight.tensors import Tensor, rebuild

__all__ = ["get_all_sharing_strategies", "get_sharing_strategy", "is_shared", "set_sharing_strategy", "share"]


class Block:
    """A block of shared memory, kept alive by the arrays in it."""

    def __init__(self, arena: Arena):
        self.arena = arena
        first = np.frombuffer(arena.buffer, np.uint8)
        self.address: Any = first.__array_interface__["data"][0]
        self.__array_interface__: dict[str, Any] = {
            "data": (self.address, False),
            "shape": first.shape,
            "typestr": "|u1",
            "version": 3,
        }

    def __reduce__(self) -> Any:
        return Block, (self.arena,)


def block_of(array: np.ndarray) -> Block | None:
    """The shared block that an array is in; None for an array in private memory."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    return base if isinstance(base, Block) else None


def array_in_block(
    block: Block, offset: int, shape: tuple[Any, ...], strides: tuple[Any, ...], dtype: np.dtype
) -> np.ndarray:
    """An array in a shared block."""
    return np.ndarray(shape, dtype, np.asarray(block), offset, strides)


def is_shared(tensor: Tensor) -> bool:
    """Whether a tensor is in shared memory."""
    return block_of(tensor._array) is not None


def share(tensor: Tensor) -> None:
    """Moves a tensor into shared memory. RuntimeError for a view, whose base would not be moved."""
    array = tensor._array
    if block_of(array) is not None:
        return
    if tensor._base is not None:
        raise RuntimeError("A view cannot be moved to shared memory without its base: share the base, or a clone().")
    copy = np.empty_like(array)
    block = Block(Arena(max(array.nbytes, 1)))
    moved = array_in_block(block, 0, copy.shape, copy.strides, copy.dtype)
    moved[...] = array
    tensor._array = moved


def reduce_tensor(tensor: Tensor) -> tuple[Any, ...]:
    """Pickles a tensor for another process: moves it to shared memory, and sends its place there.

    RuntimeError for a non-leaf tensor that requires grad, since graphs are not sent to other processes.
    """
    if tensor.requires_grad and not tensor.is_leaf:
        raise RuntimeError(
            "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not support "
            "crossing process boundaries.  If you just want to transfer the data, call detach() on the tensor before "
            "serializing (e.g., putting it on the queue)."
        )
    if tensor._base is not None and not is_shared(tensor):
        tensor = tensor.detach().clone()
    share(tensor)
    array = tensor._array
    block = block_of(array)
    assert block is not None
    offset = array.__array_interface__["data"][0] - block.address
    return rebuild_tensor, (type(tensor), block, offset, array.shape, array.strides, array.dtype, tensor.requires_grad)


def rebuild_tensor(
    cls: type, block: Block, offset: int, shape: tuple[Any, ...], strides: tuple[Any, ...], dtype: np.dtype, needs: bool
) -> Any:
    """The tensor that `reduce_tensor` sent."""
    return rebuild(cls, array_in_block(block, offset, shape, strides, dtype), needs)


def get_all_sharing_strategies() -> set[str]:
    """The strategies for sharing memory: only file descriptors.

    >>> from rushlight import multiprocessing
    >>> multiprocessing.get_all_sharing_strategies()
    {'file_descriptor'}
    """
    return {"file_descriptor"}


def get_sharing_strategy() -> str:
    """The strategy for sharing memory: file descriptors."""
    return "file_descriptor"


def set_sharing_strategy(new_strategy: str) -> None:
    """Sets the strategy for sharing memory. ValueError for any but "file_descriptor"."""
    if new_strategy not in get_all_sharing_strategies():
        raise ValueError(f"rushlight shares memory by open files ('file_descriptor'), not by {new_strategy!r}.")


for kind in (Tensor, Parameter, Buffer):
    ForkingPickler.register(kind, reduce_tensor)
