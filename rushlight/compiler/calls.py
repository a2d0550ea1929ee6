"""Turns calls of operators on tensors into functions of bare arrays: promotion becomes casts, batches become arrays."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from rushlight.core.batched import Batched
from rushlight.core.codes import ANY
from rushlight.core.formulas import evaluate
from rushlight.core.graph import TensorBase

PLAIN = frozenset("?bBhHiIlLqQfdFD")  # dtypes in which every operator computes without conversion
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


class Elementwise:
    """An elementwise operator on up to four arrays and numbers, as the core computes it."""

    name: Any
    __name__: Any

    def __init__(self, op: Any):
        self.op = op
        self.name = self.__name__ = op.name

    def __call__(self, *operands: Any) -> Any:
        """Computes the operator on arrays and numbers."""
        first = operands[0]
        if not isinstance(first, np.ndarray):
            return self.op.forward(*operands)
        return evaluate(self.op.compute, *operands, *(None,) * (4 - len(operands)))


@cache
def elementwise(op: Any) -> Elementwise:
    """The function of an elementwise operator, one for all its calls."""
    return Elementwise(op)


class Apart:
    """A function whose results may be its arguments, or views of them: they are copied."""

    name: str
    __name__: str

    def __init__(self, function: Callable[..., Any]):
        self.function = function
        self.name = self.__name__ = getattr(function, "name", getattr(function, "__name__", ""))

    def __call__(self, *args: Any) -> Any:
        """Calls the function, and copies results that share memory with arguments."""
        result = self.function(*args)
        if type(result) in (tuple, list):
            return tuple([np.array(one) for one in result])
        return np.array(result)


class Wrapped:
    """A function that takes batched arrays: bare arrays are given the levels that they had in the recording."""

    def __init__(self, function: Callable[..., Any], levels: list[Any]):
        self.function = function
        self.levels = levels
        self.name = self.__name__ = getattr(function, "name", getattr(function, "__name__", ""))

    def __call__(self, *args: Any) -> Any:
        """Calls the function with bare arrays, and returns bare arrays."""
        result = self.function(*rewrapped(args, self.levels))
        if type(result) in (tuple, list):
            return tuple([unwrapped(one) for one in result])
        return unwrapped(result)


def rewrapped(args: Any, levels: Any) -> list[Any]:
    """Arguments with arrays batched again where they were."""
    return [
        arg if level is None else rewrapped(arg, level) if type(level) is list else Batched(arg, level)
        for arg, level in zip(args, levels, strict=True)
    ]


def levels_in(args: Any) -> list[Any]:
    """For each argument the levels of a batched array, a list of these for a list with some, else None."""
    found: list[Any] = []
    for arg in args:
        if type(arg) is Batched:
            found.append(arg.levels)
        elif type(arg) in (tuple, list):
            inner = levels_in(arg)
            found.append(inner if any(one is not None for one in inner) else None)
        else:
            found.append(None)
    return found


def unwrapped(value: Any) -> Any:
    """The bare array of a batched one; other values are unchanged."""
    return value.array if type(value) is Batched else value


def prepared(op: Any, args: tuple[Any, ...], way: int) -> tuple[list[Any], Callable[..., Any]]:
    """The arrays that an operator computes with in place of tensors, and the function that computes."""
    if op.view and args[0]._unsettled and op.layout != "reshaped":
        args[0]._settled()
    arrays = [bare(arg) for arg in args]
    kinds = [one.dtype for one in tensors_in(arrays)]
    if any(level is not None for level in levels_in(arrays)) or any(kind.char not in PLAIN for kind in kinds):
        return promoted(op, args, arrays, way), op
    arrays = promoted(op, args, arrays, way)
    if op.compute is not None and len(arrays) <= 4:
        return arrays, elementwise(op)
    return arrays, op.forward


def promoted(op: Any, args: tuple[Any, ...], arrays: list[Any], way: int) -> list[Any]:
    """The arrays after promotion to one dtype."""
    if op.promote is None or (way != ANY and of_one_dtype(arrays)):
        return arrays
    positions = op.operands if way == ANY else range(len(args))
    result = op.promote(*[args[i] for i in positions])
    if result is NotImplemented:
        return arrays
    arrays = list(arrays)
    for position, array in zip(positions, result if len(positions) > 1 else (result,), strict=True):
        arrays[position] = array
    return arrays


def of_one_dtype(arrays: list[Any]) -> bool:
    """Whether operands need no promotion: floats of one dtype, and numbers."""
    dtype = arrays[0].dtype
    if dtype not in FLOATS:
        return False
    return all(
        one.dtype == dtype if isinstance(one, (np.ndarray, Batched)) else type(one) in (float, int)
        for one in arrays[1:]
    )


def bare(arg: Any) -> Any:
    """The array of a tensor; a list of tensors becomes a list of arrays; other values are unchanged."""
    if isinstance(arg, TensorBase):
        return arg._array
    if type(arg) in (tuple, list):
        return type(arg)([bare(item) for item in arg])
    return arg


def tensors_in(arrays: Any) -> list[Any]:
    """The arrays among arguments, batched or not."""
    found = []
    for arg in arrays:
        if isinstance(arg, (np.ndarray, Batched)):
            found.append(arg)
        elif type(arg) in (tuple, list):
            found += tensors_in(arg)
    return found
