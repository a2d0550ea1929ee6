"""Collating a list of samples into a batch."""

from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from copy import copy
from typing import Any

import numpy as np

from rushlight.core.advice import advised
from rushlight.core.graph import new_tensor
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
    return collate(batch, collate_fn_map=default_collate_fn_map)


def collate(batch: Sequence[Any], *, collate_fn_map: Mapping[Any, Callable[..., Any]] | None = None) -> Any:
    """Makes a batch with one function for each class of samples, called as `function(batch, collate_fn_map=...)`.

    Tuples, lists and mappings of classes without a function are collated element by element.

    >>> import rushlight as torch
    >>> from rushlight.utils.data._utils.collate import collate
    >>> collate([["a", "b"], ["c", "d"]], collate_fn_map={str: lambda batch, collate_fn_map: "".join(batch)})
    ['ac', 'bd']
    """
    first, functions = batch[0], collate_fn_map or {}
    kinds = [type(first)] if type(first) in functions else [kind for kind in functions if isinstance(first, kind)]
    if kinds:
        return functions[kinds[0]](batch, collate_fn_map=collate_fn_map)
    if isinstance(first, Mapping):
        parts = {key: collate([sample[key] for sample in batch], collate_fn_map=collate_fn_map) for key in first}
        return rebuilt(first, parts)
    if isinstance(first, Sequence):
        if any(len(sample) != len(first) for sample in batch):
            raise RuntimeError(advised("each element in list of batch should be of equal size"))
        return rebuilt(first, [collate(samples, collate_fn_map=collate_fn_map) for samples in zip(*batch, strict=True)])
    raise TypeError(advised(default_collate_err_msg_format.format(type(first))))


default_collate_err_msg_format = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)


def collate_tensor_fn(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """Stacks tensors along a new first dimension."""
    return joining.stack(list(batch), 0)


def collate_numpy_array_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """Stacks arrays along a new first dimension."""
    if batch[0].dtype.kind in "SUO":
        raise TypeError(advised(default_collate_err_msg_format.format(batch[0].dtype)))
    array = np.stack(batch)
    from_numpy_dtype(array.dtype)
    return new_tensor(array)


def collate_numpy_scalar_fn(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """A tensor of NumPy's numbers, in their dtype."""
    return new_tensor(np.array(batch))


def collate_float_fn(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """A tensor of float64."""
    return new_tensor(np.array(batch, np.float64))


def collate_int_fn(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """A tensor of int64, or bool for booleans."""
    return new_tensor(np.array(batch, np.bool_ if isinstance(batch[0], bool) else np.int64))


def collate_str_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """The strings unchanged."""
    return batch


default_collate_fn_map: dict[Any, Callable[..., Any]] = {  # programs add classes of their own
    Tensor: collate_tensor_fn,
    np.ndarray: collate_numpy_array_fn,
    (np.bool_, np.number, np.object_): collate_numpy_scalar_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}


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
