"""Padding layers: with a constant, by reflection, by replication of the edge, or circular."""

from typing import Any, ClassVar

from rushlight.core.advice import advised
from rushlight.nn import functional as F
from rushlight.nn.modules.base.making import Sizes, as_text, repeated
from rushlight.nn.modules.module import Module
from rushlight.tensors import Tensor

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]


class _Pad(Module):
    """Base class of padding layers; the widths are those before and after each dimension, the last dimension first."""

    dims: ClassVar[int]
    mode: ClassVar[str]

    def __init__(self, padding: Sizes):
        super().__init__()
        self.padding: tuple[Any, ...] = repeated(padding, 2 * self.dims)

    def forward(self, input: Tensor) -> Tensor:
        """A padded copy of the input."""
        return F.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        """The padding widths, as `repr` shows them."""
        return str(self.padding)


class _ConstantPadNd(_Pad):
    """Base class of padding with a constant."""

    mode = "constant"

    def __init__(self, padding: Sizes, value: float):
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """A copy padded with `value`."""
        return F.pad(input, self.padding, self.mode, self.value)

    def extra_repr(self) -> str:
        """The padding widths, and the constant."""
        return as_text(self, "padding", "value")


class ConstantPad1d(_ConstantPadNd):
    """Pads the last dimension with a constant: by one number of elements, or by (left, right).

    RuntimeError for negative padding that leaves nothing, and for inputs of too few dimensions.

    >>> import rushlight as torch
    >>> torch.nn.ConstantPad1d((1, 2), 3.5)(torch.ones(1, 2))
    tensor([[3.5000, 1.0000, 1.0000, 3.5000, 3.5000]])
    """

    dims = 1


class ConstantPad2d(_ConstantPadNd):
    """Pads the last two dimensions with a constant: by one number, or by (left, right, top, bottom).

    RuntimeError for negative padding that leaves nothing, and for inputs of too few dimensions.

    >>> import rushlight as torch
    >>> torch.nn.ConstantPad2d((1, 0, 0, 1), 9.0)(torch.tensor([[[1.0, 2.0], [3.0, 4.0]]]))
    tensor([[[9., 1., 2.],
             [9., 3., 4.],
             [9., 9., 9.]]])
    """

    dims = 2


class ConstantPad3d(_ConstantPadNd):
    """Pads the last three dimensions with a constant: by one number, or (left, right, top, bottom, front, back).

    RuntimeError for negative padding that leaves nothing, and for inputs of too few dimensions.

    >>> import rushlight as torch
    >>> torch.nn.ConstantPad3d((1, 0, 0, 1, 0, 0), 9.0)(torch.ones(1, 1, 1, 2))
    tensor([[[[9., 1., 1.],
              [9., 9., 9.]]]])
    """

    dims = 3


class _ZeroPad(_ConstantPadNd):
    """Base class of padding with zeros."""

    def __init__(self, padding: Sizes):
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        """The padding widths, as `repr` shows them."""
        return str(self.padding)


class ZeroPad1d(_ZeroPad, ConstantPad1d):
    """Pads the last dimension with zeros.

    RuntimeError for negative padding that leaves nothing, and for inputs of too few dimensions.

    >>> import rushlight as torch
    >>> torch.nn.ZeroPad1d((2, 1))(torch.tensor([[1.0, 2.0]]))
    tensor([[0., 0., 1., 2., 0.]])
    """


class ZeroPad2d(_ZeroPad, ConstantPad2d):
    """Pads the last two dimensions with zeros.

    RuntimeError for negative padding that leaves nothing, and for inputs of too few dimensions.

    >>> import rushlight as torch
    >>> torch.nn.ZeroPad2d((1, 0, 0, 1))(torch.tensor([[[1.0, 2.0], [3.0, 4.0]]]))
    tensor([[[0., 1., 2.],
             [0., 3., 4.],
             [0., 0., 0.]]])
    """


class ZeroPad3d(_ZeroPad, ConstantPad3d):
    """Pads the last three dimensions with zeros.

    RuntimeError for negative padding that leaves nothing, and for inputs of too few dimensions.

    >>> import rushlight as torch
    >>> torch.nn.ZeroPad3d(1)(torch.rand(1, 2, 2, 2)).shape
    torch.Size([1, 4, 4, 4])
    """


class _ReflectionPadNd(_Pad):
    """Base class of reflection padding."""

    mode = "reflect"


