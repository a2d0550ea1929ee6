"""What the activations have in common."""

import numpy as np

from rushlight.core.batching import by
from rushlight.core.inplace import change
from rushlight.ops.arguments.promotion import only
from rushlight.ops.derivatives.series import masking
from rushlight.ops.table import named, operator


def floats(kernel):
    """The promotion of activations, which PyTorch has for floating-point numbers alone."""
    return only("f", kernel)


def variant(function):
    """The variant with an underscore of an activation that is no method: it changes its input."""

    def change_input(input, *args, **kwargs):
        return change(input, function, *args, **kwargs)

    return named(change_input, f"{function.__name__}_", f"`{function.__name__}`, in place.")


@operator(
    aten=(),
    layout="like first",
    batch=by(lambda n, grad, input: grad),
    series=masking,
    grad=lambda grad: grad,
    input=lambda grad: np.zeros_like(grad),
)
def tied(grad, input):
    """A cotangent tied to an input that does not change it: the derivative is there, as in PyTorch, and 0."""
    return grad
