"""NumPy's cumulative sums and products, differences, integrals, convolution and interpolation."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import rushlight as torch
from rushlight.core.graph import TensorBase
from rushlight.numpy_functions.entering import (
    as_dtype,
    as_tensor,
    as_tensors,
    broadcast_like,
    flat_unless,
    floating,
    masked,
    numpy,
)
from rushlight.ops.protocol import ACCUMULATIONS, FUNCTIONS
from rushlight.ops.reductions import cumulative
from rushlight.tensors import Tensor


def running(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Registers a cumulative reduction; without an axis it is over the flattened tensor."""

    def implementation(a: Any, axis: int | None = None, dtype: Any = None) -> Tensor:
        a, axis = flat_unless(as_tensor(a), axis)
        return function(a, axis, dtype=as_dtype(dtype))

    FUNCTIONS[getattr(np, name)] = implementation
    return implementation


cumsum: Callable[..., Any] = running("cumsum", cumulative.cumsum)
cumprod: Callable[..., Any] = running("cumprod", torch.cumprod)
running("nancumsum", lambda a, axis, dtype: torch.cumsum(numbers_or(a, 0), axis, dtype=dtype))
running("nancumprod", lambda a, axis, dtype: torch.cumprod(numbers_or(a, 1), axis, dtype=dtype))
ACCUMULATIONS[np.add] = lambda a, axis=0, dtype=None: cumsum(a, axis, dtype)
ACCUMULATIONS[np.multiply] = lambda a, axis=0, dtype=None: cumprod(a, axis, dtype)
ACCUMULATIONS[np.maximum] = lambda a, axis=0: torch.cummax(a, axis)[0]
ACCUMULATIONS[np.minimum] = lambda a, axis=0: torch.cummin(a, axis)[0]
ACCUMULATIONS[np.logaddexp] = lambda a, axis=0: torch.logcumsumexp(a, axis)


def numbers_or(a: Tensor, fill: int) -> Tensor:
    """The tensor with `fill` in place of NaN."""
    return masked(a, torch.logical_not(torch.isnan(a)), fill)


def cumulative_with_start(name: str, function: Callable[..., Any], start: int) -> None:
    """Registers `cumulative_sum` or `cumulative_prod`, whose result may begin with the initial value."""

    def implementation(
        x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
    ) -> Tensor:
        x = as_tensor(x)
        if axis is None and x.ndim > 1:
            raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
        axis = 0 if axis is None else axis
        result = function(x, axis, dtype)
        if not include_initial:
            return result
        return torch.cat([torch.full_like(torch.narrow(x, axis, 0, 1), start, dtype=result.dtype), result], axis)

    if hasattr(np, name):
        FUNCTIONS[getattr(np, name)] = implementation


cumulative_with_start("cumulative_sum", cumsum, 0)
cumulative_with_start("cumulative_prod", cumprod, 1)


# differences and integrals


@numpy
def diff(a: Tensor, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Tensor:
    a = as_tensor(a)
    ends = [None if end is None else end_of(a, end, axis) for end in (prepend, append)]
    return torch.diff(a, n, axis, *ends)


def end_of(a: Tensor, end: Any, axis: int) -> Tensor:
    """The slices to be joined before or after a tensor along an axis; a number stands for one slice of it."""
    end = as_tensor(end, a)
    if end.ndim:
        return end
    shape = list(a.shape)
    shape[axis] = 1
    return torch.broadcast_to(end, shape)


@numpy
def ediff1d(ary: Tensor, to_end: Any = None, to_begin: Any = None) -> Tensor:
    ary = as_tensor(ary).reshape(-1)
    ends = [[] if end is None else [as_tensor(end, ary).reshape(-1)] for end in (to_begin, to_end)]
    return torch.cat([*ends[0], torch.diff(ary), *ends[1]])


@numpy
def gradient(
    f: Tensor, *varargs: Any, axis: Sequence[int] | int | None = None, edge_order: int = 1
) -> Tensor | tuple[Tensor, ...]:
    f = floating(as_tensor(f))
    axes = list(range(f.ndim)) if axis is None else [d % f.ndim for d in np.atleast_1d(axis).tolist()]
    spacings = varargs or (1.0,)
    spacings = spacings * len(axes) if len(spacings) == 1 else spacings
    if len(spacings) != len(axes):
        raise TypeError(f"np.gradient takes one spacing, or one for each of the {len(axes)} axes")
    results = tuple([slopes(f, d, as_tensor(h, f), edge_order) for d, h in zip(axes, spacings, strict=True)])
    return results[0] if len(results) == 1 else results


def slopes(f: Tensor, axis: int, spacing: Tensor, edge_order: int) -> Tensor:
    """Central differences along an axis; one-sided ones of order `edge_order` at its ends."""
    n = f.shape[axis]
    if edge_order not in (1, 2):
        raise ValueError("'edge_order' greater than 2 not supported")
    if n < edge_order + 1:
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient: edge_order + 1 elements are needed"
        )
    f = torch.movedim(f, axis, -1)
    steps = torch.diff(spacing) if spacing.ndim else torch.broadcast_to(spacing, (n - 1,))
    slope = torch.diff(f) / steps
    before, behind = steps[:-1], steps[1:]
    inner = (slope[..., :-1] * behind + slope[..., 1:] * before) / (before + behind)
    first, last = slope[..., :1], slope[..., -1:]
    if edge_order == 2:
        first = first + (first - slope[..., 1:2]) * steps[0] / (steps[0] + steps[1])
        last = last + (last - slope[..., -2:-1]) * steps[-1] / (steps[-1] + steps[-2])
    return torch.movedim(torch.cat([first, inner, last], -1), -1, axis)


