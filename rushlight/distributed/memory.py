"""Tensors as MPI takes them: contiguous memory, copied only where it is not."""

import numpy as np

from rushlight.core.graph import TensorBase
from rushlight.tensors import Tensor

__all__ = ["Incoming", "check_tensor", "check_tensors", "outgoing", "packed", "parts_of", "unpack"]


def check_tensor(tensor: Tensor, name: str) -> None:
    """TypeError for anything but a tensor."""
    if not isinstance(tensor, TensorBase):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type torch.Tensor but got {type(tensor)} "
            "instead."
        )


def check_tensors(tensors: list[Tensor], name: str) -> None:
    """TypeError for anything but a list of tensors, and for tensors of several types."""
    if not isinstance(tensors, (list, tuple)) or not all(isinstance(tensor, TensorBase) for tensor in tensors):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor] but got "
            f"{type(tensors)} with elements of type {sorted({type(t).__name__ for t in tensors})} instead."
        )
    if len({tensor.dtype for tensor in tensors}) > 1:
        raise ValueError(f"Invalid usage of tensors with different dtypes: {name} has {[t.dtype for t in tensors]}")


def outgoing(tensor: Tensor) -> np.ndarray:
    """A tensor's elements in order: its own memory where that is contiguous, else a copy."""
    return np.ascontiguousarray(tensor._array)


def packed(tensors: list[Tensor]) -> np.ndarray:
    """The bytes of several tensors, one after the other."""
    return np.concatenate([outgoing(tensor).reshape(-1).view(np.uint8) for tensor in tensors])


def parts_of(flat: np.ndarray, tensors: list[Tensor]) -> list[np.ndarray]:
    """The parts of a flat array that belong to tensors, one after the other, in their shapes: views of it."""
    parts = np.split(flat, np.cumsum([tensor.numel() for tensor in tensors])[:-1])
    return [part.reshape(tensor._array.shape) for part, tensor in zip(parts, tensors, strict=True)]


class Incoming:
    """Memory for what comes in for a tensor: its own where that is contiguous, else a copy, written back at the end."""

    def __init__(self, tensor: Tensor, keep: bool = True):
        own = tensor._array
        self.tensor = tensor
        if own.flags.c_contiguous and own.flags.writeable:
            self.array = own
        else:
            self.array = np.ascontiguousarray(own) if keep else np.empty(own.shape, own.dtype)

    def bytes(self) -> np.ndarray:
        """The memory as bytes."""
        return self.array.reshape(-1).view(np.uint8)

    def put(self, values: np.ndarray | None = None) -> None:
        """Puts what came in, or other values, into the tensor, which notes that it has changed."""
        arrived = self.array if values is None else values
        if arrived is not self.tensor._array:
            np.copyto(self.tensor._array, arrived.reshape(self.tensor._array.shape), casting="unsafe")
        self.tensor._bump()


def unpack(data: np.ndarray, tensors: list[Tensor]) -> None:
    """Puts bytes that came one after the other into tensors."""
    start = 0
    for tensor in tensors:
        size = tensor._array.nbytes
        Incoming(tensor, keep=False).put(data[start : start + size].view(tensor._array.dtype))
        start += size
