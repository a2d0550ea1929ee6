"""Variances and standard deviations."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batching import leading
from rushlight.core.fusion import fused
from rushlight.core.kinds import kind_of
from rushlight.core.lines import warn
from rushlight.core.narrow import in_float32
from rushlight.kernels.reductions import moments as fast_moments
from rushlight.ops.arguments.keywords import keywords
from rushlight.ops.derivatives.series import rewritten
from rushlight.ops.derivatives.tangents import weighed
from rushlight.ops.elementwise.selection import ratio
from rushlight.ops.reductions.reduction import Dim, averaged, axes, kept_shape, repeated_over, size_of
from rushlight.ops.table import method, operator
from rushlight.tensors import Tensor

__all__ = ["std", "std_mean", "var", "var_mean"]


def centred(input: Array, dims: Sequence[int]) -> tuple[Array, ...]:
    """The input minus its mean over `dims`, and that mean with its dimensions kept."""
    mean = averaged(input, tuple(dims), True)
    return input - mean, mean


@fused
def spread(factor: Array, input: Array, mean: Array) -> Array:
    """The deviation from the mean times a factor."""
    return factor * (input - mean)


def degrees(shape: Sequence[int], dims: Sequence[int], correction: float) -> float:
    """The divisor of the sum of squares, n - correction; at least 0.0."""
    size = size_of(shape, dims)
    return max(size - correction, 0.0) if size else 0.0


def divided(x: Array, n: float) -> Array:
    """x / n; if n is 0, infinity or NaN, without a warning."""
    return x / n if n else x * np.inf


def variance_of(input: Array, dims: Any, correction: float, keepdim: Any) -> tuple[Any, ...]:
    """The variance and the mean of arrays; the mean keeps its dimensions."""
    n = degrees(input.shape, dims, correction)
    if (found := fast_moments(input, dims, n)) is not None:
        shape = kept_shape(input.shape, dims)
        return found[0].reshape(shape) if keepdim else found[0], found[1].reshape(shape)
    deviation, mean = centred(input.astype(np.float32) if input.dtype == np.float16 else input, dims)
    squares = (
        np.square(deviation.real) + np.square(deviation.imag) if input.dtype.kind == "c" else deviation * deviation
    )
    return divided(np.add.reduce(squares, axis=dims, keepdims=keepdim), n), mean


def like_input(array: Array, input: Array) -> Array:
    """Casts a result to the precision of the input."""
    return array.astype(np.float16) if input.dtype == np.float16 else array


def with_mean(statistic: Array, mean: Array, input: Array, dims: Sequence[int], keepdim: bool) -> list[Array]:
    """A variance or standard deviation and the mean, without the reduced dimensions unless `keepdim`."""
    mean = mean if keepdim else np.reshape(mean, [n for d, n in enumerate(input.shape) if d not in dims])
    return [like_input(statistic, input), like_input(mean, input)]


@in_float32
def variance_cotangent(grad: Array, input: Array, dims: Sequence[int], correction: int, keepdim: bool) -> Array:
    """`grad * 2 (x - mean) / (n - correction)`; a constant, NaN or infinity, if that is 0 for all elements together."""
    n = degrees(input.shape, dims, correction)
    grad = grad if keepdim else grad.reshape(kept_shape(input.shape, dims))
    if not n and len(dims) == input.ndim:
        return grad * np.where(centred(input, dims)[0] == 0, np.nan, np.inf).astype(input.dtype)
    return spread(divided(2 * grad, n), input, averaged(input, tuple(dims), True))


@in_float32
def deviation_cotangent(
    grad: Array, input: Array, result: Array, dims: Sequence[int], correction: int, keepdim: bool
) -> Array:
    """The gradient of the variance divided by twice the standard deviation; 0 where that is 0."""
    return variance_cotangent(ratio(grad, 2 * result), input, dims, correction, keepdim)


def moments_cotangent(
    grads: Sequence[Array | None], input: Array, result: Array, dims: Sequence[int], correction: int, keepdim: bool
) -> Array:
    """The gradients through a variance or standard deviation (`result`) and a mean, added up; either may be None."""
    grad, mean = grads
    if mean is not None:
        mean = mean_cotangent(mean, input.shape, dims, keepdim)
    if grad is None:
        return mean
    spreading = (input, dims, correction, keepdim) if result is None else (input, result, dims, correction, keepdim)
    cotangent = (variance_cotangent if result is None else deviation_cotangent)(grad, *spreading)
    return cotangent if mean is None else cotangent + mean


def mean_cotangent(grad: Array, input_shape: Sequence[int], dims: Sequence[int], keepdim: bool) -> Array:
    """The gradient of the mean."""
    return repeated_over(grad / size_of(input_shape, dims), input_shape, dims, keepdim)


def variance_by_parts(input: Array, dims: Sequence[int], correction: Any, keepdim: bool) -> Any:
    """The variance, step by step: the sum of squared deviations from the mean, divided by n - correction."""
    rest = input - input.mean(dims, keepdim=True)
    squares = (rest * rest).sum(dims, keepdim=keepdim)
    return squares * (squares.numel() / (input.numel() - correction * squares.numel()))


@operator(
    batch=leading,
    holomorphic=False,
    tangent=weighed,
    series=rewritten(variance_by_parts),
    input=lambda grad, input, dims, correction, keepdim: variance_cotangent(grad, input, dims, correction, keepdim),
)
def _var(input: Array, dims: Sequence[int], correction: float, keepdim: bool) -> Array:
    return like_input(variance_of(input, dims, correction, keepdim)[0], input)


@operator(
    batch=leading,
    holomorphic=False,
    tangent=weighed,
    input=lambda grad, input, result, dims, correction, keepdim: deviation_cotangent(
        grad, input, result, dims, correction, keepdim
    ),
)
def _std(input: Array, dims: Sequence[int], correction: float, keepdim: bool) -> Array:
    return like_input(np.sqrt(variance_of(input, dims, correction, keepdim)[0]), input)


@operator(
    batch=leading,
    holomorphic=False,
    takes_none=True,
    input=lambda grads, input, dims, correction, keepdim: moments_cotangent(
        grads, input, None, dims, correction, keepdim
    ),
)
def _var_mean(input: Array, dims: Sequence[int], correction: float, keepdim: bool) -> list[Array]:
    variance, mean = variance_of(input, dims, correction, keepdim)
    return with_mean(variance, mean, input, dims, keepdim)


@operator(
    batch=leading,
    holomorphic=False,
    takes_none=True,
    input=lambda grads, input, result0, dims, correction, keepdim: moments_cotangent(
        grads, input, result0, dims, correction, keepdim
    ),
)
def _std_mean(input: Array, dims: Sequence[int], correction: float, keepdim: bool) -> list[Array]:
    variance, mean = variance_of(input, dims, correction, keepdim)
    return with_mean(np.sqrt(variance), mean, input, dims, keepdim)


def moments(name: str, entry: Any, input: Tensor, dim: Any, unbiased: Any, correction: Any, keepdim: bool) -> Any:
    """The part that the four functions share: PyTorch's two signatures, with `unbiased` and with `correction`."""
    if isinstance(dim, bool):  # the call is std(input, unbiased)
        dim, unbiased = None, dim
    if kind_of(input._array.dtype) not in "fc":
        raise RuntimeError(f"{name} only support floating point and complex dtypes")
    dims = axes(dim, input._array.ndim)
    if correction is None:
        correction = 1 if unbiased is None or unbiased else 0
    if degrees(input._array.shape, dims, correction) <= 0:
        warn(
            f"{entry.name}(): degrees of freedom is <= 0. Correction should be strictly less than the "
            "reduction factor (input numel divided by output numel).",
        )
    return entry(input, dims, correction, keepdim)


