"""Calls of NumPy's functions with tensors that need more work: options, ufunc methods, functions without an entry.

If all tensors are plain values, NumPy's own function is called. Otherwise a TypeError says what to use instead.
"""

from collections.abc import Callable, Sequence
from inspect import signature
from typing import Any

import numpy as np

import rushlight as torch
from rushlight.core.above import above
from rushlight.core.aliases import Array
from rushlight.core.graph import TensorBase
from rushlight.numpy_functions.elementwise import like_scipy
from rushlight.numpy_functions.entering import as_dtype, as_operands, as_tensor, as_tensors, no_history
from rushlight.numpy_functions.plain import in_numpy, in_tensors, is_plain
from rushlight.ops.out import write_out
from rushlight.ops.protocol import ACCUMULATIONS, FUNCTIONS, REDUCTIONS, UFUNCS
from rushlight.tensors import Tensor

INSTEAD = {
    "histogram": "torch.histc",
    "histogram_bin_edges": "torch.linspace",
    "histogram2d": "torch.bincount",
    "histogramdd": "torch.bincount",
    "save": "torch.save",
    "savez": "torch.save",
    "savez_compressed": "torch.save",
    "ix_": "torch.meshgrid",
    "sliding_window_view": "torch.Tensor.unfold",
    "sort_complex": "torch.sort",
    "spacing": "torch.nextafter",
    "isnat": "torch.isnan",
    "vectorize": "torch.vmap",
    "packbits": "torch.bitwise_left_shift",
    "unpackbits": "torch.bitwise_right_shift",
}


@above
def call_function(function: Callable[..., Any], args: Any, kwargs: dict[str, Any], failure: Any = None) -> Array:
    """Called by NumPy for a function that is not a ufunc. `failure` is the error of the function for tensors."""
    kwargs = {name: value for name, value in kwargs.items() if value is not np._NoValue}
    out = kwargs.pop("out", None)
    served = FUNCTIONS.get(function)
    result = answered(function.__name__, served, function, args, kwargs, failure)
    return result if out is None else write_results(function.__name__, out, result, args)


@above
def call_ufunc(ufunc: Any, method: str, inputs: Any, kwargs: dict[str, Any]) -> Any:
    """Called by NumPy for a ufunc, or for one of its methods such as `np.add.reduce`."""
    kwargs = {name: x for name, x in kwargs.items() if x is not np._NoValue and (x is not None or name == "axis")}
    out = kwargs.pop("out", None)
    out = out[0] if out is not None and len(out) == 1 else out
    if method == "__call__":
        name, served = ufunc.__name__, elementwise(ufunc, out)
    else:
        name, served = f"{ufunc.__name__}.{method}", METHODS[method](ufunc) if method in METHODS else None
    result = in_tensors(answered(name, served, getattr(ufunc, method), inputs, kwargs))
    return result if out is None else write_results(name, out, result, inputs)


def answered(
    name: str,
    served: Callable[..., Any] | None,
    function: Callable[..., Any],
    args: Any,
    kwargs: dict[str, Any],
    failure: Any = None,
) -> Array:
    """The result of the function for tensors, else that of NumPy's own function on plain values."""
    if served is not None and failure is None:
        try:
            return served(*args, **kwargs)
        except Exception as error:
            failure = error
    if not is_plain((args, kwargs)):
        raise refusal(name, args, kwargs, served) if failure is None or not fits(served, args, kwargs) else failure
    try:
        result = function(*in_numpy(args), **in_numpy(kwargs))
    except Exception as error:
        raise (error if failure is None else failure) from None
    return result if served is None else in_tensors(result)


def fits(served: Any, args: Sequence[Any], kwargs: dict[str, str]) -> bool:
    """Whether a function accepts these arguments."""
    try:
        signature(served).bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def refusal(name: Any, args: Sequence[Any], kwargs: dict[str, Any], served: Callable[..., Any] | None) -> Any:
    """The error for functions that are not supported for tensors that require grad or are batched."""
    options = f" with {', '.join(kwargs)}" if served is not None and kwargs else ""
    plain = name.partition(".")[0]
    instead = INSTEAD.get(plain) or (f"torch.{plain}" if plain in dir(torch) else "")
    return TypeError(
        f"np.{name}{options} is not available for tensors that require grad or are batched: "
        f"{instead and f'use {instead}, or '}detach and convert first (x.detach().numpy())."
    )


