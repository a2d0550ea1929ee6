"""Expanding masks to the shape of their input, and the values that replace masked elements."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.core.kinds import kind_of
from rushlight.ops.elementwise.selection import where
from rushlight.tensors import Tensor


def input_mask(input: Tensor, mask: Tensor) -> Tensor:
    """The mask as bools in the shape of the input; IndexError if it has more dimensions."""
    if mask._array.shape == input._array.shape:
        return mask.bool()
    if mask._array.ndim > input._array.ndim:
        raise IndexError("_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)")
    return mask.bool().broadcast_to(input._array.shape)


def masked_by_identity(input: Tensor, mask: Tensor | None, identity: Callable[..., Any] | float) -> Tensor:
    """The input, with an identity (a number, or a function of the dtype) where the mask is False."""
    if mask is None:
        return input
    value = identity(input._array.dtype) if callable(identity) else identity
    return where(input_mask(input, mask), input, value)


def smallest(d: np.dtype) -> float:
    """The identity of `amax`: -inf, or the smallest integer."""
    return -np.inf if kind_of(d) in "fc" else int(np.iinfo(d).min)


def largest(d: np.dtype) -> float:
    """The identity of `amin`: inf, or the largest integer."""
    return np.inf if kind_of(d) in "fc" else int(np.iinfo(d).max)
