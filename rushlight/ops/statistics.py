"""Moments: variances and standard deviations, covariance and correlation matrices."""

import warnings

import numpy as np

from rushlight.ops.keywords import keywords
from rushlight.ops.reduction import Dim, axes, size_of, spread
from rushlight.ops.table import method, operator
from rushlight.tensor import Tensor

__all__ = ["corrcoef", "cov", "std", "std_mean", "var", "var_mean"]


def centred(input, dims):
    """The input minus its mean over `dims`, and that mean, which keeps its dimensions."""
    mean = np.add.reduce(input, axis=dims, keepdims=True) / size_of(input.shape, dims)
    return input - mean, mean


def degrees(shape, dims, correction):
    """The number that the sum of squares is divided by; 0.0, not less, where there are too few elements."""
    return max(size_of(shape, dims) - correction, 0.0)


def divided(x, n):
    """x / n, also where n is 0: infinite or NaN."""
    return x / n if n else x * np.inf


def variance_of(input, dims, correction):
    """The variance and the mean on arrays, both with their dimensions kept."""
    deviation, mean = centred(input.astype(np.float32) if input.dtype == np.float16 else input, dims)
    squares = (
        np.square(deviation.real) + np.square(deviation.imag)
        if input.dtype.kind == "c"
        else deviation * deviation
    )
    n = degrees(input.shape, dims, correction)
    return divided(np.add.reduce(squares, axis=dims, keepdims=True), n), mean


def dropped(array, like, dims, keepdim):
    """A statistic in the precision of the input, without the dimensions it was computed over."""
    if like.dtype == np.float16:
        array = array.astype(np.float16)
    return array if keepdim else np.reshape(array, [n for d, n in enumerate(like.shape) if d not in dims])


def variance_cotangent(grad, input, dims, correction, keepdim):
    """2 (x - mean) / (n - correction), times the cotangent."""
    n = degrees(input.shape, dims, correction)
    return divided(2 * spread(grad, input.shape, dims, keepdim), n) * centred(input, dims)[0]


@operator()
def _is_zero(input):
    """1 where an element is 0, else 0, in the dtype of the input."""
    return (input == 0).astype(input.dtype)


def deviation_cotangent(grad, input, result, dims, correction, keepdim):
    """The variance's cotangent over twice the standard deviation; 0 where that is 0."""
    zero = _is_zero(result)
    return variance_cotangent(grad * (1 - zero) / (2 * (result + zero)), input, dims, correction, keepdim)


def mean_cotangent(grad, input_shape, dims, keepdim):
    """The cotangent of a mean."""
    return spread(grad / size_of(input_shape, dims), input_shape, dims, keepdim)


@operator(
    holomorphic=False,
    input=lambda grad, input, dims, correction, keepdim: variance_cotangent(
        grad, input, dims, correction, keepdim
    ),
)
def _var(input, dims, correction, keepdim):
    return dropped(variance_of(input, dims, correction)[0], input, dims, keepdim)


@operator(
    holomorphic=False,
    input=lambda grad, input, result, dims, correction, keepdim: deviation_cotangent(
        grad, input, result, dims, correction, keepdim
    ),
)
def _std(input, dims, correction, keepdim):
    return dropped(np.sqrt(variance_of(input, dims, correction)[0]), input, dims, keepdim)


@operator(
    holomorphic=False,
    input=lambda grads, input, dims, correction, keepdim: (
        variance_cotangent(grads[0], input, dims, correction, keepdim)
        + mean_cotangent(grads[1], input.shape, dims, keepdim)
    ),
)
def _var_mean(input, dims, correction, keepdim):
    return [dropped(x, input, dims, keepdim) for x in variance_of(input, dims, correction)]


@operator(
    holomorphic=False,
    input=lambda grads, input, result0, dims, correction, keepdim: (
        deviation_cotangent(grads[0], input, result0, dims, correction, keepdim)
        + mean_cotangent(grads[1], input.shape, dims, keepdim)
    ),
)
def _std_mean(input, dims, correction, keepdim):
    variance, mean = variance_of(input, dims, correction)
    return [dropped(x, input, dims, keepdim) for x in (np.sqrt(variance), mean)]


def moments(name, entry, input, dim, unbiased, correction, keepdim):
    """What the four functions share: PyTorch's two signatures, with `unbiased` and with `correction`."""
    if isinstance(dim, bool):  # std(input, unbiased)
        dim, unbiased = None, dim
    if input._array.dtype.kind not in "fc":
        raise RuntimeError(f"{name} only support floating point and complex dtypes")
    dims = axes(dim, input._array.ndim)
    if correction is None:
        correction = 1 if unbiased is None or unbiased else 0
    if degrees(input._array.shape, dims, correction) <= 0:
        warnings.warn(
            f"{entry.name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
            "(input numel divided by output numel).",
            UserWarning,
            stacklevel=4,
        )
    return entry(input, dims, correction, keepdim)


@method
@keywords
def var(
    input: Tensor, dim: Dim | bool = None, unbiased: bool | None = None, keepdim: bool = False, *,
    correction: float | None = None,
) -> Tensor:  # fmt: skip
    """The variance, over all elements or over some dimensions: the sum of squared deviations over n - `correction`.

    `unbiased` is PyTorch's older way to choose a `correction` of 1 (the default) or 0. RuntimeError for integers.

    >>> import rushlight as torch
    >>> torch.var(torch.tensor([1.0, 2.0, 6.0])), torch.var(torch.tensor([1.0, 2.0, 6.0]), correction=0)
    (tensor(7.), tensor(4.6667))
    """
    return moments("std and var", _var, input, dim, unbiased, correction, keepdim)


