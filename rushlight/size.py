"""The shape of a tensor."""

import math
from collections.abc import Iterable
from functools import partial
from operator import index
from typing import Self, SupportsIndex, overload


class Size(tuple[int, ...]):
    """A tensor's shape: a tuple of integers that prints as in PyTorch.

    Tensors of one integer are sizes too. TypeError for what is no integer.

    >>> import rushlight as torch
    >>> torch.zeros(2, 3).shape
    torch.Size([2, 3])
    >>> torch.Size((torch.tensor(3), 2))
    torch.Size([3, 2])
    """

    __slots__ = ()

    def __new__(cls, sizes: Iterable[SupportsIndex] = (), /) -> Self:
        """Makes the sizes integers; TypeError for what is none."""
        given = tuple(sizes)
        for i, n in enumerate(given):
            if not hasattr(n, "__index__"):
                raise TypeError(f"torch.Size() takes an iterable of 'int' (item {i} is '{type(n).__name__}')")
        return tuple.__new__(cls, [n if isinstance(n, int) and not isinstance(n, bool) else index(n) for n in given])

    def numel(self) -> int:
        """The number of elements of a tensor of this shape."""
        return math.prod(self)

    @overload
    def __getitem__(self, index: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> "Size": ...
    def __getitem__(self, index: SupportsIndex | slice) -> "int | Size":
        item = item_of(self, index)
        return size_of(item) if type(item) is tuple else item  # type: ignore[return-value]

    def __add__(self, other: tuple[int, ...]) -> "Size":  # type: ignore[override]
        return Size(tuple.__add__(self, other))

    def __radd__(self, other: tuple[int, ...]) -> "Size":
        return Size(tuple.__add__(other, self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, times: SupportsIndex) -> "Size":
        return size_of(tuple.__mul__(self, times))

    def __rmul__(self, times: SupportsIndex) -> "Size":
        return self * times

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"


item_of = tuple.__getitem__
size_of = partial(tuple.__new__, Size)  # for integers, which are not looked at
