"""The shape of a tensor."""

import math


class Size(tuple):
    """A tensor's shape: a tuple of integers that prints as PyTorch's.

    >>> import rushlight as torch
    >>> torch.zeros(2, 3).shape
    torch.Size([2, 3])
    """

    __slots__ = ()

    def numel(self) -> int:
        """The number of elements of a tensor of this shape."""
        return math.prod(self)

    def __getitem__(self, index):
        item = tuple.__getitem__(self, index)
        return Size(item) if isinstance(index, slice) else item

    def __add__(self, other):
        return Size(tuple.__add__(self, other))

    def __repr__(self):
        return f"torch.Size([{', '.join(map(str, self))}])"