def write_results(name: str, out: Any, result: Tensor, args: Sequence[Any]) -> Array:
    """Writes a result into the tensors given as `out`, or into arrays if the result is a plain value."""
    if isinstance(out, tuple):
        parts = [r if o is None else write_results(name, o, r, args) for o, r in zip(out, result, strict=True)]
        return tuple(parts)
    if isinstance(out, TensorBase):
        return write_out(name, out, as_tensor(result), *args)
    if not is_plain(result):
        raise no_history(name)
    np.copyto(out, in_numpy(result), casting="same_kind")
    return out


# ufuncs with options, and their methods


def elementwise(ufunc: Any, out: Array) -> Callable[..., Any] | None:
    """A ufunc with NumPy's options `dtype` and `where`; None for an unsupported ufunc."""
    function = UFUNCS.get(ufunc) or like_scipy(ufunc)
    if function is None:
        return None

    if ufunc.signature is not None:
        return along_axes(function)

    def called(*inputs: Any, dtype: Any = None, where: Any = True) -> Tensor:
        operands = converted(inputs, dtype)
        result = function(*operands)
        if where is True:
            return result
        return torch.where(as_tensor(where), result, torch.empty_like(result) if out is None else as_tensor(out))

    return called


def converted(inputs: Sequence[Any], dtype: Any) -> list[Any]:
    """The operands in a dtype, unless it is None."""
    operands = as_operands(inputs)
    return operands if dtype is None else [as_tensor(x).to(as_dtype(dtype)) for x in operands]


def along_axes(function: Callable[..., Any]) -> Callable[..., Any]:
    """A ufunc of vectors or matrices, with NumPy's options `axis`, `axes` and `keepdims`."""

    def called(*inputs: Any, axis: Any = None, axes: Any = None, keepdims: bool = False, dtype: Any = None) -> Any:
        operands = converted(inputs, dtype)
        if axis is not None:
            axes = [axis] * len(operands)
        if axes is None:
            axes = [-1] * len(operands) if keepdims else []
        places = [tuple(np.atleast_1d(place).tolist()) for place in axes]
        if places:
            tensors: list[Any] = [as_tensor(x) for x in operands]
            operands = [np.moveaxis(x, p, ends(p)) for x, p in zip(tensors, places, strict=False)]
        result = function(*operands)
        if keepdims:
            return np.expand_dims(result, places[0])
        return np.moveaxis(result, ends(places[-1]), places[-1]) if len(places) > len(operands) else result

    return called


def ends(places: Sequence[int]) -> list[int]:
    """As many of the last axes as there are places."""
    return list(range(-len(places), 0))


def outer_of(ufunc: Any) -> Callable[..., Any]:
    """`ufunc.outer`: each element of one operand combined with each of the other."""

    def called(a: Any, b: Any) -> Tensor:
        a, b = as_tensors((a, b))
        return ufunc(a.reshape((*a.shape, *[1] * b.ndim)), b)

    return called


def at_of(ufunc: Any) -> Callable[..., Any]:
    """`ufunc.at`: changes elements of a tensor in place; repeated indices are applied repeatedly."""

    def called(a: Tensor, indices: Any, *others: Any) -> None:
        key = tuple(as_key(i) for i in indices) if isinstance(indices, tuple) else as_key(indices)
        places = torch.arange(a.numel()).reshape(a.shape)[key]
        if ufunc in (np.add, np.subtract):
            values = torch.broadcast_to(as_tensor(others[0], a).to(a.dtype), places.shape)
            a.put_(places, values if ufunc is np.add else -values, accumulate=True)
        elif places.unique().numel() == places.numel():
            a.put_(places, ufunc(a.take(places), *[as_tensor(x) for x in others]).to(a.dtype))
        else:
            raise TypeError(
                f"np.{ufunc.__name__}.at of tensors takes each place once: use torch.Tensor.scatter_reduce_."
            )

    return called


def as_key(index: Any) -> Any:
    """An index in the form that tensors take."""
    return torch.as_tensor(index) if isinstance(index, np.ndarray) else index


METHODS: dict[str, Callable[..., Any]] = {
    "reduce": REDUCTIONS.get,
    "accumulate": ACCUMULATIONS.get,
    "outer": outer_of,
    "at": at_of,
}