class ReflectionPad1d(_ReflectionPadNd):
    """Pads the last dimension by reflection at its ends; the edge elements are not repeated.

    RuntimeError for padding that is as long as the input.

    >>> import rushlight as torch
    >>> torch.nn.ReflectionPad1d(2)(torch.tensor([[1.0, 2.0, 3.0]]))
    tensor([[3., 2., 1., 2., 3., 2., 1.]])
    """

    dims = 1


class ReflectionPad2d(_ReflectionPadNd):
    """Pads the last two dimensions by reflection at their edges; the edge elements are not repeated.

    RuntimeError for padding that is as long as the input.

    >>> import rushlight as torch
    >>> torch.nn.ReflectionPad2d((1, 0, 0, 1))(torch.tensor([[[1.0, 2.0], [3.0, 4.0]]]))
    tensor([[[2., 1., 2.],
             [4., 3., 4.],
             [2., 1., 2.]]])
    """

    dims = 2


class ReflectionPad3d(_ReflectionPadNd):
    """Pads the last three dimensions by reflection at their edges; the edge elements are not repeated.

    RuntimeError for padding that is as long as the input.

    >>> import rushlight as torch
    >>> torch.nn.ReflectionPad3d(1)(torch.rand(1, 2, 2, 2)).shape
    torch.Size([1, 4, 4, 4])
    """

    dims = 3


class _ReplicationPadNd(_Pad):
    """Base class of replication padding."""

    mode = "replicate"


class ReplicationPad1d(_ReplicationPadNd):
    """Pads the last dimension by repeating the elements at its ends.

    NotImplementedError or RuntimeError for inputs of too few dimensions.

    >>> import rushlight as torch
    >>> torch.nn.ReplicationPad1d((2, 1))(torch.tensor([[1.0, 2.0, 3.0]]))
    tensor([[1., 1., 1., 2., 3., 3.]])
    """

    dims = 1


class ReplicationPad2d(_ReplicationPadNd):
    """Pads the last two dimensions by repeating the elements at their edges.

    NotImplementedError or RuntimeError for inputs of too few dimensions.

    >>> import rushlight as torch
    >>> torch.nn.ReplicationPad2d((1, 0, 0, 1))(torch.tensor([[[1.0, 2.0], [3.0, 4.0]]]))
    tensor([[[1., 1., 2.],
             [3., 3., 4.],
             [3., 3., 4.]]])
    """

    dims = 2


class ReplicationPad3d(_ReplicationPadNd):
    """Pads the last three dimensions by repeating the elements at their edges.

    NotImplementedError or RuntimeError for inputs of too few dimensions.

    >>> import rushlight as torch
    >>> torch.nn.ReplicationPad3d(1)(torch.rand(1, 2, 2, 2)).shape
    torch.Size([1, 4, 4, 4])
    """

    dims = 3


class _CircularPadNd(_Pad):
    """Base class of circular padding. ValueError unless there are one or two dimensions before the padded ones."""

    mode = "circular"

    def forward(self, input: Tensor) -> Tensor:
        """A copy continued at each end with the elements from the other end."""
        low, high = self.dims + 1, self.dims + 2
        if input.ndim not in (low, high):
            raise ValueError(advised(f"expected {low}D or {high}D input (got {input.ndim}D input)"))
        return super().forward(input)


class CircularPad1d(_CircularPadNd):
    """Pads the last dimension with elements from its other end.

    RuntimeError for padding that is longer than the input.

    >>> import rushlight as torch
    >>> torch.nn.CircularPad1d(1)(torch.tensor([[1.0, 2.0, 3.0]]))
    tensor([[3., 1., 2., 3., 1.]])
    """

    dims = 1


class CircularPad2d(_CircularPadNd):
    """Pads the last two dimensions with elements from their other ends.

    RuntimeError for padding that is longer than the input.

    >>> import rushlight as torch
    >>> torch.nn.CircularPad2d((1, 0, 0, 1))(torch.tensor([[[1.0, 2.0], [3.0, 4.0]]]))
    tensor([[[2., 1., 2.],
             [4., 3., 4.],
             [2., 1., 2.]]])
    """

    dims = 2


class CircularPad3d(_CircularPadNd):
    """Pads the last three dimensions with elements from their other ends.

    RuntimeError for padding that is longer than the input.

    >>> import rushlight as torch
    >>> torch.nn.CircularPad3d(1)(torch.rand(1, 2, 2, 2)).shape
    torch.Size([1, 4, 4, 4])
    """

    dims = 3
