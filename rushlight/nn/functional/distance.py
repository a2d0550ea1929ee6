"""Distances and similarities between vectors."""

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.graph import new_tensor
from rushlight.core.interpreters import rely_on
from rushlight.dtypes import TYPE_NAMES, promote_types
from rushlight.ops.reductions.distances import pdist
from rushlight.ops.reductions.norms import vector_norm
from rushlight.ops.shapes.broadcasting import broadcast_tensors
from rushlight.tensors import Tensor

__all__ = ["cosine_similarity", "pairwise_distance", "pdist"]


def at_least(norm: Tensor, eps: float) -> Tensor:
    """A norm of at least `eps`; the gradient ignores the bound."""
    array = norm._array
    if are_at_least(array, eps):
        rely_on(are_at_least, array, eps)
        return norm
    return norm + new_tensor(np.where(array < eps, eps - array, 0).astype(array.dtype))


def are_at_least(array: Array, least: float) -> bool:
    """Whether no element is less than `least`."""
    if type(array) is np.ndarray:
        return not np.minimum.reduce(array, axis=None, initial=np.inf) < least
    return not (array < least).any()


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along a dimension, with broadcasting; norms are at least `eps`.

    RuntimeError for integers, IndexError for a dimension out of range.

    >>> import rushlight as torch
    >>> torch.nn.functional.cosine_similarity(torch.tensor([[1.0, 0.0]]), torch.tensor([[3.0, 4.0]]))
    tensor([0.6000])
    """
    common = promote_types(x1.dtype, x2.dtype)
    if not common.is_floating_point:
        raise RuntimeError(f"expected common dtype to be floating point, yet common dtype is {TYPE_NAMES[common]}")
    pair = [x if x._array.dtype == common._numpy else x.to(common) for x in (x1, x2)]
    x1, x2 = (x / at_least(vector_norm(x, 2, dim, True), eps) for x in broadcast_tensors(*pair))
    return (x1 * x2).sum(dim)


def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-06, keepdim: bool = False) -> Tensor:
    """The p-norm of `x1 - x2 + eps` along the last dimension, with broadcasting.

    >>> import rushlight as torch
    >>> torch.nn.functional.pairwise_distance(torch.zeros(1, 2), torch.tensor([[3.0, 4.0]]))
    tensor([5.0000])
    """
    return vector_norm(x1 - x2 + eps, p, -1, keepdim)
