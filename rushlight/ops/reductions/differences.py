"""Finite differences and integrals of sampled functions: `diff`, `gradient`, the trapezoidal rule."""

from collections.abc import Sequence
from typing import Any

from rushlight.core.graph import TensorBase
from rushlight.core.kinds import kind_of
from rushlight.dtypes import get_default_dtype, uint8
from rushlight.ops.arguments.dims import known_dim, wrap_dim
from rushlight.ops.arguments.keywords import keywords
from rushlight.ops.reductions.cumulative import cumsum
from rushlight.ops.reductions.reduction import Dim, axes
from rushlight.ops.shapes.joining import cat
from rushlight.ops.shapes.slicing import ALL, _slice
from rushlight.ops.table import method
from rushlight.tensors import Tensor

__all__ = ["cumulative_trapezoid", "diff", "gradient", "trapezoid", "trapz"]


def neighbours(input: Tensor, dim: int) -> tuple[Tensor, ...]:
    """All elements along a dimension but the first, and all but the last."""
    before, n = (ALL,) * dim, input._array.shape[dim]
    return _slice(input, (*before, slice(1, None))), _slice(input, (*before, slice(0, max(n - 1, 0))))


def without(tensor: Tensor, dim: int) -> tuple[int, ...]:
    """The sizes of all dimensions but one."""
    sizes = tensor._array.shape
    return sizes[:dim] + sizes[dim + 1 :]


@method
@keywords
def diff(
    input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """The n-th differences of neighbours along a dimension, after concatenating `prepend` and `append`.

    For bools, whether neighbours differ. RuntimeError for a tensor without dimensions or a negative n.

    >>> import rushlight as torch
    >>> torch.diff(torch.tensor([1, 3, 7]))
    tensor([2, 4])
    """
    ndim = input._array.ndim
    if ndim == 0:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    dim = wrap_dim(dim, ndim)
    for other in (prepend, append):
        if other is not None and other._array.ndim != ndim:
            raise RuntimeError("diff expects prepend or append to be the same dimension as input")
        if other is not None and without(other, dim) != without(input, dim):
            raise RuntimeError(
                "diff expects the shape of tensor to prepend or append to match that of input except along the "
                f"differencing dimension; input.size() = {list(input.shape)}, and the other's is {list(other.shape)}"
            )
    if n == 0:
        return input.clone()
    parts = [x for x in (prepend, input, append) if x is not None]
    joined = cat(parts, dim) if len(parts) > 1 else input
    for _ in range(min(n, joined._array.shape[dim])):
        later, earlier = neighbours(joined, dim)
        joined = later.logical_xor(earlier) if joined._array.dtype.kind == "b" else later - earlier
    return joined


def strips(name: str, y: Tensor, x: Tensor | None, dim: int) -> Tensor:
    """Twice the area under each segment between neighbours, sampled at positions `x`, or at distances of 1."""
    later, earlier = neighbours(y, dim)
    if x is None:
        return later + earlier
    if x._array.ndim == 1:
        n = y._array.shape[dim]
        if x._array.shape[0] != n:
            raise RuntimeError(
                f"{name}: There must be one `x` value for each sample point, got {x._array.shape[0]} and {n}"
            )
        x = x.reshape(-1, *[1] * (y._array.ndim - 1 - dim))
        width = diff(x, dim=0)
    elif x._array.ndim:
        width = diff(x, dim=dim - y._array.ndim)
    else:
        width = x.expand(0)
    return (later + earlier) * width


@keywords
def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float | None = None, dim: int = -1) -> Tensor:
    """The integral along a dimension by the trapezoidal rule, of samples at positions `x` or `dx` (1) apart.

    >>> import rushlight as torch
    >>> torch.trapezoid(torch.tensor([1.0, 2.0, 4.0]), dx=2)
    tensor(9.)
    """
    dim = known_dim(dim, y._array.shape)
    if y._array.shape[dim] == 0:
        return (y if kind_of(y._array.dtype) in "fc" else y.to(get_default_dtype())).sum(dim)
    if x is not None:
        return strips("trapezoid", y, x, dim).sum(dim) / 2
    ends = y.select(dim, 0) + y.select(dim, -1)
    return (y.sum(dim) - ends * 0.5) * (1 if dx is None else dx)


trapz = trapezoid


@keywords
def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float | None = None, dim: int = -1) -> Tensor:
    """The cumulative integral of a sampled function, up to each sample but the first. See `trapezoid`.

    >>> import rushlight as torch
    >>> torch.cumulative_trapezoid(torch.tensor([1.0, 2.0, 4.0]))
    tensor([1.5000, 4.5000])
    """
    if not y._array.shape:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, y._array.ndim)
    if x is not None:
        return cumsum(strips("cumulative_trapezoid", y, x, dim), dim) / 2
    if y._array.shape[dim] == 0:
        return cumsum(y / 2, dim)
    return cumsum(strips("cumulative_trapezoid", y, x, dim) * ((1 if dx is None else dx) / 2), dim)


