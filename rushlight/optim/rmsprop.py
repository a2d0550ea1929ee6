"""RMSprop: gradients divided by the square root of the running average of their squares."""

from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.optim.elementwise import ElementwiseOptimizer, check_option, check_rate, option_number
from rushlight.optim.functional import function_of
from rushlight.optim.optimizer import Params

__all__ = ["RMSprop", "rmsprop"]


class RMSprop(ElementwiseOptimizer):
    """RMSprop: param -= lr * grad / (sqrt(square) + eps), with a running average `square` of coefficient `alpha`.

    `centered` uses the running variance instead; `momentum` accumulates the steps. `weight_decay` adds weight_decay *
    param to the gradient.

    Sources: G. Hinton, "Neural networks for machine learning", lecture 6, 2012; A. Graves, "Generating sequences with
    recurrent neural networks", 2013 (centered). ValueError for options out of range.

    >>> import rushlight as torch
    >>> x = torch.tensor([2.0], requires_grad=True)
    >>> optimizer = torch.optim.RMSprop([x], lr=0.1)
    >>> x.square().sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([1.], requires_grad=True)
    """

    def __init__(
        self,
        params: Params,
        lr: Any = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ):
        check_rate(lr)
        check_option("epsilon value", eps, eps >= 0.0)
        check_option("momentum value", momentum, momentum >= 0.0)
        check_option("weight_decay value", weight_decay, weight_decay >= 0.0)
        check_option("alpha value", alpha, alpha >= 0.0)
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "alpha": alpha,
                "eps": eps,
                "centered": centered,
                "weight_decay": weight_decay,
                "capturable": capturable,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
            },
        )

    def _names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return "square_avg", *["momentum_buffer"] * (group["momentum"] > 0), *["grad_avg"] * group["centered"]

    def _numbers(self, group: dict[str, Any], moment: Any) -> tuple[Any, ...]:
        alpha, momentum = group["alpha"], group["momentum"]
        return option_number(group["lr"], group), alpha, 1 - alpha, group["eps"], momentum if momentum > 0 else None

    @staticmethod
    def _rule(numbers: tuple[Any, ...], param: Array, grad: Array, square: Array, *others: Array) -> None:
        """The rule; `others` are a momentum buffer if there is momentum, and a mean if `centered`."""
        lr, alpha, rest, eps, momentum = numbers
        square *= alpha
        square += grad * rest * grad
        variance = square
        if len(others) > (momentum is not None):
            mean = others[-1]
            mean += (grad - mean) * rest
            variance = square - mean * mean
        step = grad / (np.sqrt(variance) + eps)
        if momentum is not None:
            buffer = others[0]
            buffer *= momentum
            buffer += step
            step = buffer
        param -= step * lr


rmsprop = function_of(
    RMSprop,
    lists="grads square_avgs grad_avgs momentum_buffer_list state_steps",
    flags="foreach maximize differentiable capturable has_complex",
    options="lr alpha eps weight_decay momentum centered",
)
