"""Saving and restoring the values of tensors, and changing them to see what depends on them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.core.graph import TensorBase
from rushlight.core.kinds import kind_of
from rushlight.core.windows import outermost
from rushlight.random import default_generator
from rushlight.random.generator import Generator


class State:
    """The values of tensors, their gradients and versions, and the states of generators, for restoring.

    The default generator is always among these.
    """

    def __init__(self, tensors: list[TensorBase], generators: Sequence[Generator] = ()):
        self.tensors: list[tuple[Any, ...]] = [
            (
                tensor,
                copy_of_values(tensor),
                tensor._grad,
                None if tensor._grad is None else copy_of_values(tensor._grad),
            )
            for tensor in tensors
        ]
        self.versions: list[int] = [version(tensor) for tensor in tensors]
        self.streams: list[tuple[Generator, Any]] = [
            (one, one.snapshot()) for one in {default_generator: None, **dict.fromkeys(generators)}
        ]

    def put_back(self) -> None:
        """Restores everything."""
        for (tensor, array, grad, grad_array), number in zip(self.tensors, self.versions, strict=True):
            overwrite(tensor, array)
            tensor._grad = grad
            if grad is not None:
                overwrite(grad, grad_array)
            if tensor._counter is not None:
                tensor._counter.value = number
        for generator, state in self.streams:
            generator.rewind(state)

    def disturb(self, way: str) -> None:
        """Changes the values to others of the same kind, in one of `WAYS`, and advances the generators."""
        draw = np.random.default_rng(0)
        self.change(lambda array: disturbed(array, draw, way))
        for generator, _ in self.streams:
            generator.words(7)

    def disturb_rounding(self, eps: float, seed: int) -> None:
        """Changes each value by a random fraction of it."""
        draw = np.random.default_rng(seed)
        self.change(lambda array: multiplied(array, 1 + eps * draw.uniform(-1, 1, array.shape)))

    def change(self, changed: Callable[[np.ndarray], np.ndarray]) -> None:
        """Changes the values, once for each memory."""
        done: set[int] = set()
        for tensor, _, grad, _ in self.tensors:
            for one in (tensor, grad):
                if one is not None and id(outermost(one._array)) not in done:
                    done.add(id(outermost(one._array)))
                    overwrite(one, changed(one._array))

    def arrays(self) -> list[Any]:
        """The values; None for missing gradients."""
        return [array for _, array, _, grad in self.tensors for array in (array, grad)]


class Start:
    """The values and versions of tensors that a call overwrites, and the generators that it draws from, before it."""

    def __init__(self, values: list[tuple[TensorBase, np.ndarray, int]], streams: list[tuple[Generator, Any]]):
        self.values = values
        self.streams = streams

    def put_back(self) -> None:
        """Restores them."""
        for tensor, values, number in self.values:
            overwrite(tensor, values)
            if tensor._counter is not None:
                tensor._counter.value = number
        for generator, state in self.streams:
            generator.rewind(state)


def overwrite(tensor: TensorBase, array: np.ndarray) -> None:
    """Overwrites a tensor's values, if its memory is writable."""
    if tensor._array.flags.writeable:
        tensor._array[...] = array


def copy_of_values(tensor: TensorBase) -> np.ndarray:
    """A copy of a tensor's values."""
    return tensor._array.copy("K")


def version(tensor: TensorBase) -> int:
    """The version of a tensor."""
    return 0 if tensor._counter is None else tensor._counter.value


WAYS = ("others", "in another order", "nearly the same")
"""The ways to change values: smaller ones in another order, the same in another order, or by a thousandth."""


def disturbed(array: np.ndarray, draw: np.random.Generator, way: str) -> np.ndarray:
    """Other values of the same kind."""
    kind = kind_of(array.dtype)
    if kind not in "biufc":
        return array
    if way == "nearly the same":
        return multiplied(array, 1 + 1e-3 * draw.uniform(-1, 1))
    others = draw.permutation(array.reshape(-1)).reshape(array.shape)
    if kind in "fc" and way == "others":
        others = others * draw.uniform(0.7, 1, array.shape) if array.any() else draw.uniform(0, 0.01, array.shape)
    return others.astype(array.dtype)


def multiplied(array: np.ndarray, by: Any) -> np.ndarray:
    """The product of an array and something, in the array's dtype; integers and booleans are unchanged."""
    return (array * by).astype(array.dtype) if kind_of(array.dtype) in "fc" else array
