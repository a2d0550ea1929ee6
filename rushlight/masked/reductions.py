"""Reductions over the elements where a mask is True."""

import numpy as np

from rushlight.core.kinds import kind_of
from rushlight.dtypes import dtype as Type
from rushlight.dtypes import float32, int64
from rushlight.masked.masks import input_mask, largest, masked_by_identity, smallest
from rushlight.ops.reductions import extrema, norms, order, reduction, softmax
from rushlight.ops.reductions import prod as products
from rushlight.ops.reductions.reduction import Dim, axes
from rushlight.tensors import Tensor


def dims_of(input: Tensor, dim: Dim) -> tuple[int, ...]:
    """The dimensions to reduce, sorted; all for None or an empty tuple."""
    return tuple(sorted(axes(dim, input._array.ndim)))


def type_of_sum(input: Tensor, dtype: Type | None) -> Type:
    """The dtype of a sum: int64 for integers and bools unless another is asked for."""
    return dtype or (int64 if input._array.dtype.kind in "biu" else input.dtype)


def sum(
    input: Tensor, dim: Dim = None, *, keepdim: bool = False, dtype: Type | None = None, mask: Tensor | None = None
) -> Tensor:
    """The sum of the elements where the mask is True; 0 if there are none.

    >>> import rushlight as torch
    >>> torch.masked.sum(torch.tensor([1.0, 2.0, 4.0]), mask=torch.tensor([True, False, True]))
    tensor(5.)
    """
    return reduction.sum(
        masked_by_identity(input, mask, 0), dims_of(input, dim), bool(keepdim), dtype=type_of_sum(input, dtype)
    )


def prod(
    input: Tensor, dim: Dim = None, *, keepdim: bool = False, dtype: Type | None = None, mask: Tensor | None = None
) -> Tensor:
    """The product of the elements where the mask is True; 1 if there are none.

    >>> import rushlight as torch
    >>> torch.masked.prod(torch.tensor([1.0, 2.0, 4.0]), mask=torch.tensor([True, False, True]))
    tensor(4.)
    """
    result = masked_by_identity(input, mask, 1).to(type_of_sum(input, dtype))
    for d in reversed(dims_of(input, dim)):
        result = products.prod(result, d, bool(keepdim))
    return result


def amax(
    input: Tensor, dim: Dim = None, *, keepdim: bool = False, dtype: Type | None = None, mask: Tensor | None = None
) -> Tensor:
    """The maximum of the elements where the mask is True; -inf if there are none.

    >>> import rushlight as torch
    >>> torch.masked.amax(torch.tensor([1.0, 5.0, 4.0]), mask=torch.tensor([True, False, True]))
    tensor(4.)
    """
    return extrema.amax(masked_by_identity(input, mask, smallest), dims_of(input, dim), bool(keepdim)).to(
        dtype or input.dtype
    )


def amin(
    input: Tensor, dim: Dim = None, *, keepdim: bool = False, dtype: Type | None = None, mask: Tensor | None = None
) -> Tensor:
    """The minimum of the elements where the mask is True; inf if there are none.

    >>> import rushlight as torch
    >>> torch.masked.amin(torch.tensor([3.0, 1.0, 4.0]), mask=torch.tensor([True, False, True]))
    tensor(3.)
    """
    return extrema.amin(masked_by_identity(input, mask, largest), dims_of(input, dim), bool(keepdim)).to(
        dtype or input.dtype
    )


