"""Dropout layers: parts of the input are set to zero at random while training."""

from rushlight.core.advice import advised
from rushlight.nn import functional as F
from rushlight.nn.modules.base.making import shown
from rushlight.nn.modules.module import Module
from rushlight.tensors import Tensor

__all__ = ["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout"]


class _DropoutNd(Module):
    """What the dropout layers share. ValueError for a probability that is none."""

    def __init__(self, p: float = 0.5, inplace: bool = False):
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(advised(f"dropout probability has to be between 0 and 1, but got {p}"))
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        """The probability, and whether the input is overwritten."""
        return shown(self, "p", "inplace")


class Dropout(_DropoutNd):
    """Sets each element to zero with probability `p` and scales the others by 1 / (1 - p); in training mode
    only.

    Source: G. Hinton et al., "Improving neural networks by preventing co-adaptation of feature detectors",
    2012.

    >>> import rushlight as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.nn.Dropout(0.5)(torch.ones(6))
    tensor([0., 0., 2., 0., 0., 0.])
    """

    def forward(self, input: Tensor) -> Tensor:
        """A copy with random zeros while training, the input itself in evaluation mode."""
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_DropoutNd):
    """Sets whole channels of inputs (N, C, L) or (C, L) to zero.

    >>> import rushlight as torch
    >>> torch.nn.Dropout1d(0.5)(torch.ones(8, 3)).unique(dim=1).shape
    torch.Size([8, 1])
    """

    def forward(self, input: Tensor) -> Tensor:
        """A copy with some channels (N, C, L) zero while training, the input itself in evaluation mode."""
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """Sets whole channels of images (N, C, H, W) to zero.

    >>> import rushlight as torch
    >>> torch.nn.Dropout2d(0.5)(torch.ones(1, 8, 3, 3)).flatten(2).unique(dim=2).shape
    torch.Size([1, 8, 1])
    """

    def forward(self, input: Tensor) -> Tensor:
        """A copy with some channels (N, C, H, W) zero while training, the input itself in evaluation mode."""
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_DropoutNd):
    """Sets whole channels of volumes (N, C, D, H, W) to zero.

    >>> import rushlight as torch
    >>> torch.nn.Dropout3d(0.5)(torch.ones(1, 8, 2, 3, 3)).flatten(2).unique(dim=2).shape
    torch.Size([1, 8, 1])
    """

    def forward(self, input: Tensor) -> Tensor:
        """A copy with some channels (N, C, D, H, W) zero while training, the input itself in evaluation mode."""
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """Sets elements to SELU's lowest value at random, and keeps mean 0 and variance 1.

    Source: G. Klambauer et al., "Self-normalizing neural networks", 2017.

    >>> import rushlight as torch
    >>> drop = torch.nn.AlphaDropout(0.5)
    >>> drop.eval()(torch.tensor([1.0, 2.0]))
    tensor([1., 2.])
    >>> drop.train()(torch.ones(1000)).unique().numel()
    2
    """

    def forward(self, input: Tensor) -> Tensor:
        """The input with some elements replaced."""
        return F.alpha_dropout(input, self.p, self.training, self.inplace)


class FeatureAlphaDropout(_DropoutNd):
    """The same for whole channels.

    >>> import rushlight as torch
    >>> torch.nn.FeatureAlphaDropout(0.5)(torch.ones(1, 8, 3, 3)).flatten(2).unique(dim=2).shape
    torch.Size([1, 8, 1])
    """

    def forward(self, input: Tensor) -> Tensor:
        """The input with some channels replaced."""
        return F.feature_alpha_dropout(input, self.p, self.training, self.inplace)
