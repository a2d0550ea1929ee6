"""Weight normalization: the norms of a weight's slices, and weights with given norms."""

from rushlight.ops.reductions.norms import vector_norm
from rushlight.tensors import Tensor

__all__ = ["_weight_norm", "norm_except_dim"]


def norm_except_dim(v: Tensor, pow: int = 2, dim: int = 0) -> Tensor:
    """The norm over all dimensions but `dim`, which keeps its size; for `dim=-1` the norm of the whole tensor.

    >>> import rushlight as torch
    >>> torch.norm_except_dim(torch.tensor([[3.0, 4.0], [0.0, 2.0]]))
    tensor([[5.],
            [2.]])
    """
    if dim == -1:
        return vector_norm(v, pow, None, False)
    others = [d for d in range(v.ndim) if d != dim]
    return vector_norm(v, pow, others, True) if others else v.abs()


def _weight_norm(v: Tensor, g: Tensor, dim: int = 0) -> Tensor:
    """`v`, with each slice along `dim` rescaled to the norm in `g`."""
    return v * (g / norm_except_dim(v, 2, dim))
