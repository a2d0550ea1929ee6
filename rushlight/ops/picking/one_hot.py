"""One-hot vectors."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batched import values
from rushlight.core.graph import new_tensor
from rushlight.core.inplace import is_batched
from rushlight.core.interpreters import noted, writer
from rushlight.kernels.accumulate import are_indices
from rushlight.tensors import Tensor

__all__ = ["one_hot"]


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """One-hot vectors of the classes in an int64 tensor: (...) gives (..., num_classes).

    Without `num_classes` it is the largest class plus one. RuntimeError for classes out of range, and inside `vmap`
    without `num_classes`.

    >>> import rushlight as torch
    >>> torch.nn.functional.one_hot(torch.tensor([0, 2]))
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    array, every = tensor._array, values(tensor._array)
    if array.dtype != np.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if num_classes <= 0 and is_batched(tensor):
        raise RuntimeError(
            "When vmap-ing torch.nn.functional.one_hot, please provide an explicit positive num_classes argument."
        )
    if every.size == 0 and num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    if num_classes == -1:
        num_classes = max(int(every.max()) + 1, 0)
        if (writes := writer()) is not None:
            writes.give_up("one_hot() without num_classes has a shape that depends on values")
    return new_tensor(expand_classes(array, num_classes))


def expanded_classes(array: Array, number: Any) -> Any:
    """A one-hot row for each class. RuntimeError for a class out of range."""
    if type(array) is np.ndarray and number > 0 and are_indices(array, number):
        rows = np.zeros((*array.shape, number), np.int64)
        rows.reshape(-1)[np.arange(0, rows.size, number) + array.reshape(-1)] = 1
        return rows
    every = values(array)
    if every.size and every.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if every.size and every.max() >= number:
        raise RuntimeError(f"Class values must be smaller than num_classes. {every.max()} is not below {number}.")
    return (array[..., None] == np.arange(number)).astype(np.int64, order="C")


expand_classes: Callable[..., Any] = noted(expanded_classes)
