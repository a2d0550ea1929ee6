"""Collating a list of samples into a batch."""

from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from copy import copy
from typing import Any

import numpy as np

from rushlight.core.advice import advised
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.dtypes import from_numpy_dtype
from rushlight.ops.shapes import joining
from rushlight.tensors import Tensor

__all__ = ["default_collate", "default_convert"]


def default_collate(batch: Sequence[Any]) -> Any:
    """Makes a batch from samples, which are tensors, arrays, numbers, strings, or tuples, lists, mappings of them.

    Tensors and arrays are stacked, numbers become tensors (float64 for floats), strings stay lists; tuples, lists and
    mappings are collated element by element. TypeError for samples of another type; RuntimeError for samples of
    different lengths.

    >>> import rushlight as torch
    >>> torch.utils.data.default_collate([(torch.tensor([1, 2]), 0.5), (torch.tensor([3, 4]), 1.5)])
    [tensor([[1, 2],
            [3, 4]]), tensor([0.5000, 1.5000], dtype=torch.float64)]
    """
    first = batch[0]
    for kind, put_together in LEAVES:
        if isinstance(first, kind):
            return put_together(batch)
    if isinstance(first, Mapping):
        return rebuilt(first, {key: default_collate([sample[key] for sample in batch]) for key in first})
    if isinstance(first, Sequence):
        if any(len(sample) != len(first) for sample in batch):
            raise RuntimeError(advised("each element in list of batch should be of equal size"))
        return rebuilt(first, [default_collate(samples) for samples in zip(*batch, strict=True)])
    raise TypeError(advised(UNKNOWN.format(type(first))))


UNKNOWN = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"


def stack(batch: Any) -> Tensor:
    """Stacks tensors along a new first dimension."""
    return joining.stack(list(batch), 0)


def stack_arrays(batch: Any) -> Any:
    """Stacks arrays along a new first dimension."""
    if batch[0].dtype.kind in "SUO":
        raise TypeError(advised(UNKNOWN.format(batch[0].dtype)))
    array = np.stack(batch)
    from_numpy_dtype(array.dtype)
    return new_tensor(array)


def numbers(dtype: Any) -> Callable[..., Any]:
    """Makes a function that makes a tensor of numbers."""
    return lambda batch: new_tensor(np.array(batch, dtype))


LEAVES: list[tuple[Any, Callable[..., Any]]] = [
    (TensorBase, stack),
    (np.ndarray, stack_arrays),
    ((np.bool_, np.number), numbers(None)),
    (float, numbers(np.float64)),
    (bool, numbers(np.bool_)),
    (int, numbers(np.int64)),
    ((str, bytes), lambda batch: batch),
]


def default_convert(data: Any) -> Any:
    """Converts the arrays in a sample to tensors, and leaves everything else unchanged.

    >>> import rushlight as torch, numpy as np
    >>> torch.utils.data.default_convert([np.array([0, 1]), "text"])
    [tensor([0, 1]), 'text']
    """
    if isinstance(data, (np.ndarray, np.bool_, np.number)):
        if isinstance(data, np.ndarray) and data.dtype.kind in "SUO":
            return data
        return new_tensor(np.asarray(data))
    if isinstance(data, Mapping):
        return rebuilt(data, {key: default_convert(value) for key, value in data.items()})
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return rebuilt(data, [default_convert(value) for value in data])
    return data


def rebuilt(like: Any, parts: Any) -> Any:
    """A container of the same type with other elements; a plain list or dictionary if that is impossible."""
    if isinstance(like, tuple):
        return type(like)(*parts) if hasattr(like, "_fields") else parts
    try:
        if isinstance(like, MutableMapping):
            mapping = copy(like)
            mapping.update(parts)
            return mapping
        if isinstance(like, MutableSequence):
            clone = copy(like)
            for i, part in enumerate(parts):
                clone[i] = part
            return clone
        return type(like)(parts)
    except TypeError:
        return parts
