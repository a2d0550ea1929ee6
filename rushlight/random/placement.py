"""Random numbers in the order of an array's elements in memory, in which PyTorch draws them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.core.batched import ENTERED
from rushlight.core.meta import is_meta
from rushlight.layouts import empty_array
from rushlight.random.distributions import normal
from rushlight.random.generator import Generator


def drawn_into(
    array: np.ndarray, draw: Callable[..., Any], generator: Generator | None, *parameters: float
) -> np.ndarray:
    """The numbers that `draw` returns for an array's shape and dtype, in the order of the array's memory.

    `parameters` are those of the distribution; arrays among them broadcast to the shape. If the array is not dense, or
    in another order than its elements, normal numbers are drawn in pairs, never in blocks.

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
    if type(array) is not np.ndarray or array.flags.c_contiguous or ENTERED.get():  # a batch has no order
        return draw(generator, array.shape, array.dtype, *parameters)
    dims = sorted(range(array.ndim), key=lambda dim: -array.strides[dim])
    turned = [turn(value, array.shape, dims) for value in parameters]
    options = {"blocks": False} if draw is normal else {}
    drawn = draw(generator, tuple([array.shape[dim] for dim in dims]), array.dtype, *turned, **options)
    return np.transpose(drawn, [dims.index(dim) for dim in range(array.ndim)])


def turn(value: Any, shape: tuple[int, ...], dims: list[int]) -> Any:
    """A parameter with its dimensions reordered; a number unchanged."""
    return np.broadcast_to(value, shape).transpose(dims) if type(value) is np.ndarray else value


def drawn_like(array: np.ndarray, draw: Callable[..., Any], generator: Generator, *parameters: float) -> np.ndarray:
    """The same for a new array with the memory order of a copy of `array`."""
    model = array if type(array) is not np.ndarray else empty_array(array, array.dtype, None)
    return drawn_into(model, draw, generator, *parameters)
