"""NumPy's sorting, `argmax` and `argmin`, sets, and search in sorted values."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import rushlight as torch
from rushlight.core.aliases import Array
from rushlight.numpy_functions.entering import as_tensor, as_tensors, flat_unless, numpy
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
    a, v = [x.contiguous() for x in as_tensors((a, v))]
    return torch.searchsorted(a, v, side=side, sorter=None if sorter is None else as_tensor(sorter))


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
