"""The `repr` of a tensor as in MindSpore.

Numbers are in columns, floats with eight digits after the point. In tensors of two or more dimensions, a dimension over
six shows its first and last three. A one-dimensional tensor has twelve floats or booleans, or twenty-four integers, per
line.

Source: MindSpore, `TensorStringifier` in mindspore/core/ir/tensor_data.h.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

EDGE = 3


def tensor_repr(array: np.ndarray, type_name: str) -> str:
    """The `repr` of a tensor.

    >>> print(tensor_repr(np.array([[1.5, -2.0]], np.float32), "Float32"))
    Tensor(shape=[1, 2], dtype=Float32, value=
    [[ 1.50000000e+00, -2.00000000e+00]])
    """
    if array.size == 0:
        body = ""
    elif array.ndim == 0:
        body = scalar(array.item())
    else:
        body = block(array, texts(array), 0)
    return f"Tensor(shape={list(array.shape)}, dtype={type_name}, value={chr(10) if array.ndim > 1 else ' '}{body})"


def scalar(value: bool | float | complex) -> str:
    """A single number as C++ streams write it."""
    if isinstance(value, complex):
        return f"({value.real:g},{value.imag:g})"
    return f"{value:g}" if isinstance(value, float) else str(value)


def texts(array: np.ndarray) -> np.ndarray:
    """The text of each number, padded to columns of one width, in the array's shape."""
    shown = array[np.ix_(*[shown_indices(n, array.ndim) for n in array.shape])]
    write: Callable[[Any], str]
    match array.dtype.kind:
        case "f":
            width, digits = (11, 4) if array.dtype == np.float16 else (15, 8)
            write = lambda value: f"{value:{width}.{digits}e}"
        case "b":
            write = lambda value: f"{value!s:>5}"
        case "c":
            write = lambda value: scalar(complex(value))
        case _:
            width = max(len(str(value)) for value in shown.flat)
            write = lambda value: f"{value:{width}d}"
    return np.array([write(value) for value in shown.ravel().tolist()], object).reshape(shown.shape)


def shown_indices(n: int, ndim: int) -> list[int]:
    """The indices of a dimension that are shown."""
    if is_summarized(n, ndim):
        return [*range(EDGE), *range(n - EDGE, n)]
    return list(range(n))


def is_summarized(n: int, ndim: int) -> bool:
    """Whether only the ends of a dimension are shown."""
    return n > (1000 if ndim == 1 else 2 * EDGE)


def block(array: np.ndarray, parts: np.ndarray, depth: int) -> str:
    """The text of a part of an array."""
    cut = is_summarized(array.shape[depth], array.ndim)
    if parts.ndim == 1:
        if cut:
            return f"[{', '.join(parts[:EDGE])} ... {', '.join(parts[EDGE:])}]"
        return f"[{', '.join(parts)}]" if array.ndim > 1 else f"[{lines(array, parts)}]"
    blocks = [block(array, part, depth + 1) for part in parts]
    feed = "\n" + " " * (depth + 1)
    if cut:
        return f"[{(',' + feed).join(blocks[:EDGE])},{feed}...{feed}{(',' + feed).join(blocks[EDGE:])}]"
    return f"[{(',' + feed).join(blocks)}]"


def lines(array: np.ndarray, parts: np.ndarray) -> str:
    """The text of a one-dimensional array, with a line feed after twelve numbers, or 24 integers."""
    each = 12 if array.dtype.kind in "fb" else 24
    feed: Callable[[int], str] = lambda i: "\n " if len(parts) > EDGE and (i + 1) % each == 0 else ""
    return "".join(f"{part}{', ' if i < len(parts) - 1 else ''}{feed(i)}" for i, part in enumerate(parts))
