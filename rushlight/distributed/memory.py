"""Tensors as contiguous memory for MPI, copied only if necessary."""

import numpy as np

from rushlight.tensors import Tensor

__all__ = ["Incoming", "outgoing", "packed", "parts_of", "unpack"]


def outgoing(tensor: Tensor) -> np.ndarray:
    """A tensor's elements in order: its own memory if contiguous, else a copy."""
    return np.ascontiguousarray(tensor._array)


def packed(tensors: list[Tensor]) -> np.ndarray:
    """The bytes of several tensors, concatenated."""
    return np.concatenate([outgoing(tensor).reshape(-1).view(np.uint8) for tensor in tensors])


def parts_of(flat: np.ndarray, tensors: list[Tensor]) -> list[np.ndarray]:
    """Views of the parts of a flat array that belong to tensors, in order, in their shapes."""
    parts = np.split(flat, np.cumsum([tensor.numel() for tensor in tensors])[:-1])
    return [part.reshape(tensor._array.shape) for part, tensor in zip(parts, tensors, strict=True)]


class Incoming:
    """Memory to receive a tensor in: its own if contiguous, else a copy that is written back at the end."""

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
        """Writes the received (or other) values into the tensor, and counts the change."""
        arrived = self.array if values is None else values
        if arrived is not self.tensor._array:
            np.copyto(self.tensor._array, arrived.reshape(self.tensor._array.shape), casting="unsafe")
        self.tensor._bump()


def unpack(data: np.ndarray, tensors: list[Tensor]) -> None:
    """Copies concatenated bytes into tensors."""
    start = 0
    for tensor in tensors:
        size = tensor._array.nbytes
        Incoming(tensor, keep=False).put(data[start : start + size].view(tensor._array.dtype))
        start += size