def argmax(
    input: Tensor,
    dim: int | None = None,
    *,
    keepdim: bool = False,
    dtype: Type | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The index of the maximum of the elements where the mask is True, in the dtype of the input.

    >>> import rushlight as torch
    >>> torch.masked.argmax(torch.tensor([1, 5, 4]), mask=torch.tensor([True, False, True]))
    tensor(2)
    """
    return extrema.argmax(masked_by_identity(input, mask, smallest), dim, bool(keepdim)).to(dtype or input.dtype)


def argmin(
    input: Tensor,
    dim: int | None = None,
    *,
    keepdim: bool = False,
    dtype: Type | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The index of the minimum of the elements where the mask is True, in the dtype of the input.

    >>> import rushlight as torch
    >>> torch.masked.argmin(torch.tensor([3, 1, 4]), mask=torch.tensor([True, False, True]))
    tensor(0)
    """
    return extrema.argmin(masked_by_identity(input, mask, largest), dim, bool(keepdim)).to(dtype or input.dtype)


def counted(input: Tensor, dim: Dim, keepdim: bool, mask: Tensor | None) -> Tensor:
    """How many elements each result is reduced from."""
    inside = input.new_ones(input._array.shape, dtype=int64) if mask is None else input_mask(input, mask)
    return reduction.sum(inside, dims_of(input, dim), keepdim)


def mean(
    input: Tensor, dim: Dim = None, *, keepdim: bool = False, dtype: Type | None = None, mask: Tensor | None = None
) -> Tensor:
    """The mean of the elements where the mask is True; NaN if there are none. ValueError for integers.

    >>> import rushlight as torch
    >>> torch.masked.mean(torch.tensor([1.0, 2.0, 4.0]), mask=torch.tensor([True, False, True]))
    tensor(2.5000)
    """
    kind = dtype or input.dtype
    if not (kind.is_floating_point or kind.is_complex):
        raise ValueError(
            f"mean(): Could not infer output dtype. {'Input' if dtype is None else 'Optional'} dtype must be "
            f"either a floating point or complex dtype. Got: {kind}"
        )
    return sum(input, dim, keepdim=keepdim, dtype=kind, mask=mask) / counted(input, dim, bool(keepdim), mask)


def median(
    input: Tensor, dim: int = -1, *, keepdim: bool = False, dtype: Type | None = None, mask: Tensor | None = None
) -> Tensor:
    """The median along a dimension of the elements where the mask is True; NaN if there are none.

    ValueError if there are none in a tensor of integers, which have no NaN.

    >>> import rushlight as torch
    >>> torch.masked.median(torch.tensor([1.0, 2.0, 4.0]), mask=torch.tensor([True, False, True]))
    tensor(1.)
    """
    floating = input.is_floating_point()
    numbers = masked_by_identity(input if floating else input.to(float32), mask, np.nan)
    result = order.nanmedian(numbers, dim, keepdim).values
    if floating:
        return result
    if np.isnan(result._array).any():
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return result.to(dtype or input.dtype)


def logsumexp(
    input: Tensor, dim: Dim = None, *, keepdim: bool = False, dtype: Type | None = None, mask: Tensor | None = None
) -> Tensor:
    """The logarithm of the sum of exponentials of the elements where the mask is True.

    >>> import rushlight as torch
    >>> torch.masked.logsumexp(torch.tensor([0.0, 2.0, 0.0]), mask=torch.tensor([True, False, True]))
    tensor(0.6931)
    """
    return softmax.logsumexp(masked_by_identity(input, mask, smallest), dims_of(input, dim), keepdim).to(
        dtype or input.dtype
    )


def logaddexp(
    input: Tensor,
    other: Tensor,
    *,
    dtype: Type | None = None,
    input_mask: Tensor | None = None,
    other_mask: Tensor | None = None,
) -> Tensor:
    """log(exp(input) + exp(other)) of the elements where their masks are True; -inf where neither is.

    >>> import rushlight as torch
    >>> mask = torch.tensor([True, False])
    >>> torch.masked.logaddexp(torch.ones(2), torch.zeros(2), input_mask=mask, other_mask=mask)
    tensor([1.3133,   -inf])
    """
    return (
        masked_by_identity(input, input_mask, smallest)
        .logaddexp(masked_by_identity(other, other_mask, smallest))
        .to(dtype or input.dtype)
    )


def norm(
    input: Tensor,
    ord: float | None = 2.0,
    dim: Dim = None,
    *,
    keepdim: bool = False,
    dtype: Type | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The norm of the elements where the mask is True.

    >>> import rushlight as torch
    >>> torch.masked.norm(torch.tensor([3.0, 7.0, 4.0]), mask=torch.tensor([True, False, True]))
    tensor(5.)
    """
    p = 2.0 if ord is None else ord
    identity = np.inf if p == -np.inf else 0
    return norms.vector_norm(
        masked_by_identity(input, mask, identity), p, dims_of(input, dim), bool(keepdim), dtype or input.dtype
    )


def var(
    input: Tensor,
    dim: Dim = None,
    unbiased: bool | None = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
    dtype: Type | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The variance of the elements where the mask is True; NaN if there are none. See `torch.var`.

    >>> import rushlight as torch
    >>> torch.masked.var(torch.tensor([1.0, 7.0, 3.0]), mask=torch.tensor([True, False, True]))
    tensor(2.)
    """
    assert unbiased is None or correction is None, "Only one of unbiased and correction may be given"
    if correction is None:
        correction = 1 if unbiased is None else int(unbiased)
    kind = dtype or (input.dtype if kind_of(input._array.dtype) in "fc" else float32)
    computed = kind if kind.is_floating_point or kind.is_complex else float32
    deviation = input - sum(input, dim, keepdim=True, dtype=kind, mask=mask) / counted(input, dim, True, mask)
    total = sum(deviation * deviation.conj_physical(), dim, keepdim=keepdim, dtype=computed, mask=mask)
    n = (counted(input, dim, bool(keepdim), mask).to(computed.to_real()) - correction).clamp(min=0)
    return (total / n).to(kind)


def std(
    input: Tensor,
    dim: Dim = None,
    unbiased: bool | None = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
    dtype: Type | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The standard deviation of the elements where the mask is True; NaN if there are none.

    >>> import rushlight as torch
    >>> torch.masked.std(torch.tensor([1.0, 7.0, 3.0]), mask=torch.tensor([True, False, True]))
    tensor(1.4142)
    """
    return var(input, dim, unbiased, correction=correction, keepdim=keepdim, dtype=dtype, mask=mask).sqrt()
