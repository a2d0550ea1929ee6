"""NumPy's quantiles, percentiles and medians."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import rushlight as torch
from rushlight.core.aliases import Array
from rushlight.numpy_functions.entering import as_tensor, floating, numpy
from rushlight.tensors import Tensor

CONTINUOUS: dict[
    str, tuple[float, float]
] = {  # the position of a quantile among sorted values: n·q + α + q·(1 - α - β) - 1
    "linear": (1, 1),
    "interpolated_inverted_cdf": (0, 1),
    "hazen": (0.5, 0.5),
    "weibull": (0, 0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}


def spots(n: Any, q: float, method: str) -> tuple[Any, ...]:
    """The indices of the sorted values below and above a quantile, and the weight of the second."""
    if method in CONTINUOUS:
        alpha, beta = CONTINUOUS[method]
        place = n * q + alpha + q * (1 - alpha - beta) - 1
    elif method in ("lower", "higher", "nearest", "midpoint"):
        place = (n - 1) * q
    else:
        place = n * q - 1
    low = np.floor(place)
    part = place - low
    if method in ("lower", "higher", "inverted_cdf"):
        part = np.where(part > 0, method != "lower", 0.0)
    elif method in ("midpoint", "averaged_inverted_cdf"):
        part = np.where(part > 0, 0.5 if method == "midpoint" else 1.0, 0.0 if method == "midpoint" else 0.5)
    elif method == "nearest":
        part = np.rint(place) - low
    elif method == "closest_observation":
        place = place - 0.5
        low = np.floor(place)
        part = np.where((place == low) & (low % 2 == 1), 0.0, 1.0)
    elif method not in CONTINUOUS:
        raise ValueError(f"{method!r} is not a valid method of np.quantile")
    part = np.where(low < 0, 0.0, part)
    low = np.clip(low, 0, n - 1).astype(np.int64)
    return low, np.where(part > 0, np.minimum(low + 1, n - 1), low), part


def to_last(a: Tensor, axis: Sequence[int] | int | None) -> tuple[Any, ...]:
    """A tensor with the reduced axes merged into the last one, and the positions of these axes."""
    axes = list(range(a.ndim)) if axis is None else sorted(d % a.ndim for d in np.atleast_1d(axis).tolist())
    rest = [d for d in range(a.ndim) if d not in axes]
    return torch.permute(a, (*rest, *axes)).reshape([*[a.shape[d] for d in rest], -1]), axes


def found_quantile(
    a: Tensor,
    q: Any,
    axis: Sequence[int] | int | None,
    keepdims: bool,
    method: str,
    weights: Any,
    of_rows: Callable[..., Any],
) -> Tensor:
    """Quantiles over some axes: `of_rows` finds one of them along the last axis."""
    a = floating(as_tensor(a))
    levels = np.asarray(q.detach().numpy() if isinstance(q, torch.Tensor) else q, np.float64)
    if levels.size and not (levels.min() >= 0 and levels.max() <= 1):
        raise ValueError("Quantiles must be in the range [0, 1]")
    flat, axes = to_last(a, axis)
    if weights is not None:
        if method != "inverted_cdf":
            raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
        of_rows = partial(weighted_quantile, of_rows, weights_of_rows(a, weights, axis))
    results = [of_rows(flat, float(level), method) for level in levels.ravel()]
    result = torch.stack(results).reshape((*levels.shape, *results[0].shape))
    if keepdims:
        for d in axes:
            result = torch.unsqueeze(result, d + levels.ndim)
    return result


def weights_of_rows(a: Tensor, weights: Any, axis: Any) -> Tensor:
    """A weight for each element, merged like the elements."""
    weights = as_tensor(weights, a).to(torch.float64)
    if bool(torch.any(weights < 0)):
        raise ValueError("Weights must be non-negative.")
    if weights.shape != a.shape:
        if axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        axes = [d % a.ndim for d in np.atleast_1d(axis).tolist()]
        if tuple(weights.shape) != tuple(a.shape[d] for d in axes):
            raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
        weights = torch.permute(weights, np.argsort(axes).tolist())
        weights = weights.reshape([n if d in axes else 1 for d, n in enumerate(a.shape)]).expand(a.shape)
    return to_last(weights, axis)[0]


def weighted_quantile(of_rows: Callable[..., Any], weights: Tensor, flat: Tensor, level: float, method: str) -> Tensor:
    """The first of the sorted values up to which the weights add up to the level, or to more."""
    if of_rows is quantile_without_nan:
        weights = torch.where(torch.isnan(flat), 0.0, weights)
    order = torch.argsort(flat, dim=-1, stable=True)
    ordered = torch.take_along_dim(flat, order, -1)
    share = torch.cumsum(torch.take_along_dim(weights, order, -1), -1)
    share = share / share[..., -1:]
    place = torch.sum((share < level) | (share == 0), -1, keepdim=True).clamp(max=flat.shape[-1] - 1)
    result = torch.take_along_dim(ordered, place, -1)[..., 0]
    if of_rows is quantile_without_nan:
        return result
    return torch.where(torch.isnan(ordered[..., -1]), ordered[..., -1], result)


def quantile_of_rows(flat: Array, level: Any, method: str) -> Any:
    """One quantile along the last axis; NaN if an element is NaN."""
    if not flat.shape[-1]:
        return torch.full(flat.shape[:-1], np.nan, dtype=flat.dtype)
    ordered = torch.sort(flat, dim=-1)[0]
    low, high, part = (x.item() for x in spots(flat.shape[-1], np.float64(level), method))
    result = between(ordered[..., low], ordered[..., high], part)
    return torch.where(torch.isnan(ordered[..., -1]), ordered[..., -1], result)


def quantile_without_nan(flat: Tensor, level: float, method: str) -> Tensor:
    """One quantile along the last axis, ignoring NaN; NaN if there is nothing else."""
    if not flat.shape[-1]:
        return quantile_of_rows(flat, level, method)
    ordered = torch.sort(flat, dim=-1)[0]
    count = np.sum(~np.isnan(flat.detach().numpy()), axis=-1)
    low, high, part = spots(np.maximum(count, 1), np.float64(level), method)
    low, high = [torch.take_along_dim(ordered, torch.as_tensor(i)[..., None], -1)[..., 0] for i in (low, high)]
    return between(low, high, torch.as_tensor(part, dtype=flat.dtype))


def between(low: Tensor, high: Tensor, part: Tensor | float) -> Tensor:
    """A value between two; exactly half way, their mean, so that two equal infinities give that infinity."""
    if isinstance(part, torch.Tensor):
        return torch.where(part == 0, low, low * (1 - part) + torch.where(part == 0, low, high) * part)
    return low if part == 0 else high if part == 1 else low * (1 - part) + high * part


@numpy
def quantile(
    a: Tensor,
    q: Any,
    axis: Sequence[int] | int | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> Tensor:
    return found_quantile(a, q, axis, keepdims, method, weights, quantile_of_rows)


@numpy
def nanquantile(
    a: Tensor,
    q: Any,
    axis: Sequence[int] | int | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> Tensor:
    return found_quantile(a, q, axis, keepdims, method, weights, quantile_without_nan)


def hundredth(q: Any) -> np.ndarray:
    """Percentages as fractions of one."""
    return np.asarray(q.detach().numpy() if isinstance(q, torch.Tensor) else q) / 100


@numpy
def percentile(
    a: Tensor,
    q: Any,
    axis: Sequence[int] | int | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> Tensor:
    return quantile(a, hundredth(q), axis, method=method, keepdims=keepdims, weights=weights)


@numpy
def nanpercentile(
    a: Tensor,
    q: Any,
    axis: Sequence[int] | int | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> Tensor:
    return nanquantile(a, hundredth(q), axis, method=method, keepdims=keepdims, weights=weights)


@numpy
def median(
    a: Tensor, axis: Sequence[int] | int | None = None, overwrite_input: bool = False, keepdims: bool = False
) -> Tensor:
    return quantile(a, 0.5, axis, keepdims=keepdims)


@numpy
def nanmedian(
    a: Tensor, axis: Sequence[int] | int | None = None, overwrite_input: bool = False, keepdims: bool = False
) -> Tensor:
    return nanquantile(a, 0.5, axis, keepdims=keepdims)
