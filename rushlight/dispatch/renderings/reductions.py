"""Renderings of reductions, sorting and other operators along dimensions."""

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.core.aliases import Array
from rushlight.dispatch.renderings.table import RENDERINGS, Rendering, dtype_given, renders, trimmed, with_defaults
from rushlight.ops.aten_namespace import aten


def is_all(dims: Any, input: Any) -> bool:
    """Whether some dimensions are all dimensions of a tensor."""
    return len(tuple(dims)) == input._array.ndim


def sum_rendering(name: str, overload: str) -> Callable[..., Any]:
    """The rendering of a sum or mean along dimensions."""

    def render(input: Array, dims: Sequence[int], keepdim: bool, dtype: Any) -> Rendering:
        return Rendering(
            getattr(getattr(aten, name), overload),
            trimmed((input, list(dims), keepdim), False),
            dtype_given(dtype, input),
        )

    return render


RENDERINGS["sum_dims"], RENDERINGS["mean_dims"] = sum_rendering("sum", "dim_IntList"), sum_rendering("mean", "dim")


@renders("prod_dim")
def product_along(input: Array, dim: int, keepdim: bool, dtype: Any) -> Rendering:
    return Rendering(aten.prod.dim_int, trimmed((input, dim, keepdim), False), dtype_given(dtype, input))


def spread(name: str) -> Callable[..., Any]:
    """The rendering of a variance or standard deviation."""

    def render(input: Array, dims: Sequence[int], correction: float, keepdim: bool) -> Rendering:
        overload = getattr(aten, name).correction
        if is_all(dims, input) and correction == 1 and not keepdim:
            return Rendering(overload, (input,))
        return Rendering(
            overload, (input, list(dims)), {"correction": correction, **({"keepdim": True} if keepdim else {})}
        )

    return render


def truth(name: str) -> Callable[..., Any]:
    """The rendering of `all` or `any`."""

    def render(input: Array, dims: Sequence[int], keepdim: bool) -> Rendering:
        packet = getattr(aten, name)
        if is_all(dims, input) and not keepdim:
            return Rendering(packet.default, (input,))
        if len(dims) == 1:
            return Rendering(packet.dim, trimmed((input, dims[0], keepdim), False))
        return Rendering(packet.dims, trimmed((input, list(dims), keepdim), False))

    return render


def extreme(name: str) -> Callable[..., Any]:
    """The rendering of a maximum, minimum or median along a dimension, with its index."""
    return lambda input, dim, keepdim, *options: (
        None if any(options) else Rendering(getattr(aten, name).dim, trimmed((input, dim, keepdim), False))
    )


def cumulative(name: str) -> Callable[..., Any]:
    """The rendering of a cumulative sum or product."""
    return lambda input, dim, dtype, double: Rendering(
        getattr(aten, name).default, (input, dim), dtype_given(dtype, input)
    )


for _name in ("std", "var", "std_mean", "var_mean"):
    RENDERINGS[_name] = spread(_name)
for _name in ("all", "any"):
    RENDERINGS[_name] = truth(_name)
for _name in ("max", "min"):
    RENDERINGS[f"{_name}_dim"] = extreme(_name)
for _name in ("cumsum", "cumprod"):
    RENDERINGS[_name] = cumulative(_name)


@renders("linalg_vector_norm")
def vector_norm(input: Array, order: float, dims: Sequence[int], keepdim: bool) -> Rendering:
    if is_all(dims, input) and not keepdim:
        return Rendering(aten.linalg_vector_norm.default, trimmed((input, order), 2))
    return Rendering(aten.linalg_vector_norm.default, trimmed((input, order, list(dims), keepdim), False))


@renders("softmax")
def softmax(input: Array, dim: int, dtype: Any) -> Rendering | None:
    return None if dtype_given(dtype, input) else Rendering(aten._softmax.default, (input, dim, False))


@renders("log_softmax")
def log_softmax(input: Array, dim: int, dtype: Any) -> Rendering | None:
    return None if dtype_given(dtype, input) else Rendering(aten._log_softmax.default, (input, dim, False))


@renders("sort")
def sort(input: Array, dim: int, descending: bool) -> Rendering:
    return Rendering(aten.sort.default, trimmed((input, dim, descending), max(input._array.ndim - 1, 0), False))


@renders("topk")
def topk(input: Array, k: int, dim: int, largest: bool) -> Rendering:
    return Rendering(aten.topk.default, trimmed((input, k, dim, largest), max(input._array.ndim - 1, 0), True))


with_defaults("trace")
with_defaults("amax", (), False)
with_defaults("amin", (), False)
with_defaults("argmax", None, False)
with_defaults("argmin", None, False)
with_defaults("logsumexp", False)
