"""Operations along a dimension, with results in the shape of the input, over the elements where a mask is True."""

from rushlight.dtypes import dtype as Type
from rushlight.masked.masks import largest, masked_by_identity, smallest
from rushlight.masked.reductions import norm
from rushlight.ops.arguments.dims import wrap_dim
from rushlight.ops.elementwise.selection import maximum
from rushlight.ops.reductions import cumulative
from rushlight.ops.reductions import prod as products
from rushlight.ops.reductions import softmax as exponentials
from rushlight.tensors import Tensor


def softmax(input: Tensor, dim: int, *, dtype: Type | None = None, mask: Tensor | None = None) -> Tensor:
    """The softmax of the elements where the mask is True; 0 elsewhere, NaN if the mask is nowhere True.

    >>> import rushlight as torch
    >>> torch.masked.softmax(torch.tensor([0.0, 2.0, 0.0]), 0, mask=torch.tensor([True, False, True]))
    tensor([0.5000, 0.0000, 0.5000])
    """
    return exponentials.softmax(masked_by_identity(input, mask, smallest), dim, dtype or input.dtype)


def log_softmax(input: Tensor, dim: int, *, dtype: Type | None = None, mask: Tensor | None = None) -> Tensor:
    """The logarithm of `masked.softmax`.

    >>> import rushlight as torch
    >>> torch.masked.log_softmax(torch.tensor([0.0, 2.0, 0.0]), 0, mask=torch.tensor([True, False, True]))
    tensor([-0.6931,    -inf, -0.6931])
    """
    return exponentials.log_softmax(masked_by_identity(input, mask, smallest), dim, dtype or input.dtype)


def softmin(input: Tensor, dim: int, *, dtype: Type | None = None, mask: Tensor | None = None) -> Tensor:
    """The softmax of minus the input, over the elements where the mask is True.

    >>> import rushlight as torch
    >>> torch.masked.softmin(torch.tensor([0.0, 2.0, 0.0]), 0, mask=torch.tensor([True, False, True]))
    tensor([0.5000, 0.0000, 0.5000])
    """
    return exponentials.softmax(-masked_by_identity(input, mask, largest), dim, dtype or input.dtype)


def normalize(
    input: Tensor, ord: float, dim: int, *, eps: float = 1e-12, dtype: Type | None = None, mask: Tensor | None = None
) -> Tensor:
    """The elements where the mask is True, divided by their norm along a dimension (at least `eps`).

    >>> import rushlight as torch
    >>> torch.masked.normalize(torch.tensor([3.0, 7.0, 4.0]), 2, 0, mask=torch.tensor([True, False, True]))
    tensor([0.6000, 0.0000, 0.8000])
    """
    size = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return masked_by_identity(input, mask, 0) / maximum(size, size.new_full([], eps))


def cumsum(input: Tensor, dim: int, *, dtype: Type | None = None, mask: Tensor | None = None) -> Tensor:
    """The cumulative sum along a dimension of the elements where the mask is True.

    >>> import rushlight as torch
    >>> torch.masked.cumsum(torch.tensor([1.0, 2.0, 4.0]), 0, mask=torch.tensor([True, False, True]))
    tensor([1., 1., 5.])
    """
    kind = dtype or input.dtype
    return cumulative.cumsum(masked_by_identity(input, mask, 0), wrap_dim(dim, input._array.ndim), dtype=kind)


def cumprod(input: Tensor, dim: int, *, dtype: Type | None = None, mask: Tensor | None = None) -> Tensor:
    """The cumulative product along a dimension of the elements where the mask is True.

    >>> import rushlight as torch
    >>> torch.masked.cumprod(torch.tensor([1.0, 2.0, 4.0]), 0, mask=torch.tensor([True, False, True]))
    tensor([1., 1., 4.])
    """
    kind = dtype or input.dtype
    return products.cumprod(masked_by_identity(input, mask, 1), wrap_dim(dim, input._array.ndim), dtype=kind)
