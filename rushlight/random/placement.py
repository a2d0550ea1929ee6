"""Random numbers in the order in which the elements of an array lie in memory, as PyTorch draws them into it."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.core.batched import ENTERED
from rushlight.core.meta import is_meta
from rushlight.layouts import empty_array
from rushlight.random.distributions import normal
from rushlight.random.generator import Generator


def drawn_into(array: np.ndarray, draw: Callable[..., Any], generator: Generator, *parameters: float) -> np.ndarray:
    """What `draw` gives for an array's shape and dtype, one number after the other through its memory.

    `parameters` are those of the distribution; arrays among them broadcast to the shape. Normal numbers come pair by
    pair, and never in blocks, where the memory has gaps or another order than the elements.

    >>> import numpy as np
    >>> from rushlight.random import Generator, distributions
    >>> from rushlight.random.placement import drawn_into
    >>> columns = np.empty((2, 2), np.float32, order="F")
    >>> drawn_into(columns, distributions.uniform, Generator().manual_seed(0))
    array([[0.4962566 , 0.08847743],
           [0.7682218 , 0.13203049]], dtype=float32)
    """
    if is_meta(array):
        return array
    if type(array) is not np.ndarray or array.flags.c_contiguous or ENTERED.get():  # a batch has no order of its own
        return draw(generator, array.shape, array.dtype, *parameters)
    dims = sorted(range(array.ndim), key=lambda dim: -array.strides[dim])
    turned = [turn(value, array.shape, dims) for value in parameters]
    options = {"blocks": False} if draw is normal else {}
    drawn = draw(generator, tuple([array.shape[dim] for dim in dims]), array.dtype, *turned, **options)
    return np.transpose(drawn, [dims.index(dim) for dim in range(array.ndim)])


def turn(value: Any, shape: tuple[int, ...], dims: list[int]) -> Any:
    """A parameter with its dimensions in another order; a number as it is."""
    return np.broadcast_to(value, shape).transpose(dims) if type(value) is np.ndarray else value


def drawn_like(array: np.ndarray, draw: Callable[..., Any], generator: Generator, *parameters: float) -> np.ndarray:
    """The same for a new array that lies in memory as a copy of `array` does."""
    model = array if type(array) is not np.ndarray else empty_array(array, array.dtype, None)
    return drawn_into(model, draw, generator, *parameters)