@method
@keywords
def var(
    input: Tensor,
    dim: Dim | bool = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> Tensor:
    """The variance over all or some dimensions: the sum of squared deviations, divided by n - `correction`.

    `unbiased` is the older way to choose a `correction` of 1 (the default) or 0. RuntimeError for integers.

    >>> import rushlight as torch
    >>> torch.var(torch.tensor([1.0, 2.0, 6.0])), torch.var(torch.tensor([1.0, 2.0, 6.0]), correction=0)
    (tensor(7.), tensor(4.6667))
    """
    return moments("std and var", _var, input, dim, unbiased, correction, keepdim)


@method
@keywords
def std(
    input: Tensor,
    dim: Dim | bool = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> Tensor:
    """The standard deviation, the square root of `var`. Where it is 0, so is its gradient.

    >>> import rushlight as torch
    >>> torch.std(torch.tensor([1.0, 2.0, 6.0]))
    tensor(2.6458)
    """
    return moments("std and var", _std, input, dim, unbiased, correction, keepdim)


@keywords
def var_mean(
    input: Tensor,
    dim: Dim | bool = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> tuple[Tensor, Tensor]:
    """The variance and the mean; see `var`.

    >>> import rushlight as torch
    >>> torch.var_mean(torch.tensor([1.0, 2.0, 6.0]))
    (tensor(7.), tensor(3.))
    """
    return moments("var_mean", _var_mean, input, dim, unbiased, correction, keepdim)


@keywords
def std_mean(
    input: Tensor,
    dim: Dim | bool = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> tuple[Tensor, Tensor]:
    """The standard deviation and the mean; see `std`.

    >>> import rushlight as torch
    >>> torch.std_mean(torch.tensor([1.0, 2.0, 6.0]))
    (tensor(2.6458), tensor(3.))
    """
    return moments("std_mean", _std_mean, input, dim, unbiased, correction, keepdim)
