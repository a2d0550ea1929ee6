"""Dropout layers, which set random elements or channels to zero in training."""

from rushlight.core.advice import advised
from rushlight.nn import functional as F
from rushlight.nn.modules.base.making import as_text
from rushlight.nn.modules.module import Module
from rushlight.tensors import Tensor

__all__ = ["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout"]


class _DropoutNd(Module):
    """Base class of dropout layers. ValueError if `p` is not a probability."""

    def __init__(self, p: float = 0.5, inplace: bool = False):
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(advised(f"dropout probability has to be between 0 and 1, but got {p}"))
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        """The probability, and whether the layer works in place."""
        return as_text(self, "p", "inplace")


class Dropout(_DropoutNd):
    """In training, sets each element to zero with probability `p` and scales the others by 1 / (1 - p).

    Source: G. Hinton et al., "Improving neural networks by preventing co-adaptation of feature detectors", 2012.

    ValueError for a `p` that is not between 0 and 1.

    >>> import rushlight as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.nn.Dropout(0.5)(torch.ones(6))
    tensor([0., 0., 2., 0., 0., 0.])
    """

    def forward(self, input: Tensor) -> Tensor:
        """In training, a copy with random zeros; in evaluation mode, the input itself."""
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_DropoutNd):
    """In training, sets random channels of (N, C, L) or (C, L) to zero.

    ValueError for a `p` that is not between 0 and 1; RuntimeError for inputs of other numbers of dimensions.

    >>> import rushlight as torch
    >>> torch.nn.Dropout1d(0.5)(torch.ones(8, 3)).unique(dim=1).shape
    torch.Size([8, 1])
    """

    def forward(self, input: Tensor) -> Tensor:
        """In training, a copy in which some channels are zero; in evaluation mode, the input itself."""
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """In training, sets random channels of images (N, C, H, W) to zero.

    ValueError for a `p` that is not between 0 and 1.

    >>> import rushlight as torch
    >>> torch.nn.Dropout2d(0.5)(torch.ones(1, 8, 3, 3)).flatten(2).unique(dim=2).shape
    torch.Size([1, 8, 1])
    """

    def forward(self, input: Tensor) -> Tensor:
        """In training, a copy in which some channels are zero; in evaluation mode, the input itself."""
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_DropoutNd):
    """In training, sets random channels of volumes (N, C, D, H, W) to zero.

    ValueError for a `p` that is not between 0 and 1.

    >>> import rushlight as torch
    >>> torch.nn.Dropout3d(0.5)(torch.ones(1, 8, 2, 3, 3)).flatten(2).unique(dim=2).shape
    torch.Size([1, 8, 1])
    """

    def forward(self, input: Tensor) -> Tensor:
        """In training, a copy in which some channels are zero; in evaluation mode, the input itself."""
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """In training, sets random elements to SELU's lowest value, and keeps mean 0 and variance 1.

    Source: G. Klambauer et al., "Self-normalizing neural networks", 2017.

    ValueError for a `p` that is not between 0 and 1.

    >>> import rushlight as torch
    >>> drop = torch.nn.AlphaDropout(0.5)
    >>> drop.eval()(torch.tensor([1.0, 2.0]))
    tensor([1., 2.])
    >>> drop.train()(torch.ones(1000)).unique().numel()
    2
    """

    def forward(self, input: Tensor) -> Tensor:
        """In training, a copy with random elements replaced; in evaluation mode, the input itself."""
        return F.alpha_dropout(input, self.p, self.training, self.inplace)


class FeatureAlphaDropout(_DropoutNd):
    """`AlphaDropout` of whole channels.

    ValueError for a `p` that is not between 0 and 1.

    >>> import rushlight as torch
    >>> torch.nn.FeatureAlphaDropout(0.5)(torch.ones(1, 8, 3, 3)).flatten(2).unique(dim=2).shape
    torch.Size([1, 8, 1])
    """

    def forward(self, input: Tensor) -> Tensor:
        """In training, a copy with random channels replaced; in evaluation mode, the input itself."""
        return F.feature_alpha_dropout(input, self.p, self.training, self.inplace)
