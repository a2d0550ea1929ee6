"""NumPy's sums, maxima, minima and averages."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import rushlight as torch
from rushlight.numpy_functions.entering import all_axes, as_dtype, as_tensor, floating, masked, numpy
from rushlight.ops.protocol import FUNCTIONS, REDUCTIONS
from rushlight.ops.reductions import extrema, reduction
from rushlight.tensors import Tensor


def over(function: Callable[..., Any], a: Tensor, axis: Sequence[int] | int | None, keepdims: bool) -> Tensor:
    """A reduction over NumPy's `axis`: over all axes for None, over none for ()."""
    axes = all_axes(a, axis)
    if a.ndim and not axes:
        return function(torch.unsqueeze(a, -1), (-1,), False)
    return function(a, axes, bool(keepdims))


@numpy
def sum(
    a: Tensor,
    axis: Sequence[int] | int | None = None,
    dtype: Any = None,
    keepdims: bool = False,
    initial: complex = 0,
    where: Tensor | bool = True,
) -> Tensor:
    if dtype is not None or where is not True or initial or axis == ():
        kind = as_dtype(dtype)
        total = lambda x, dims, keep: torch.sum(x, dims, keep, dtype=kind)
        result = over(total, masked(as_tensor(a), where, 0), axis, keepdims)
        return result + initial if initial else result
    return reduction.sum(a, axis, keepdims)


@numpy
def prod(
    a: Any,
    axis: Sequence[int] | int | None = None,
    dtype: Any = None,
    keepdims: bool = False,
    initial: complex = 1,
    where: Tensor | bool = True,
) -> Tensor:
    kind = as_dtype(dtype)
    total = lambda x, dims, keep: product(x, dims, keep, kind)
    result = over(total, masked(as_tensor(a), where, 1), axis, keepdims)
    return result if initial == 1 else result * initial


def product(a: Tensor, dims: Sequence[int], keepdim: bool, dtype: Any = None) -> Tensor:
    """The product over several dimensions, one after the other."""
    if a.ndim == 0:
        return torch.prod(a, dtype=dtype)
    for dim in sorted([d % a.ndim for d in dims], reverse=True):
        a = torch.prod(a, dim, keepdim, dtype=dtype)
    return a


def extreme(reduce: Callable[..., Any], choose: Callable[..., Any], lowest: float) -> Callable[..., Any]:
    """`np.max` or `np.min`, with the arguments `initial` and `where`."""

    def implementation(
        a: Any,
        axis: Sequence[int] | int | None = None,
        keepdims: bool = False,
        initial: complex | None = None,
        where: Any = True,
    ) -> Tensor:
        if initial is None and where is True and axis != ():
            return reduce(a, () if axis is None else axis, keepdims)
        if where is not True and initial is None:
            raise ValueError("a reduction with where= needs initial=, the result where the mask holds nowhere")
        a = masked(as_tensor(a), where, lowest if initial is None else initial)
        result = over(reduce, a, axis, keepdims)
        return result if initial is None else choose(result, torch.as_tensor(initial, dtype=result.dtype))

    return implementation


FUNCTIONS[np.max] = FUNCTIONS[np.amax] = extreme(extrema.amax, torch.maximum, -np.inf)
FUNCTIONS[np.min] = FUNCTIONS[np.amin] = extreme(extrema.amin, torch.minimum, np.inf)


@numpy
def ptp(a: Tensor, axis: Sequence[int] | int | None = None, keepdims: bool = False) -> Tensor:
    return FUNCTIONS[np.max](a, axis, keepdims) - FUNCTIONS[np.min](a, axis, keepdims)


@numpy
def all(
    a: Tensor, axis: Sequence[int] | int | None = None, keepdims: bool = False, *, where: Tensor | bool = True
) -> Tensor:
    return over(torch.all, masked(truth(a), where, True), axis, keepdims)


@numpy
def any(
    a: Tensor, axis: Sequence[int] | int | None = None, keepdims: bool = False, *, where: Tensor | bool = True
) -> Tensor:
    return over(torch.any, masked(truth(a), where, False), axis, keepdims)


def truth(a: Tensor) -> Tensor:
    """Whether each element is nonzero."""
    a = as_tensor(a)
    return a if a._array.dtype.kind == "b" else a != 0


@numpy
def count_nonzero(a: Tensor, axis: Sequence[int] | int | None = None, *, keepdims: bool = False) -> Tensor:
    return over(torch.sum, truth(a), axis, keepdims)


# averages


@numpy
def mean(
    a: Tensor,
    axis: Sequence[int] | int | None = None,
    dtype: Any = None,
    keepdims: bool = False,
    *,
    where: Tensor | bool = True,
) -> Tensor:
    a = floating(as_tensor(a).to(as_dtype(dtype)))
    if where is True:
        return over(torch.mean, a, axis, keepdims).to(as_dtype(dtype))
    result = sum(a, axis, keepdims=keepdims, where=where) / sum(as_numbers(a, where), axis, keepdims=keepdims)
    return result.to(as_dtype(dtype))


def as_numbers(a: Tensor, where: Tensor | bool) -> Tensor:
    """A mask as numbers, expanded to the shape of the tensor."""
    return torch.broadcast_to(as_tensor(where), a.shape).to(a.dtype)


