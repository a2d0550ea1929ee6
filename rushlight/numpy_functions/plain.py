"""NumPy's own functions on the values of tensors, for functions that are not defined for tensors."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from rushlight.core.batched import Batched
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.dtypes import FROM_NUMPY, canonical, dtype


def parts(value: Any) -> Iterator[Any]:
    """The tensors and batched arrays among arguments, including nested ones."""
    if isinstance(value, (TensorBase, Batched)):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from parts(item)
    elif isinstance(value, dict):
        yield from parts(list(value.values()))


def is_plain(value: Any) -> bool:
    """Whether all tensors among arguments are plain values: none requires grad, has tangents, or is batched."""
    return all(
        isinstance(x, TensorBase) and not x.requires_grad and not x._tangents and type(x._array) is not Batched
        for x in parts(value)
    )


def in_numpy(value: Any) -> Any:
    """Arguments with tensors converted to arrays, and rushlight's dtypes to NumPy's."""
    if isinstance(value, TensorBase):
        return value.detach().numpy()
    if isinstance(value, dtype):
        return value._numpy
    if isinstance(value, dict):
        return {key: in_numpy(item) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)([in_numpy(item) for item in value])
    return value


def in_tensors(value: Any) -> Any:
    """A result with arrays and numbers converted to tensors, if they have a supported dtype."""
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype in FROM_NUMPY:
        return new_tensor(canonical(np.asarray(value)))
    if isinstance(value, tuple):
        items = [in_tensors(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return [in_tensors(item) for item in value] if type(value) is list else value
