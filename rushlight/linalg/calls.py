"""What the functions of `torch.linalg` share: `out=`, and PyTorch's errors for unsupported arguments."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.graph import TensorBase
from rushlight.core.kinds import is_half, kind_of
from rushlight.dtypes import FROM_NUMPY, TYPE_NAMES
from rushlight.ops.arguments.mismatch import type_name
from rushlight.ops.out import write_out
from rushlight.ops.table import parameters
from rushlight.tensors import Tensor

__all__ = ["LinAlgError"]


class LinAlgError(RuntimeError):
    """The error of a computation that has no result, such as the inverse of a singular matrix.

    >>> import rushlight as torch
    >>> try:
    ...     torch.linalg.inv(torch.zeros(2, 2))
    ... except torch.linalg.LinAlgError as error:
    ...     print(str(error)[:62])
    linalg.inv: The diagonal element 1 is zero, the inversion coul
    """


LinAlgError.__name__ = "_LinAlgError"  # as in PyTorch


def linalg(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a public function: adds `out=`, and PyTorch's error for a first argument that is not a tensor."""
    name = f"linalg_{function.__name__}"
    first = parameters(function)[0]

    @wraps(function)
    def called(*args: Any, out: Tensor | None = None, **kwargs: Any) -> Any:
        input = args[0] if args else kwargs.get(first)
        if not isinstance(input, TensorBase):
            raise TypeError(f"{name}(): argument '{first}' (position 1) must be Tensor, not {type(input).__name__}")
        result = function(*args, **kwargs)
        return result if out is None else write_out(name, out, result, *args, *kwargs.values())

    return called


def check_floating(name: str, A: Tensor, halves: bool = False) -> None:
    """Raises RuntimeError for a dtype that LAPACK does not support; `halves` allows float16 and bfloat16."""
    array = A._array
    if kind_of(array.dtype) not in "fc":
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {type_name(array)}")
    if is_half(array.dtype) and not halves:
        low = TYPE_NAMES[FROM_NUMPY[array.dtype]]
        raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {low}. Convert with x.float() first.")


def check_matrix(name: str, A: Tensor, argument: str = "The input tensor A") -> None:
    """Raises RuntimeError for fewer than two dimensions."""
    if A._array.ndim < 2:
        raise RuntimeError(f"{name}: {argument} must have at least 2 dimensions.")


def check_square(name: str, A: Tensor) -> None:
    """Raises RuntimeError unless A is a square matrix, or a batch of square matrices."""
    check_matrix(name, A)
    n, m = A._array.shape[-2:]
    if n != m:
        raise RuntimeError(f"{name}: A must be batches of square matrices, but they are {n} by {m} matrices")


def check_system(name: str, b: Array, A: Array) -> None:
    """Raises the errors of an older function that solves equations with square matrices A and right sides b."""
    n, m = A._array.shape[-2:]
    if n != m:
        raise RuntimeError(f"A must be batches of square matrices, but they are {n} by {m} matrices")
    if b._array.dtype != A._array.dtype:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {type_name(b._array)} and A of type "
            f"{type_name(A._array)} instead."
        )
    rows, columns = b._array.shape[-2:]
    if rows != n:
        raise RuntimeError(
            f"Incompatible matrix sizes for {name}: each A matrix is {n} by {n} but each b matrix is {rows} by "
            f"{columns}"
        )


def other_ndim(name: str, input: Array, argument: str, x: Array) -> str:
    """The error message for an argument whose number of dimensions does not match the input's."""
    wanted = "one dimension less than" if argument == "tau" else "the same number of dimensions as"
    return (
        f"{name}: Expected {argument} to have {wanted} input, but got {argument}.ndim equal to "
        f"{x._array.ndim} and input.ndim is equal to {input._array.ndim}"
    )


def check_batch(name: str, argument: str, found: Sequence[int], wanted: Sequence[int]) -> None:
    """Raises RuntimeError for batch dimensions that differ from the input's."""
    if found != wanted:
        raise RuntimeError(
            f"{name}: Expected batch dimensions of {argument} to be equal to input.shape[:-2], but got {list(found)}"
        )


def any_failed(info: Array) -> bool:
    """Whether LAPACK's `info` of any matrix is not 0."""
    return bool(np.count_nonzero(info))


def failure(name: str, text: str, info: np.ndarray) -> LinAlgError:
    """The error for the first matrix of a batch with a nonzero LAPACK `info`, which is inserted into the text."""
    found = int(np.flatnonzero(info)[0])
    place = f" (Batch element {found}):" if info.ndim else ""
    return LinAlgError(f"{name}:{place} {text.format(info.reshape(-1)[found])}")
