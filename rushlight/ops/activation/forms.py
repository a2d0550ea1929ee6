"""Helpers that the activations share."""

from collections.abc import Callable
from typing import Any

from rushlight.core.aliases import Array
from rushlight.core.batching import by
from rushlight.core.graph import TensorBase
from rushlight.core.inplace import change, changed_at_once
from rushlight.kernels.steps import zeros_like
from rushlight.ops.arguments.promotion import only
from rushlight.ops.derivatives.series import masking
from rushlight.ops.table import operator, retold, with_public_name
from rushlight.tensors import Tensor


def floats(kernel: str) -> Callable[..., Any]:
    """Type promotion of activations, which exist only for floating-point dtypes; `kernel` is named in the error."""
    return only("f", kernel)


def variant(function: Callable[..., Any], at_once: Callable[..., bool] | None = None) -> Callable[..., Any]:
    """The in-place variant (`relu_`) of an activation that is a function only, not a tensor method.

    `at_once`, if given, computes in place without a temporary array and returns whether it could.
    """

    def change_input(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        if at_once and not args and not kwargs and isinstance(input, TensorBase) and changed_at_once(input, at_once):
            return input
        return change(input, function, *args, **kwargs)

    name = function.__name__
    vars(change_input)["passes_to"] = function
    return with_public_name(
        change_input, f"{name}_", f"`{name}`, in place.{retold(function.__doc__, name, f'{name}_')}"
    )


@operator(
    aten=(),
    node="ThresholdBackwardBackward0",
    layout="like first",
    batch=by(lambda n, grad, input: grad),
    series=masking,
    grad=lambda grad: grad,
    input=lambda grad: zeros_like(grad),
)
def tied(grad: Array, input: Array) -> Any:
    """Returns `grad` unchanged, but keeps `input` in its graph with a zero gradient, as PyTorch does."""
    return grad
