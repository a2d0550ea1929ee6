"""NumPy's functions without derivatives, such as those that return shapes or bools; they accept every tensor."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.graph import TensorBase
from rushlight.numpy_functions.entering import numpy
from rushlight.numpy_functions.plain import in_numpy
from rushlight.ops.protocol import FUNCTIONS
from rushlight.tensors import Tensor

NAMES = (
    "allclose",
    "array2string",
    "array_equal",
    "array_equiv",
    "array_repr",
    "array_str",
    "can_cast",
    "common_type",
    "einsum_path",
    "may_share_memory",
    "min_scalar_type",
    "result_type",
    "shares_memory",
)


def of_values(function: Callable[..., Any]) -> Callable[..., Any]:
    """Calls a function with the values of tensors."""
    return lambda *args, **kwargs: function(*in_numpy(args), **in_numpy(kwargs))


for name in NAMES:
    FUNCTIONS[getattr(np, name)] = of_values(getattr(np, name))


@numpy
def shape(a: Tensor) -> tuple[int, ...]:
    return tuple(a.shape)


@numpy
def ndim(a: Tensor) -> int:
    return a.ndim


@numpy
def size(a: Tensor, axis: int | None = None) -> int:
    return a.numel() if axis is None else int(np.prod([a.shape[d] for d in np.atleast_1d(axis)]))


@numpy
def iscomplexobj(x: Any) -> bool:
    return isinstance(x, TensorBase) and x.is_complex()


@numpy
def isrealobj(x: Array) -> Any:
    return not iscomplexobj(x)
