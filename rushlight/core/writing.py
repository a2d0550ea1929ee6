"""Which memory may be changed in place: no inference tensor's, none that elements share, none that the change reads."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batched import Batched, values
from rushlight.core.graph import TensorBase
from rushlight.core.modes import CURRENT
from rushlight.core.windows import address
from rushlight.layouts import is_dense, is_repeated

ndarray = np.ndarray

# The functions that must not read the tensor they write to, and those that may; others may read it element by element.
APART = frozenset(
    ["scatter", "scatter_add", "scatter_reduce", "index_add", "index_copy", "index_reduce", "put", "addr"]
)
ALIKE = frozenset(["fill_", "zero_"])  # they write one number everywhere: overlapping elements are fine
ANYHOW = frozenset(["masked_fill", "index_fill", "masked_scatter", "addmm", "addbmm"])
READING = APART | ALIKE | ANYHOW


def check_inference(tensor: TensorBase) -> None:
    """Raises for an inference tensor outside inference mode."""
    if tensor._inference and not CURRENT.get().inference:
        raise RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get "
            "a normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
        )


def check_memory(tensor: TensorBase, operands: Sequence[Array]) -> None:
    """Raises if elements share their memory, with each other or partly with those of an operand.

    Raises for an inference tensor outside inference mode too.
    """
    if tensor._inference:
        check_inference(tensor)
    if repeats(tensor._array):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
            "Please clone() the tensor before performing the operation."
        )
    for other in operands:
        if isinstance(other, TensorBase) and other is not tensor and shares(tensor, other) and meets(tensor, other):
            raise shared()


def repeats(array: Any) -> bool:
    """Whether elements of an array share their memory."""
    if type(array) is ndarray:
        plain = array
        return not plain.flags.c_contiguous and is_repeated(plain)
    return is_repeated(values(array))


def found_after_overlap(error: Exception) -> bool:
    """Whether PyTorch looks for shared memory before it finds this fault: a missing kernel, sizes that do not match."""
    return "absent" in vars(error) or str(error).startswith("The size of tensor a")


def check_reading(tensor: TensorBase, function: Callable[..., Any], args: Sequence[Any]) -> None:
    """Raises if a function must not read some of its arguments, because it writes to their memory."""
    name = getattr(function, "__name__", "") or getattr(function, "name", "")
    if name in READING:
        if name in ALIKE:
            check_inference(tensor)
            return
        if name in APART:
            check_apart(tensor, args)
        args = () if name in ANYHOW else args
    check_memory(tensor, args)


def check_apart(tensor: TensorBase, operands: Sequence[Any]) -> None:
    """Raises if a tensor shares memory with an operand of a function that reads while it writes."""
    for other in operands:
        if other is tensor or (isinstance(other, TensorBase) and shares(tensor, other) and touches(tensor, other)):
            raise shared()


def shares(tensor: TensorBase, other: TensorBase) -> bool:
    """Whether two tensors are the same, or may share memory."""
    a = tensor._array
    b = other._array
    if a is b or type(a) is Batched or type(b) is Batched:
        return a is b or (tensor._counter is not None and other._counter is tensor._counter)
    return (a.base is not None or b.base is not None) and np.may_share_memory(a, b)


def shared() -> Any:
    """The error for a change of memory that the function also reads."""
    return RuntimeError(
        "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
        "location. Please clone() the tensor before performing the operation."
    )


def touches(tensor: TensorBase, other: TensorBase) -> bool:
    """Whether two gapless tensors share some memory."""
    a, b = tensor._array, other._array
    if not (a.size and b.size and is_dense(a) and is_dense(b)):
        return False
    start, second = address(a), address(b)
    return start < second + b.nbytes and second < start + a.nbytes


def meets(tensor: TensorBase, other: TensorBase) -> bool:
    """Whether two gapless tensors share some memory, but not with the same layout."""
    if not touches(tensor, other):
        return False
    a, b = tensor._array, other._array
    return address(a) != address(b) or a.nbytes != b.nbytes or not in_step(tensor, other)


def in_step(tensor: TensorBase, other: TensorBase) -> bool:
    """Whether two tensors have the same shape and strides; dimensions made by indexing with None match any stride."""
    if tensor._array.shape != other._array.shape:
        return False
    steps = zip(tensor._array.shape, tensor.stride(), other.stride(), strict=True)
    return all(a == b or (n == 1 and 0 in (a, b)) for n, a, b in steps)
