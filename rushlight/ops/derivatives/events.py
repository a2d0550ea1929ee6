"""The events that PyTorch's profiler shows of a call: one, or several nested ones, with PyTorch's names.

An operator gives them as `aten`: names, the outermost first; an empty tuple for a step that PyTorch does not have; or a
function of the call's arguments that returns the events. `flops` is the count for the innermost event. The counts are
PyTorch's formulas (torch/csrc/profiler/util.cpp).
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple


class Event(NamedTuple):
    """A profiler event: its name, its arguments in PyTorch's order, and a function that counts flops."""

    name: str
    args: tuple[Any, ...]
    flops: Callable[..., int] | None = None


class Turned:
    """Marks a matrix that PyTorch's call takes transposed; only its shape is needed."""

    def __init__(self, matrix: Any) -> None:
        self.shape: tuple[Any, ...] = tuple(matrix.shape[::-1])


def of_mm(shapes: Sequence[Sequence[int]], args: Any) -> int:
    """Flops of `mm`: 2 * m * k * n for (m, k) and (k, n); further dimensions count as rows."""
    *rows, k = shapes[0]
    return 2 * math.prod(rows) * k * shapes[1][1]


def of_addmm(shapes: Sequence[Sequence[int]], args: Any) -> int:
    """Flops of `addmm`: those of the product alone; an input with more dimensions counts as a matrix."""
    *rows, k = shapes[1]
    return 2 * math.prod(rows) * k * shapes[2][1]


def of_bmm(shapes: Sequence[Sequence[int]], args: Sequence[Any]) -> int:
    """Flops of `bmm`: 2 * b * m * k * n for (b, m, k) and (b, k, n)."""
    *rows, k = shapes[0]
    return 2 * math.prod(rows) * k * shapes[1][-1]


def of_baddbmm(shapes: Sequence[Sequence[int]], args: Sequence[Any]) -> int:
    """Flops of `baddbmm`: those of the product alone."""
    return of_bmm(shapes[1:], args)


def of_conv2d(shapes: Any, args: Any) -> int:
    """Flops of a convolution: 2 for each kernel element, output position and pair of channels in a group."""
    (batch, channels, *sizes), (filters, _, *kernel) = shapes[0], shapes[1]
    stride, padding, dilation, groups = args[3:7]
    places = [
        (size + 2 * p - d * (k - 1) - 1) // s + 1
        for size, k, s, p, d in zip(sizes, kernel, stride, padding, dilation, strict=True)
    ]
    return 2 * batch * math.prod(places) * math.prod(kernel) * channels * filters // groups


def of_elements(shapes: Sequence[Sequence[int]], args: Sequence[Any]) -> int:
    """Flops of an elementwise operator: one for each element of the first argument."""
    return math.prod(shapes[0])
