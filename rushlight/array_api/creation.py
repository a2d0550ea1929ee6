"""The standard's functions that create arrays."""

from collections.abc import Callable, Sequence
from math import ceil
from typing import Any

import rushlight as torch
from rushlight.tensors import Tensor


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None) -> Tensor:
    """Converts data to an array; it shares the data's memory if `copy` is False, and if `copy` is None where possible.

    >>> from rushlight import array_api as xp
    >>> xp.asarray([1, 2], dtype=xp.float64)
    tensor([1., 2.], dtype=torch.float64)
    """
    return torch.asarray(obj, dtype=dtype, device=device, copy=copy)


def arange(
    start: float, /, stop: float | None = None, step: float = 1, *, dtype: Any = None, device: Any = None
) -> Tensor:
    """Evenly spaced numbers from `start` to `stop`, which is excluded; empty if the step leads away from it.

    >>> from rushlight import array_api as xp
    >>> xp.arange(5), xp.arange(1.0, 2.0, 0.5)
    (tensor([0, 1, 2, 3, 4]), tensor([1.0000, 1.5000]))
    """
    start, stop = (0, start) if stop is None else (start, stop)
    if ceil((stop - start) / step) <= 0:
        like = torch.arange(0, 0, dtype=dtype) if all(isinstance(x, int) for x in (start, stop, step)) else None
        return torch.empty(0, dtype=dtype if like is None else like.dtype, device=device)
    return torch.arange(start, stop, step, dtype=dtype, device=device)


def linspace(
    start: complex, stop: complex, /, num: int, *, dtype: Any = None, device: Any = None, endpoint: bool = True
) -> Tensor:
    """`num` evenly spaced numbers between two; the second is included if `endpoint`.

    >>> from rushlight import array_api as xp
    >>> xp.linspace(0.0, 1.0, 4, endpoint=False)
    tensor([0.0000, 0.2500, 0.5000, 0.7500])
    """
    if not endpoint:
        return torch.linspace(start, stop, num + 1, dtype=dtype, device=device)[:num]
    return torch.linspace(start, stop, num, dtype=dtype, device=device)


def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Any = None) -> Tensor:
    """A matrix with ones on a diagonal, zeros elsewhere.

    >>> from rushlight import array_api as xp
    >>> xp.eye(2, 3, k=1)
    tensor([[0., 1., 0.],
            [0., 0., 1.]])
    """
    columns = torch.arange(n_rows if n_cols is None else n_cols, device=device)
    return (columns == torch.arange(n_rows)[:, None] + k).to(torch.get_default_dtype() if dtype is None else dtype)


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """An array that shares the memory of another library's.

    >>> import numpy as np
    >>> from rushlight import array_api as xp
    >>> xp.from_dlpack(np.array([1.0, 2.0]))
    tensor([1., 2.], dtype=torch.float64)
    """
    return torch.from_dlpack(x, device=device, copy=copy)


def full(shape: Sequence[int] | int, fill_value: complex, *, dtype: Any = None, device: Any = None) -> Tensor:
    """An array filled with one value.

    >>> from rushlight import array_api as xp
    >>> xp.full((2, 2), 7)
    tensor([[7, 7],
            [7, 7]])
    """
    return torch.full(sizes(shape), fill_value, dtype=dtype, device=device)


def full_like(x: Tensor, /, fill_value: complex, *, dtype: Any = None, device: Any = None) -> Tensor:
    """An array filled with one value, in the shape of another.

    >>> from rushlight import array_api as xp
    >>> xp.full_like(xp.zeros(2), 7)
    tensor([7., 7.])
    """
    return torch.full_like(x, fill_value, dtype=dtype, device=device)


def sizes(shape: Sequence[int] | int) -> tuple[int, ...]:
    """A shape as a tuple."""
    return (shape,) if isinstance(shape, int) else tuple(shape)


def maker_of_shape(make: Callable[..., Any], doc: Any) -> Callable[..., Any]:
    """Makes a function that creates an array of a given shape."""

    def function(shape: Sequence[int] | int, *, dtype: Any = None, device: Any = None) -> Tensor:
        return make(sizes(shape), dtype=dtype, device=device)

    function.__name__ = name = make.__name__
    function.__doc__ = f"""{doc}

    >>> from rushlight import array_api as xp
    >>> xp.{name}((2, 3)).shape
    torch.Size([2, 3])
    """
    return function


def filled_like(make: Callable[..., Any], doc: str) -> Callable[..., Any]:
    """Makes a function that creates an array in the shape of another."""

    def function(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
        return make(x, dtype=dtype, device=device)

    function.__name__ = name = make.__name__
    function.__doc__ = f"""{doc}

    >>> from rushlight import array_api as xp
    >>> xp.{name}(xp.asarray([[1.0, 2.0]])).shape
    torch.Size([1, 2])
    """
    return function


empty: Callable[..., Any] = maker_of_shape(torch.empty, "An array of a shape, with any values.")
ones: Callable[..., Any] = maker_of_shape(torch.ones, "An array of ones.")
zeros: Callable[..., Any] = maker_of_shape(torch.zeros, "An array of zeros.")
empty_like: Callable[..., Any] = filled_like(torch.empty_like, "An array in the shape of another, with any values.")
ones_like: Callable[..., Any] = filled_like(torch.ones_like, "An array of ones in the shape of another.")
zeros_like: Callable[..., Any] = filled_like(torch.zeros_like, "An array of zeros in the shape of another.")