@numpy
def var(
    a: Tensor,
    axis: Sequence[int] | int | None = None,
    dtype: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Tensor | bool = True,
    mean: Any = None,
    correction: float | None = None,
) -> Tensor:
    a, ddof = floating(as_tensor(a).to(as_dtype(dtype))), ddof if correction is None else correction
    if where is True and mean is None:
        return over(lambda x, dims, keep: torch.var(x, dims, correction=ddof, keepdim=keep), a, axis, keepdims)
    middle = FUNCTIONS[np.mean](a, axis, keepdims=True, where=where) if mean is None else as_tensor(mean)
    count = sum(as_numbers(a.detach(), where), axis, keepdims=keepdims) - ddof
    return sum(torch.abs(a - middle) ** 2, axis, keepdims=keepdims, where=where) / count


@numpy
def std(
    a: Tensor,
    axis: Sequence[int] | int | None = None,
    dtype: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Tensor | bool = True,
    mean: Any = None,
    correction: float | None = None,
) -> Tensor:
    if where is True and mean is None:
        a, ddof = floating(as_tensor(a).to(as_dtype(dtype))), ddof if correction is None else correction
        return over(lambda x, dims, keep: torch.std(x, dims, correction=ddof, keepdim=keep), a, axis, keepdims)
    return torch.sqrt(var(a, axis, dtype, ddof, keepdims, where=where, mean=mean, correction=correction))


@numpy
def average(
    a: Tensor,
    axis: Sequence[int] | int | None = None,
    weights: Tensor | None = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Tensor | tuple[Tensor, ...]:
    a = floating(as_tensor(a))
    if weights is None:
        result = mean(a, axis, keepdims=keepdims)
        total = torch.full_like(result, a.numel() / result.numel())
    else:
        weights = as_tensor(weights, a)
        if weights.shape != a.shape:
            axes = [d % a.ndim for d in all_axes(a, axis)]
            weights = torch.permute(weights, tuple(np.argsort(axes).tolist()))
            weights = weights.reshape([a.shape[d] if d in axes else 1 for d in range(a.ndim)])
        total = sum(torch.broadcast_to(weights, a.shape).to(a.dtype), axis, keepdims=keepdims)
        result = sum(a * weights, axis, keepdims=keepdims) / total
    return (result, total) if returned else result


# reductions that ignore NaN


def without_nan(name: str, function: Callable[..., Any], fill: int) -> None:
    """Registers the variant of a reduction that ignores NaN."""

    def implementation(a: Any, axis: Sequence[int] | int | None = None, dtype: Any = None, **options: Any) -> Tensor:
        a = as_tensor(a)
        options = options if dtype is None else {"dtype": dtype, **options}
        return function(masked(a, torch.logical_not(torch.isnan(a)), fill), axis, **options)

    FUNCTIONS[getattr(np, name)] = implementation


without_nan("nansum", sum, 0)
without_nan("nanprod", prod, 1)


def average_without_nan(name: str, function: Callable[..., Any]) -> None:
    """Registers the variant of an average that ignores NaN."""

    def implementation(
        a: Any, axis: Sequence[int] | int | None = None, dtype: Any = None, *, where: Any = True, **options: Any
    ) -> Tensor:
        a = as_tensor(a)
        present = torch.logical_not(torch.isnan(a))
        where = present if where is True else torch.logical_and(present, as_tensor(where))
        return function(masked(a, present, 0), axis, dtype, where=where, **options)

    FUNCTIONS[getattr(np, name)] = implementation


for name, function in (("nanmean", mean), ("nanvar", var), ("nanstd", std)):
    average_without_nan(name, function)


def extreme_without_nan(name: str, extreme: Callable[..., Any], worst: float) -> None:
    """Registers the variant of `max` or `min` that ignores NaN; NaN if there is nothing else."""

    def implementation(
        a: Any, axis: Sequence[int] | int | None = None, keepdims: bool = False, **options: Any
    ) -> Tensor:
        a = as_tensor(a)
        absent = torch.isnan(a)
        if not a.is_floating_point():
            return extreme(a, axis, keepdims, **options)
        found = extreme(masked(a, torch.logical_not(absent), worst), axis, keepdims, **options)
        return masked(found, torch.logical_not(all(absent, axis, keepdims)), np.nan)

    FUNCTIONS[getattr(np, name)] = implementation


extreme_without_nan("nanmax", FUNCTIONS[np.max], -np.inf)
extreme_without_nan("nanmin", FUNCTIONS[np.min], np.inf)


def along_first(function: Callable[..., Any]) -> Callable[..., Any]:
    """A reduction with the default axis, 0, of the ufunc method `reduce`."""
    return lambda a, axis=0, **options: function(a, axis, **options)


def of_pairs(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same for a function without a `dtype` argument."""

    def implementation(
        a: Any, axis: Sequence[int] | int | None = 0, dtype: Any = None, keepdims: bool = False, **options: Any
    ) -> Tensor:
        return function(a if dtype is None else as_tensor(a).to(as_dtype(dtype)), axis, keepdims, **options)

    return implementation


REDUCTIONS[np.add], REDUCTIONS[np.multiply] = along_first(sum), along_first(prod)
REDUCTIONS[np.maximum], REDUCTIONS[np.minimum] = of_pairs(FUNCTIONS[np.max]), of_pairs(FUNCTIONS[np.min])
REDUCTIONS[np.logical_and], REDUCTIONS[np.logical_or] = of_pairs(all), of_pairs(any)
REDUCTIONS[np.logaddexp] = of_pairs(lambda a, axis, keepdims: over(torch.logsumexp, a, axis, keepdims))
