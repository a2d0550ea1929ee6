"""Batch rules of operators on (N, C, ...): the examples become more samples, or groups of channels."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.arrays import is_array
from rushlight.core.batched import Batched, spread
from rushlight.core.batching import one_by_one

OWN = ("weight", "bias")  # parameters of layers, which have no sample dimension


def more_samples(array: Array, n: int) -> Array:
    """An array (*batch, N, ...) as (batch * N, ...)."""
    return array.reshape(math.prod(array.shape[: n + 1]), *array.shape[n + 1 :])


def examples_of(array: Array, sizes: Any) -> Any:
    """The inverse: (batch * N, ...) as (*batch, N, ...)."""
    return array.reshape(*sizes, array.shape[0] // max(math.prod(sizes), 1), *array.shape[1:])


def more_channels(array: Array, n: int) -> Array:
    """An array (*batch, N, C, ...) as (N, batch * C, ...)."""
    array = np.moveaxis(array, n, 0)
    return array.reshape(array.shape[0], math.prod(array.shape[1 : n + 2]), *array.shape[n + 2 :])


def from_channels(array: Array, sizes: Sequence[int]) -> Array:
    """The inverse: (N, batch * C, ...) as (*batch, N, C, ...)."""
    samples, channels, *space = array.shape
    array = array.reshape(samples, *sizes, channels // max(math.prod(sizes), 1), *space)
    return np.moveaxis(array, 0, len(sizes))


def as_samples(op: Any, args: Sequence[Any], levels: Any) -> tuple[Array, ...]:
    """The batch rule of operators that treat samples alike; examples with parameters of their own go one by one."""
    sizes = tuple([level.size for level in levels])
    named = dict(zip(op.params, args, strict=False))
    if math.prod(sizes) == 0 or any(type(named.get(name)) is Batched for name in OWN):
        return one_by_one(op, args, levels)
    for name, arg in named.items():
        if is_array(arg) and name not in OWN:
            named[name] = more_samples(spread(arg, levels), len(levels))
        elif name == "shape":
            named[name] = (math.prod(sizes) * arg[0], *arg[1:])
    result = op.forward(*named.values())
    if isinstance(result, tuple):
        return tuple([examples_of(part, sizes) for part in result])
    return examples_of(result, sizes)


def as_channels(op: Any, args: Sequence[Any], levels: Any) -> Array | tuple[Array, ...]:
    """The batch rule of operators that treat channels alike; vectors hold a value for each channel."""
    n, sizes = len(levels), tuple([level.size for level in levels])
    moved = []
    for arg in args:
        if is_array(arg):
            arg = spread(arg, levels)
            arg = arg.reshape(-1) if arg.ndim == n + 1 else more_channels(arg, n)
        moved.append(arg)
    result = op.forward(*moved)
    if isinstance(result, tuple):
        return tuple([part.reshape(*sizes, -1) if part.ndim == 1 else from_channels(part, sizes) for part in result])
    return from_channels(result, sizes)


def convolved(op: Any, args: Sequence[Any], levels: Any) -> Any:
    """The batch rule of convolutions: more samples if all examples share the weights, else groups of channels."""
    named = dict(zip(op.params, args, strict=True))
    if not any(type(named[name]) is Batched for name in OWN):
        return as_samples(op, args, levels)
    n, sizes = len(levels), tuple([level.size for level in levels])
    named["input"] = more_channels(spread(named["input"], levels), n)
    for name in OWN:
        if named[name] is not None:
            named[name] = more_samples(spread(named[name], levels), n)
    named["groups"] *= math.prod(sizes)
    if "shape" in named:
        samples, channels, *space = named["shape"]
        named["shape"] = (samples, math.prod(sizes) * channels, *space)
    return from_channels(op.forward(*named.values()), sizes)


def convolved_weight(op: Any, args: Any, levels: Any) -> Any:
    """The batch rule of the gradient of a convolution's weight: groups of channels."""
    grad, input, shape, *settings, groups = args
    n, sizes = len(levels), tuple([level.size for level in levels])
    grad, input = [more_channels(spread(x, levels), n) for x in (grad, input)]
    count = math.prod(sizes)
    return examples_of(op.forward(grad, input, (count * shape[0], *shape[1:]), *settings, count * groups), sizes)
