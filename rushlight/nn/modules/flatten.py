"""`Flatten` and `Unflatten`, layers that change only the shape."""

from typing import Any

from rushlight.nn.modules.base.making import as_text
from rushlight.nn.modules.module import Module
from rushlight.tensors import Tensor

__all__ = ["Flatten", "Unflatten"]


class Flatten(Module):
    """Merges the dimensions from `start_dim` to `end_dim` into one.

    IndexError for a dimension out of range, RuntimeError if `start_dim` comes after `end_dim`.

    >>> import rushlight as torch
    >>> torch.nn.Flatten()(torch.ones(32, 1, 5, 5)).shape
    torch.Size([32, 25])
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1):
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        """The same elements in fewer dimensions."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """The dimensions."""
        return as_text(self, "start_dim", "end_dim")


class Unflatten(Module):
    """Splits one dimension into several, of sizes `unflattened_size`. TypeError unless the sizes are integers.

    >>> import rushlight as torch
    >>> torch.nn.Unflatten(1, (2, 5))(torch.ones(3, 10)).shape
    torch.Size([3, 2, 5])
    """

    def __init__(self, dim: int, unflattened_size: tuple[int, ...]):
        super().__init__()
        require_sizes(unflattened_size)
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        """The same elements in more dimensions."""
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        """The dimension, and its sizes."""
        return as_text(self, "dim", "unflattened_size")


def require_sizes(sizes: Any) -> None:
    """Raises PyTorch's TypeErrors for anything but a tuple of integers."""
    if not isinstance(sizes, (tuple, list)):
        raise TypeError(f"unflattened_size must be a tuple of ints, but found type {type(sizes).__name__}")
    for i, size in enumerate(sizes):
        if not isinstance(size, int):
            raise TypeError(
                f"unflattened_size must be tuple of ints, but found element of type {type(size).__name__} at pos {i}"
            )