def weighted(input: Tensor, dim: int, weights: Sequence[Tensor | float], start: int, length: int) -> Any:
    """The sum over k of `weights[k]` times the `length` elements from `start + k` on."""
    total = None
    for k, weight in enumerate(weights):
        term = input.narrow(dim, start + k, length) * weight
        total = term if total is None else total + term
    return total


EVEN = (-1.5, 2, -0.5), (0.5, -2, 1.5)  # the weights of second-order differences: at the beginning, and at the end


def uneven_weights(steps: Tensor, trailing: int) -> tuple[Sequence[Tensor], ...]:
    """The same at uneven spacing, and those between: the derivative of the parabola through three samples."""
    n = steps._array.shape[0]
    first, second = steps.narrow(0, 0, n - 1), steps.narrow(0, 1, n - 1)
    both = first + second
    inside = -second / (first * both), (second - first) / (first * second), first / (second * both)
    p, q, r, t = steps[0], steps[min(1, n - 1)], steps[max(n - 2, 0)], steps[n - 1]
    begin = -(2 * p + q) / (p * (p + q)), (p + q) / (p * q), -p / (q * (p + q))
    end = t / (r * (r + t)), -(r + t) / (r * t), (2 * t + r) / (t * (r + t))
    return begin, end, [w.reshape(-1, *[1] * trailing) for w in inside]


def slope(input: Tensor, dim: int, spacing: Tensor | float, edge_order: int) -> Tensor:
    """The derivative along one dimension; `spacing` is a number, or a tensor of positions."""
    n = input._array.shape[dim]
    uneven = isinstance(spacing, TensorBase) and spacing._array.ndim
    if uneven:
        steps = diff(spacing)
        begin, end, inside = uneven_weights(steps, input._array.ndim - 1 - dim)
        between = weighted(input, dim, inside, 0, n - 2)
        first, last = steps[0], steps[n - 2]
    else:
        begin, end = EVEN
        between = (input.narrow(dim, 2, n - 2) - input.narrow(dim, 0, n - 2)) / (spacing * 2)
        first = last = spacing
    if edge_order == 1:
        edges = [input.narrow(dim, start + 1, 1) - input.narrow(dim, start, 1) for start in (0, n - 2)]
    else:
        edges = [weighted(input, dim, begin, 0, 1), weighted(input, dim, end, n - len(end), 1)]
    if edge_order == 1 or not uneven:
        edges = [edges[0] / first, edges[1] / last]
    return cat([edges[0], between, edges[1]], dim)


@keywords
def gradient(
    input: Tensor, *, spacing: float | list[Any] | tuple[Any, ...] | None = None, dim: Dim = None, edge_order: int = 1
) -> tuple[Tensor, ...]:
    """The derivatives of a sampled function along each dimension, by second-order differences.

    `spacing` is the distance of the samples (1), or one for each dimension, or a tensor of positions for each. At the
    edges the differences are of order `edge_order`, 1 or 2. RuntimeError if there are fewer than edge_order + 1
    samples.

    >>> import rushlight as torch
    >>> torch.gradient(torch.tensor([1.0, 2.0, 4.0, 8.0]))
    (tensor([1.0000, 1.5000, 3.0000, 4.0000]),)
    """
    ndim = input._array.ndim
    dims = axes(dim, ndim)
    if input.dtype is uint8:
        raise RuntimeError("torch.gradient does not support uint8 input.")
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    if isinstance(spacing, (list, tuple)):
        if len(spacing) != len(dims):
            wanted = f"'self.dim() = {ndim}', since dim argument was not given" if dim is None else "dim"
            raise RuntimeError(
                "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to "
                f"{wanted}, but got a list of length {len(spacing)}"
            )
        spacings = spacing
    else:
        spacings = [1 if spacing is None else spacing] * len(dims)
    for h in spacings:
        if isinstance(h, TensorBase) and h._array.ndim != 1:
            raise RuntimeError(
                "torch.gradient expected each element of spacing to have one dimension, but got an element with "
                f"{h._array.ndim} dimensions!"
            )
        if isinstance(h, TensorBase) and not h._array.size:
            raise IndexError("select(): index 0 out of range for tensor of size [0] at dimension 0")
    if any(input._array.shape[d] <= edge_order for d in dims):
        raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    x = input if kind_of(input._array.dtype) in "fc" else input.to(get_default_dtype())
    return tuple([slope(x, d, h, edge_order) for d, h in zip(dims, spacings, strict=True)])