@numpy
def trapezoid(y: Tensor, x: Any = None, dx: float = 1.0, axis: int = -1) -> Tensor:
    y = floating(as_tensor(y))
    if x is None:
        return (
            torch.trapezoid(y, dx=dx, dim=axis) if not isinstance(dx, TensorBase) else torch.trapezoid(y, dim=axis) * dx
        )
    x = as_tensor(x, y)
    return torch.trapezoid(y, broadcast_like(x, y.ndim, axis) if x.ndim == 1 else x, dim=axis)


@numpy
def unwrap(p: Tensor, discont: Any = None, axis: int = -1, *, period: float = 6.283185307179586) -> Tensor:
    p = floating(as_tensor(p))
    steps = torch.diff(p.detach(), dim=axis)
    folded = torch.remainder(steps + period / 2, period) - period / 2
    folded = torch.where((folded == -period / 2) & (steps > 0), period / 2, folded)
    jumps = torch.where(torch.abs(steps) < (period / 2 if discont is None else discont), 0.0, folded - steps)
    none = torch.zeros_like(torch.narrow(p.detach(), axis, 0, 1))
    return p + torch.cat([none, torch.cumsum(jumps, axis)], axis)


# convolution and interpolation


@numpy
def convolve(a: Tensor, v: Tensor, mode: str = "full") -> Tensor:
    a, v = (x.reshape(-1) for x in as_tensors((a, v)))
    if not len(a) or not len(v):
        raise ValueError(f"{'a' if not len(a) else 'v'} cannot be empty")
    if len(v) > len(a):
        a, v = v, a
    n, m = len(a), len(v)
    products = torch.outer(v, a)
    shifted = torch.constant_pad_nd(products, (0, m)).reshape(-1)[: m * (n + m - 1)].reshape(m, n + m - 1)
    full = torch.sum(shifted, 0).to(torch.promote_types(a.dtype, v.dtype))
    if mode == "full":
        return full
    if mode == "same":
        return full[(m - 1) // 2 : (m - 1) // 2 + n]
    if mode == "valid":
        return full[m - 1 : n]
    raise ValueError("mode must be one of 'full', 'same', or 'valid'")


@numpy
def correlate(a: Tensor, v: Tensor, mode: str = "valid") -> Tensor:
    a, v = (x.reshape(-1) for x in as_tensors((a, v)))
    n, m = len(a), len(v)
    full = convolve(a, torch.flip(torch.conj_physical(v), (0,)))
    if mode == "full":
        return full
    if mode == "valid":
        return full[min(n, m) - 1 : max(n, m)]
    if mode == "same":
        start = min(n, m) - 1 - min(n, m) // 2
        start = start if n >= m else n - 1 - start
        return full[start : start + max(n, m)]
    raise ValueError("mode must be one of 'full', 'same', or 'valid'")


@numpy
def interp(
    x: Any, xp: Any, fp: Any, left: complex | None = None, right: complex | None = None, period: float | None = None
) -> Tensor:
    x, xp, fp = (floating(value) for value in as_tensors((x, xp, fp)))
    if fp.is_complex():
        x, xp = x.real, xp.real
    if period is not None:
        x, xp = torch.remainder(x, abs(period)), torch.remainder(xp, abs(period))
        order = torch.argsort(xp)
        xp, fp = xp[order], fp[order]
        xp = torch.cat([xp[-1:] - abs(period), xp, xp[:1] + abs(period)])
        fp = torch.cat([fp[-1:], fp, fp[:1]])
    if len(xp) == 1:
        inside = torch.broadcast_to(fp[0], x.shape)
    else:
        places = torch.searchsorted(xp.detach().contiguous(), x.detach().contiguous(), right=True) - 1
        low = torch.clamp(places, 0, len(xp) - 2)
        part = (x - xp[low]) / (xp[low + 1] - xp[low])
        inside = fp[low] + part * (fp[low + 1] - fp[low])
        inside = torch.where(x >= xp[-1], fp[-1], torch.where(x <= xp[0], fp[0], inside))
    if left is not None and period is None:
        inside = torch.where(x < xp[0], as_tensor(left, inside).to(inside.dtype), inside)
    if right is not None and period is None:
        inside = torch.where(x > xp[-1], as_tensor(right, inside).to(inside.dtype), inside)
    return torch.where(torch.isnan(x), x.to(inside.dtype), inside) if not inside.is_complex() else inside
