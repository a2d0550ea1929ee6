"""Helpers of distributions: numbers as tensors, probabilities and logits, lazy properties."""

from collections.abc import Callable, Sequence
from functools import update_wrapper
from typing import Any

import rushlight as torch
from rushlight.core.advice import advised
from rushlight.nn.functional import softmax
from rushlight.tensors import Tensor

__all__ = [
    "broadcast_all",
    "clamp_probs",
    "lazy_property",
    "logits_to_probs",
    "probs_to_logits",
    "tril_matrix_to_vec",
    "vec_to_tril_matrix",
]

euler_constant: float = 0.57721566490153286060


def broadcast_all(*values: Tensor | float) -> tuple[Tensor, ...]:
    """Tensors broadcast to one shape. Numbers take the dtype of the first tensor, or the default dtype.

    ValueError for values that are neither tensors nor numbers.

    >>> import rushlight as torch
    >>> torch.distributions.utils.broadcast_all(1.0, torch.zeros(2))
    (tensor([1., 1.]), tensor([0., 0.]))
    """
    if not all(isinstance(value, Tensor | int | float) for value in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
        )
    dtype = next((value.dtype for value in values if isinstance(value, Tensor)), torch.get_default_dtype())
    tensors = [value if isinstance(value, Tensor) else torch.tensor(value, dtype=dtype) for value in values]
    return torch.broadcast_tensors(*tensors)


def exactly_one(probs: Tensor | None, logits: Tensor | None) -> Any:
    """The name and the value of the argument that is given. ValueError unless exactly one of the two is."""
    if (probs is None) == (logits is None):
        raise ValueError(advised("Either `probs` or `logits` must be specified, but not both."))
    return ("logits", logits) if probs is None else ("probs", probs)


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Probabilities from logits: a sigmoid if `is_binary`, else a softmax over the last dimension."""
    return torch.sigmoid(logits) if is_binary else softmax(logits, dim=-1)


def clamp_probs(probs: Tensor) -> Tensor:
    """Probabilities clamped away from 0 and 1 by the epsilon of their dtype."""
    eps = torch.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Logits from probabilities, which are first clamped: log odds if `is_binary`, else logarithms."""
    inner = clamp_probs(probs)
    return torch.log(inner) - torch.log1p(-inner) if is_binary else torch.log(inner)


class lazy_property:
    """A property that is computed when it is first read, with gradients enabled, and then stored as an attribute."""

    def __init__(self, wrapped: Callable[[Any], Any]):
        self.wrapped = wrapped
        update_wrapper(self, wrapped)  # type: ignore[arg-type]  # it takes any object

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return shown_property(self.wrapped)
        with torch.enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


class shown_property(lazy_property, property):
    """A `lazy_property` as its class shows it: a property, for documentation and inspection."""

    def __init__(self, wrapped: Callable[[Any], Any]):
        property.__init__(self, wrapped)


def constant_like(like: Tensor, shape: Sequence[int], value: float) -> Tensor:
    """A tensor filled with one value, in the dtype of `like`."""
    return torch.full(tuple(shape), value, dtype=like.dtype)


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """The lower triangles of square matrices, row by row, as vectors. ValueError for a diagonal out of range.

    >>> import rushlight as torch
    >>> torch.distributions.utils.tril_matrix_to_vec(torch.arange(4.0).view(2, 2))
    tensor([0., 2., 3.])
    """
    n = mat.shape[-1]
    if not -n <= diag < n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    rows, columns = torch.tril_indices(n, n, diag)
    return mat[..., rows, columns]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """Square matrices from vectors with the rows of their lower triangles. ValueError for an impossible length.

    >>> import rushlight as torch
    >>> torch.distributions.utils.vec_to_tril_matrix(torch.tensor([1.0, 2.0, 3.0]))
    tensor([[1., 0.],
            [2., 3.]])
    """
    length, b = vec.shape[-1], 1 + 2 * diag
    side = (-b + (b**2 + 8 * length + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2
    n = round(side)
    if n - side > torch.finfo(vec.dtype).eps:
        raise ValueError(
            f"The size of last dimension is {length} which cannot be expressed as "
            "the lower triangular part of a square D x D matrix."
        )
    rows, columns = torch.tril_indices(n, n, diag)
    mat = vec.new_zeros((*vec.shape[:-1], n, n))
    mat[..., rows, columns] = vec
    return mat


def _sum_rightmost(value: Tensor, dim: int) -> Tensor:
    """The sum over the last `dim` dimensions."""
    return value if dim == 0 else value.reshape((*value.shape[:-dim], -1)).sum(-1)


def _standard_normal(shape: Sequence[int], dtype: torch.dtype | None, device: Any = None) -> Tensor:
    """Standard normal random numbers, drawn as by `normal_`."""
    return torch.empty(tuple(shape), dtype=dtype, device=device).normal_()
