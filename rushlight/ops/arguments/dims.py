"""Dimensions and sizes as arguments: negative ones, and several given one by one or as a sequence."""

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from rushlight.core.advice import advised
from rushlight.core.graph import TensorBase
from rushlight.refusals.signatures import is_a, misfit
from rushlight.tensors import Tensor

INTEGERS = int, np.integer


def wrap_dim(dim: int, ndim: int) -> int:
    """A dimension as a non-negative number; IndexError if it is out of range."""
    limit = ndim or 1
    if type(dim) is not int:
        dim = integer(dim)
    if not -limit <= dim < limit:
        raise IndexError(
            advised(f"Dimension out of range (expected to be in range of [{-limit}, {limit - 1}], but got {dim})")
        )
    return dim if dim >= 0 else dim + limit


def size_of(shape: Sequence[int], dim: int) -> int:
    """The size of a dimension; IndexError if it is out of range."""
    if not shape:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return shape[wrap_dim(dim, len(shape))]


def known_dim(dim: int, shape: Sequence[int]) -> int:
    """A dimension of `shape` as a non-negative number; IndexError if it is out of range."""
    if not shape:
        size_of(shape, dim)
    return wrap_dim(dim, len(shape))


def integer(dim: int) -> int:
    """A dimension as an int; TypeError, in PyTorch's words, for anything that is not an integer."""
    try:
        if not isinstance(dim, TensorBase) or is_a("int", dim):
            return index(dim)
    except TypeError:
        pass
    raise TypeError(f"argument 'dim' must be int, not {type(dim).__name__}")


def wrap_dims(dims: Sequence[int] | int, ndim: int) -> tuple[int, ...]:
    """Several dimensions as non-negative numbers; RuntimeError if one occurs twice."""
    wrapped = tuple([wrap_dim(dim, ndim) for dim in ((dims,) if isinstance(dims, INTEGERS) else dims)])
    for dim in wrapped:
        if wrapped.count(dim) > 1:
            raise RuntimeError(f"dim {dim} appears multiple times in the list of dims")
    return wrapped


def sequence(function: str, parameter: str, given: Sequence[Any], named: Any = None) -> tuple[int, ...]:
    """Integers given one by one, as one sequence or by name; TypeError, in PyTorch's words, for anything else."""
    if named is not None:
        given = (named,)
    if len(given) == 1 and isinstance(given[0], (tuple, list)):
        given = given[0]
    elif not given:
        raise TypeError(f'{function}() missing 1 required positional arguments: "{parameter}"')
    for n in given:
        if type(n) is not int:
            return converted(function, parameter, given)
    return tuple(given)


def converted(function: str, parameter: str, given: Any) -> tuple[int, ...]:
    """Integers, or one integer, as a tuple of ints; TypeError, in PyTorch's words, for anything else."""
    if isinstance(given[0], (tuple, list)):
        raise TypeError(f"{function}() takes 1 positional argument but {len(given)} were given")
    try:
        return tuple([index(n) for n in given])
    except TypeError:
        said = misfit(f"Tensor.{function}", given, {})
        if said is not None:
            raise TypeError(said) from None
        wrong = next(n for n in given if not hasattr(n, "__index__") or isinstance(n, TensorBase))
        raise TypeError(
            f"{function}(): argument '{parameter}' must be tuple of ints, but found element of type "
            f"{type(wrong).__name__}"
        ) from None


def tensors_given(tensors: Any) -> list[Tensor]:
    """Tensors given one by one or as one sequence."""
    return list(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else list(tensors)
