"""Distances and similarities between vectors."""

from rushlight.nn import functional as F
from rushlight.nn.modules.module import Module
from rushlight.tensors import Tensor

__all__ = ["CosineSimilarity", "PairwiseDistance"]


class PairwiseDistance(Module):
    """The p-norm of the difference of two tensors along the last dimension, to which `eps` is added first.

    RuntimeError for shapes that do not broadcast.

    >>> import rushlight as torch
    >>> torch.nn.PairwiseDistance()(torch.zeros(1, 2), torch.tensor([[3.0, 4.0]]))
    tensor([5.0000])
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False):
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """The distances; (*, D) gives (*), or (*, 1) with `keepdim`."""
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """The cosine of the angle between vectors along a dimension.

    RuntimeError for shapes that do not broadcast, IndexError for a dimension that does not exist.

    >>> import rushlight as torch
    >>> torch.nn.CosineSimilarity()(torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 1.0]]))
    tensor([0.7071])
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8):
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """The cosines; the dimension `dim` is removed."""
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
