"""The shape of a tensor."""

import math
from typing import SupportsIndex, overload


class Size(tuple[int, ...]):
    """A tensor's shape: a tuple of integers that prints as in PyTorch.

    >>> import rushlight as torch
    >>> torch.zeros(2, 3).shape
    torch.Size([2, 3])
    """

    __slots__ = ()

    def numel(self) -> int:
        """The number of elements of a tensor of this shape."""
        return math.prod(self)

    @overload
    def __getitem__(self, index: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> "Size": ...
    def __getitem__(self, index: SupportsIndex | slice) -> "int | Size":
        item = tuple.__getitem__(self, index)
        return Size(item) if isinstance(item, tuple) else item

    def __add__(self, other: tuple[int, ...]) -> "Size":  # type: ignore[override]
        return Size(tuple.__add__(self, other))

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"
