"""NumPy's `pad`: with constants, edges, reflections, ramps and statistics."""

from collections.abc import Callable
from typing import Any

import numpy as np

import rushlight as torch
from rushlight.numpy_functions.entering import as_tensor, numpy
from rushlight.ops.protocol import FUNCTIONS
from rushlight.tensors import Tensor

STATISTICS: dict[str, Callable[..., Any]] = {"maximum": np.max, "minimum": np.min, "mean": np.mean, "median": np.median}


@numpy
def pad(array: Any, pad_width: Any, mode: Any = "constant", **options: Any) -> Tensor:
    a = as_tensor(array)
    if callable(mode):
        raise TypeError("np.pad with a function writes into arrays: use torch.nn.functional.pad, or one of the modes.")
    if isinstance(pad_width, dict):
        given: list[Any] = [pad_width.get(d, pad_width.get(d - a.ndim, 0)) for d in range(a.ndim)]
        found = [(w, w) if isinstance(w, int) else tuple(w) for w in given]
    else:
        found = pairs(pad_width, a.ndim)
    widths = [(int(before), int(behind)) for before, behind in found]
    allowed = {
        "constant": {"constant_values"},
        "linear_ramp": {"end_values"},
        "reflect": {"reflect_type"},
        "symmetric": {"reflect_type"},
        **{name: {"stat_length"} for name in STATISTICS},
    }
    unknown = set(options) - allowed.get(mode, set())
    if unknown:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unknown}")
    for axis, (before, behind) in enumerate(widths):
        a = padded(a, axis, before, behind, mode, options)
    return a


def pairs(value: Any, n: int) -> list[Any]:
    """Widths or values for both ends of n axes, broadcast from what is given."""
    if isinstance(value, torch.Tensor):
        return list(torch.broadcast_to(value, (n, 2)))
    return (
        np.broadcast_to(np.asarray(value, dtype=object), (n, 2)).tolist() if value is not None else [(None, None)] * n
    )


def padded(a: Tensor, axis: int, before: Any, behind: int, mode: str, options: dict[str, Any]) -> Tensor:
    """A tensor padded at both ends of one axis."""
    n = a.shape[axis]
    if mode in PLACES:
        if not n and before + behind:
            raise ValueError(f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'")
        odd = options.get("reflect_type", "even") == "odd" and mode in ("reflect", "symmetric")
        return (
            mirrored(a, axis, before, behind, mode)
            if odd
            else torch.index_select(a, axis, torch.as_tensor(PLACES[mode](np.arange(-before, n + behind), n)))
        )
    ends = [torch.narrow(a, axis, 0, 0)] * 2 if not before + behind else ends_of(a, axis, before, behind, mode, options)
    return torch.cat([ends[0].to(a.dtype), a, ends[1].to(a.dtype)], axis)


PLACES: dict[str, Callable[..., Any]] = {
    "edge": lambda i, n: np.clip(i, 0, n - 1),
    "wrap": lambda i, n: i % n,
    "symmetric": lambda i, n: np.where(i % (2 * n) < n, i % (2 * n), 2 * n - 1 - i % (2 * n)),
    "reflect": lambda i, n: (n - 1) - np.abs((n - 1) - i % max(2 * n - 2, 1)),
}


def mirrored(a: Any, axis: Any, before: Any, behind: Any, mode: Any) -> Any:
    """A tensor continued by its point reflection at both ends ("reflect" or "symmetric" with `reflect_type="odd"`)."""
    n = a.shape[axis]
    places = np.arange(-before, n + behind)
    period = max(2 * n - 2, 1) if mode == "reflect" else 2 * n
    first, last = torch.narrow(a, axis, 0, 1), torch.narrow(a, axis, n - 1, 1)
    turns = places // period  # each full period adds twice the difference of the ends
    inside = places % period
    image = inside >= n
    taken = torch.index_select(a, axis, torch.as_tensor(PLACES[mode](places, n)))
    shape = [-1 if d == axis else 1 for d in range(a.ndim)]
    image, turns = torch.as_tensor(image).reshape(shape), torch.as_tensor(turns).reshape(shape).to(a.dtype)
    return torch.where(image, 2 * last - taken, taken) + turns * 2 * (last - first)


def ends_of(a: Tensor, axis: int, before: int, behind: int, mode: str, options: dict[str, Any]) -> list[Tensor]:
    """The padding before and after a tensor along an axis."""
    if mode == "empty":
        return [constant(a, axis, count, 0) for count in (before, behind)]
    if mode == "constant":
        values = pairs(options.get("constant_values", 0), a.ndim)[axis]
        return [constant(a, axis, count, value) for count, value in zip((before, behind), values, strict=True)]
    edges = torch.narrow(a, axis, 0, 1), torch.narrow(a, axis, a.shape[axis] - 1, 1)
    if mode == "linear_ramp":
        values = pairs(options.get("end_values", 0), a.ndim)[axis]
        first = ramp(a, axis, edges[0], before, values[0])
        return [torch.flip(first, (axis,)), ramp(a, axis, edges[1], behind, values[1])]
    if mode not in STATISTICS:
        raise ValueError(f"mode '{mode}' is not supported")
    lengths = pairs(options.get("stat_length"), a.ndim)[axis]
    n = a.shape[axis]
    counts = [n if length is None else min(length, n) for length in lengths]
    parts = torch.narrow(a, axis, 0, counts[0]), torch.narrow(a, axis, n - counts[1], counts[1])
    found = [FUNCTIONS[STATISTICS[mode]](part, axis=axis, keepdims=True) for part in parts]
    found = (
        found
        if a.is_floating_point() or a.is_complex()
        else [torch.round(x) if x.is_floating_point() else x for x in found]
    )
    return [x.expand(sizes(a, axis, count)) for x, count in zip(found, (before, behind), strict=True)]


def sizes(a: Tensor, axis: int, count: int) -> list[int]:
    """The shape of a tensor with another size along one axis."""
    return [count if d == axis else n for d, n in enumerate(a.shape)]


def constant(a: Tensor, axis: int, count: int, value: Any) -> Tensor:
    """Padding of one value, of size `count` along an axis."""
    return torch.broadcast_to(as_tensor(value, a).to(a.dtype), sizes(a, axis, count))


def ramp(a: Tensor, axis: int, edge: Tensor, count: int, value: Any) -> Tensor:
    """Padding that goes in equal steps from an edge, which is excluded, to a value."""
    steps = torch.arange(1, count + 1, dtype=a.dtype).reshape([-1 if d == axis else 1 for d in range(a.ndim)])
    return edge + (as_tensor(value, a).to(a.dtype) - edge) * steps / max(count, 1)
