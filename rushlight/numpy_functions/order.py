"""NumPy's sorting, `argmax` and `argmin`, sets, quantiles, and search in sorted values."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import rushlight as torch
from rushlight.core.aliases import Array
from rushlight.numpy_functions.entering import as_tensor, as_tensors, flat_unless, floating, numpy
from rushlight.ops.protocol import FUNCTIONS
from rushlight.tensors import Tensor


@numpy
def sort(a: Tensor, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Tensor:
    a, axis = flat_unless(as_tensor(a), axis)
    return torch.sort(a, dim=axis, stable=True)[0]


@numpy
def argsort(a: Tensor, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Tensor:
    a, axis = flat_unless(as_tensor(a), axis)
    return torch.argsort(a, dim=axis, stable=True)


@numpy
def partition(
    a: Tensor, kth: Sequence[int] | int, axis: int | None = -1, kind: str = "introselect", order: Any = None
) -> Tensor:
    return sort(a, axis)


@numpy
def argpartition(a: Array, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None) -> Any:
    return argsort(a, axis)


@numpy
def lexsort(keys: Any, axis: Any = -1) -> Any:
    keys = [as_tensor(key) for key in keys]
    order = torch.argsort(keys[0], dim=axis, stable=True)
    for key in keys[1:]:
        order = torch.take_along_dim(order, torch.argsort(key.take_along_dim(order, axis), dim=axis, stable=True), axis)
    return order


def places_of(name: str, reduce: Callable[..., Any], fill: Any) -> None:
    """Registers `argmax` or `argmin`, and its variant that ignores NaN."""

    def implementation(a: Any, axis: int | None = None, *, keepdims: bool = False) -> Tensor:
        return reduce(as_tensor(a), axis, keepdim=bool(keepdims))

    def without_nan(a: Any, axis: int | None = None, *, keepdims: bool = False) -> Tensor:
        a = as_tensor(a)
        if bool(torch.any(FUNCTIONS[np.all](torch.isnan(a), axis))):
            raise ValueError("All-NaN slice encountered")
        return implementation(
            torch.where(torch.isnan(a), torch.as_tensor(fill, dtype=a.dtype), a), axis, keepdims=keepdims
        )

    FUNCTIONS[getattr(np, name)] = implementation
    FUNCTIONS[getattr(np, f"nan{name}")] = without_nan


places_of("argmax", torch.argmax, -np.inf)
places_of("argmin", torch.argmin, np.inf)


# search in sorted values


@numpy
def searchsorted(a: Tensor, v: Tensor, side: str = "left", sorter: Any = None) -> Tensor:
    a = as_tensor(a)
    return torch.searchsorted(
        a, as_tensor(v, a).to(a.dtype), side=side, sorter=None if sorter is None else as_tensor(sorter)
    )


@numpy
def digitize(x: Array, bins: Any, right: bool = False) -> Any:
    x, bins = as_tensors((x, bins))
    if len(bins) > 1 and bool(bins[0] > bins[-1]):
        return len(bins) - searchsorted(torch.flip(bins, (0,)), x, "left" if not right else "right")
    return searchsorted(bins, x, "left" if right else "right")


# sets: values are taken at their first occurrence, so that they have derivatives


def firsts(a: Tensor, equal_nan: bool = True) -> tuple[Tensor, ...]:
    """The sorted unique values, their first indices, for each element the index of its value, and the counts."""
    flat = as_tensor(a).reshape(-1)
    _, index, inverse, counts = np.unique(
        flat.detach().numpy(), return_index=True, return_inverse=True, return_counts=True, equal_nan=equal_nan
    )
    return flat[torch.as_tensor(index)], *[torch.as_tensor(part) for part in (index, inverse, counts)]


@numpy
def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    ar = as_tensor(ar)
    if axis is None:
        found = firsts(ar, equal_nan)
        found = (found[0], found[1], found[2].reshape(ar.shape), found[3])
    else:
        _, *places = np.unique(
            ar.detach().numpy(), return_index=True, return_inverse=True, return_counts=True, axis=axis
        )
        first, inverse, counts = (torch.as_tensor(part) for part in places)
        found = (torch.index_select(ar, axis, first), first, inverse, counts)
    asked = [
        part for part, wanted in zip(found[1:], (return_index, return_inverse, return_counts), strict=True) if wanted
    ]
    return (found[0], *asked) if asked else found[0]


@numpy
def unique_values(x: Tensor) -> Tensor:
    return firsts(x, False)[0]


@numpy
def unique_counts(x: Any) -> Any:
    values, _, _, counts = firsts(x, False)
    kind: Any = type(np.unique_counts(np.zeros(1)))
    return kind(values, counts)


@numpy
def unique_inverse(x: Any) -> Any:
    values, _, inverse, _ = firsts(x, False)
    kind: Any = type(np.unique_inverse(np.zeros(1)))
    return kind(values, inverse.reshape(as_tensor(x).shape))


@numpy
def unique_all(x: Any) -> Any:
    values, index, inverse, counts = firsts(x, False)
    kind: Any = type(np.unique_all(np.zeros(1)))
    return kind(values, index, inverse.reshape(as_tensor(x).shape), counts)


@numpy
def isin(
    element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False, *, kind: Any = None
) -> Tensor:
    return torch.isin(*as_tensors((element, test_elements)), assume_unique=assume_unique, invert=invert)


def values_of(*arrays: Sequence[Array]) -> Any:
    """Several arguments, flattened and concatenated."""
    return torch.cat([a.reshape(-1) for a in as_tensors(arrays)])


@numpy
def union1d(ar1: Any, ar2: Any) -> Any:
    return firsts(values_of(ar1, ar2))[0]


@numpy
def intersect1d(ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False) -> Any:
    first, first_places, *_ = firsts(ar1)
    second, second_places, *_ = firsts(ar2)
    common = torch.isin(first, second)
    if not return_indices:
        return first[common]
    return first[common], first_places[common], second_places[torch.isin(second, first)]


@numpy
def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    values = as_tensor(ar1).reshape(-1) if assume_unique else firsts(ar1)[0]
    return values[torch.isin(values, as_tensor(ar2).reshape(-1), invert=True)]


@numpy
def setxor1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    return firsts(values_of(setdiff1d(ar1, ar2), setdiff1d(ar2, ar1)))[0]


@numpy
def trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Any:
    filt = as_tensor(filt)
    axes = range(filt.ndim) if axis is None else np.atleast_1d(axis).tolist()
    places = np.nonzero(filt.detach().numpy())
    for dim in axes:
        found = places[dim]
        first = int(found.min()) if "f" in trim.lower() and found.size else 0 if found.size else filt.shape[dim]
        last = int(found.max()) + 1 if "b" in trim.lower() and found.size else filt.shape[dim]
        filt = torch.narrow(filt, dim, first, last - first)
    return filt


# quantiles

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
    a: Tensor, q: Any, axis: Sequence[int] | int | None, keepdims: bool, method: str, order: Callable[..., Any]
) -> Tensor:
    """Quantiles over some axes, of values sorted by `order`, which also returns how many of them count."""
    a = floating(as_tensor(a))
    levels = np.asarray(q.detach().numpy() if isinstance(q, torch.Tensor) else q, np.float64)
    if levels.size and not (levels.min() >= 0 and levels.max() <= 1):
        raise ValueError("Quantiles must be in the range [0, 1]")
    flat, axes = to_last(a, axis)
    results = [order(flat, float(level), method) for level in levels.ravel()]
    result = torch.stack(results).reshape((*levels.shape, *results[0].shape))
    if keepdims:
        for d in axes:
            result = torch.unsqueeze(result, d + levels.ndim)
    return result


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
) -> Tensor:
    return found_quantile(a, q, axis, keepdims, method, quantile_of_rows)


@numpy
def nanquantile(
    a: Tensor,
    q: Any,
    axis: Sequence[int] | int | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Tensor:
    return found_quantile(a, q, axis, keepdims, method, quantile_without_nan)


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
) -> Tensor:
    return quantile(a, hundredth(q), axis, method=method, keepdims=keepdims)


@numpy
def nanpercentile(
    a: Tensor,
    q: Any,
    axis: Sequence[int] | int | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Tensor:
    return nanquantile(a, hundredth(q), axis, method=method, keepdims=keepdims)


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
