"""NumPy's functions that apply a function along axes or to parts."""

from collections.abc import Callable
from typing import Any

import rushlight as torch
from rushlight.core.aliases import Array
from rushlight.numpy_functions.entering import as_tensor, as_tensors, numpy
from rushlight.tensors import Tensor


@numpy
def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    arr = torch.movedim(as_tensor(arr), axis, -1)
    rows = arr.reshape(-1, arr.shape[-1])
    results = torch.stack(as_tensors([func1d(row, *args, **kwargs) for row in rows]))
    results = results.reshape((*arr.shape[:-1], *results.shape[1:]))
    if results.ndim == arr.ndim - 1:
        return results
    axis %= arr.ndim
    kept = arr.ndim - 1
    return torch.permute(results, (*range(axis), *range(kept, results.ndim), *range(axis, kept)))


@numpy
def apply_over_axes(func: Callable[..., Any], a: Array, axes: Any) -> Any:
    a = as_tensor(a)
    for axis in [axes] if isinstance(axes, int) else axes:
        result = func(a, axis)
        a = result if result.ndim == a.ndim else torch.unsqueeze(result, axis)
    return a


@numpy
def piecewise(x: Array, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    x = as_tensor(x)
    if not isinstance(condlist, (list, tuple)) or (condlist and not hasattr(condlist[0], "__len__") and x.ndim):
        condlist = [condlist]
    conditions = [torch.broadcast_to(as_tensor(condition), x.shape) != 0 for condition in condlist]
    if len(funclist) == len(conditions) + 1:
        rest = torch.zeros(x.shape, dtype=torch.bool)
        for condition in conditions:
            rest = rest | condition
        conditions.append(torch.logical_not(rest))
    if len(funclist) != len(conditions):
        n = len(conditions)
        raise ValueError(f"with {n} condition(s), either {n} or {n + 1} functions are expected")
    result = torch.zeros_like(x)
    for condition, function in zip(conditions, funclist, strict=True):
        part = as_tensor(function(x[condition], *args, **kw) if callable(function) else function, x)
        result = torch.masked_scatter(result, condition, torch.broadcast_to(part.to(x.dtype), x[condition].shape))
    return result