@method
@keywords
def std(
    input: Tensor, dim: Dim | bool = None, unbiased: bool | None = None, keepdim: bool = False, *,
    correction: float | None = None,
) -> Tensor:  # fmt: skip
    """The standard deviation, the square root of `var`. Its gradient where it is 0 is 0.

    >>> import rushlight as torch
    >>> torch.std(torch.tensor([1.0, 2.0, 6.0]))
    tensor(2.6458)
    """
    return moments("std and var", _std, input, dim, unbiased, correction, keepdim)


@keywords
def var_mean(
    input: Tensor, dim: Dim | bool = None, unbiased: bool | None = None, keepdim: bool = False, *,
    correction: float | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The variance and the mean.

    >>> import rushlight as torch
    >>> torch.var_mean(torch.tensor([1.0, 2.0, 6.0]))
    (tensor(7.), tensor(3.))
    """
    return moments("var_mean", _var_mean, input, dim, unbiased, correction, keepdim)


@keywords
def std_mean(
    input: Tensor, dim: Dim | bool = None, unbiased: bool | None = None, keepdim: bool = False, *,
    correction: float | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The standard deviation and the mean.

    >>> import rushlight as torch
    >>> torch.std_mean(torch.tensor([1.0, 2.0, 6.0]))
    (tensor(2.6458), tensor(3.))
    """
    return moments("std_mean", _std_mean, input, dim, unbiased, correction, keepdim)


def frequencies(fweights):
    """The array of whole-number weights of `cov`, after PyTorch's checks."""
    if fweights is not None and fweights._array.dtype.kind not in "iu":
        raise RuntimeError("cov(): fweights must be integral dtype")
    return fweights


def observation_weights(input, fweights, aweights):
    """The weight of each observation: the product of both kinds, or None."""
    for name, weights in (("fweights", fweights), ("aweights", aweights)):
        if weights is None:
            continue
        if weights._array.ndim > 1:
            raise RuntimeError(f"cov(): expected {name} to have one or fewer dimensions but got {name} with "
                               f"{weights._array.ndim} dimensions")  # fmt: skip
        if weights._array.size != input._array.shape[1]:
            raise RuntimeError(f"cov(): expected {name} to have the same numel as there are observations in the input "
                               f"but got {weights._array.size} != {input._array.shape[1]}")  # fmt: skip
    if fweights is None or aweights is None:
        return fweights if aweights is None else aweights
    return fweights * aweights


def normaliser(input, weights, fweights, aweights, correction):
    """What the weighted products are divided by in `cov`, as a number or tensor, not less than 0."""
    if weights is None:
        return max(input._array.shape[1] - correction, 0)
    total = weights.sum()
    if correction == 0:
        return total
    if aweights is None:
        return (total - correction).clamp(min=0)
    return (total - correction * (weights * aweights).sum() / total).clamp(min=0)


@method
@keywords
def cov(
    input: Tensor, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
) -> Tensor:
    """The covariance matrix of variables (rows) over observations (columns).

    `fweights` are whole-number counts of the observations, `aweights` relative weights. A tensor of one dimension is
    one variable. RuntimeError for more than two dimensions.

    >>> import rushlight as torch
    >>> torch.cov(torch.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    ndim = input._array.ndim
    if ndim > 2:
        raise RuntimeError(
            f"cov(): expected input to have two or fewer dimensions but got an input with {ndim} dimensions"
        )
    if input._array.dtype.kind == "b":
        raise RuntimeError("cov(): bool dtype is not supported for input")
    x = input if ndim == 2 else input.reshape(1, -1)
    weights = observation_weights(x, frequencies(fweights), aweights)
    divisor = normaliser(x, weights, fweights, aweights, correction)
    if float(divisor) <= 0:
        warnings.warn("cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.",
                      UserWarning, stacklevel=3)  # fmt: skip
    if weights is None:
        x = x - x.sum(1, True) / x._array.shape[1]
        weighted = x
    else:
        x = x - (x * weights).sum(1, True) / weights.sum()
        weighted = x * weights
    return (weighted @ x.t().conj() / divisor).squeeze()


@method
@keywords
def corrcoef(input: Tensor) -> Tensor:
    """The matrix of Pearson's correlation coefficients of variables (rows), between -1 and 1.

    >>> import rushlight as torch
    >>> torch.corrcoef(torch.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    if input._array.ndim > 2:
        raise RuntimeError(
            f"corrcoef(): expected input to have two or fewer dimensions but got an input with {input._array.ndim} "
            "dimensions"
        )
    c = cov(input)
    if c._array.ndim == 0:
        return c / c
    deviations = (c.diagonal().real if c._array.dtype.kind == "c" else c.diagonal()).sqrt()
    c = c / deviations.unsqueeze(1) / deviations.unsqueeze(0)
    return c.clamp(-1, 1) if c._array.dtype.kind == "f" else clamped_parts(c)


def clamped_parts(c):
    """Complex coefficients with real and imaginary part between -1 and 1 each."""
    return c.real.clamp(-1, 1) + 1j * c.imag.clamp(-1, 1)
