"""Gradients of convolutions with respect to input and weight, as functions of their own."""

from collections.abc import Callable
from typing import Any

from rushlight.autograd import enable_grad, grad
from rushlight.nn.functional import conv1d, conv2d, conv3d
from rushlight.ops.making.creation import zeros
from rushlight.tensors import Tensor

__all__ = ["conv1d_input", "conv1d_weight", "conv2d_input", "conv2d_weight", "conv3d_input", "conv3d_weight"]


def gradient_in(size: Any, grad_output: Tensor, convolved: Callable[..., Any]) -> Tensor:
    """The gradient of a convolution with respect to an argument of a given size.

    The convolution is linear in that argument, so zeros can be used as its value.
    """
    with enable_grad():
        argument = zeros(tuple(size), dtype=grad_output.dtype, requires_grad=True)
        out = convolved(argument)
    return grad(out, argument, grad_output.detach())[0]


def of_input(convolution: Callable[..., Any]) -> Callable[..., Any]:
    """Makes the function that computes a convolution's gradient with respect to its input."""

    def gradient(
        input_size: Any,
        weight: Tensor,
        grad_output: Tensor,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:
        settings = (stride, padding, dilation, groups)
        return gradient_in(input_size, grad_output, lambda x: convolution(x, weight.detach(), None, *settings))

    return with_public_name(gradient, convolution, "input")


def of_weight(convolution: Callable[..., Any]) -> Callable[..., Any]:
    """Makes the function that computes a convolution's gradient with respect to its weight."""

    def gradient(
        input: Tensor,
        weight_size: Any,
        grad_output: Tensor,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:
        settings = (stride, padding, dilation, groups)
        return gradient_in(weight_size, grad_output, lambda w: convolution(input.detach(), w, None, *settings))

    return with_public_name(gradient, convolution, "weight")


def with_public_name(function: Callable[..., Any], convolution: Callable[..., Any], what: str) -> Callable[..., Any]:
    """Gives a function its public name and documentation."""
    function.__name__ = function.__qualname__ = f"{convolution.__name__}_{what}"
    function.__doc__ = f"The gradient of `{convolution.__name__}` in its {what}, of which the size is given."
    return function


conv1d_input: Callable[..., Tensor] = of_input(conv1d)
conv2d_input: Callable[..., Tensor] = of_input(conv2d)
conv3d_input: Callable[..., Tensor] = of_input(conv3d)
conv1d_weight: Callable[..., Tensor] = of_weight(conv1d)
conv2d_weight: Callable[..., Tensor] = of_weight(conv2d)
conv3d_weight: Callable[..., Tensor] = of_weight(conv3d)
