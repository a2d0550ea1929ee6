"""RAdam: Adam that does not scale its steps before the variance of the scale is known."""

from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.optim.elementwise import ElementwiseOptimizer, check_adam, option_number
from rushlight.optim.functional import function_of
from rushlight.optim.optimizer import Params

__all__ = ["RAdam", "radam"]


class RAdam(ElementwiseOptimizer):
    """RAdam: momentum only in the first steps; then Adam, rectified by the variance of its scale.

    `weight_decay` adds weight_decay * param to the gradient, or with `decoupled_weight_decay` multiplies the parameter
    by 1 - lr * weight_decay.

    Source: L. Liu et al., "On the variance of the adaptive learning rate and beyond", 2019. ValueError for options out
    of range.

    >>> import rushlight as torch
    >>> x = torch.tensor([2.0], requires_grad=True)
    >>> optimizer = torch.optim.RAdam([x], lr=0.1)
    >>> x.square().sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([1.6000], requires_grad=True)
    """

    def __init__(
        self,
        params: Params,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ):
        check_adam(lr, betas, eps, weight_decay)
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "maximize": maximize,
                "foreach": foreach,
                "capturable": capturable,
                "decoupled_weight_decay": decoupled_weight_decay,
                "differentiable": differentiable,
            },
        )

    def _names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return "exp_avg", "exp_avg_sq"

    def _numbers(self, group: dict[str, Any], moment: Any) -> tuple[Any, ...]:
        beta1, beta2 = group["betas"]
        corrections = 1 - beta1**moment, (1 - beta2**moment) ** 0.5
        options = 1 - beta1, beta2, 1 - beta2, group["eps"]
        return option_number(group["lr"], group), *corrections, rectify(moment, beta2), *options

    @staticmethod
    def _rule(numbers: tuple[Any, ...], param: Array, grad: Array, mean: Array, square: Array) -> None:
        lr, correction1, correction2, rectification, rest1, beta2, rest2, eps = numbers
        mean += (grad - mean) * rest1
        square *= beta2
        square += grad * rest2 * grad
        change = mean / correction1 * lr
        if rectification is not None:
            change = change * (correction2 / (np.sqrt(square) + eps)) * rectification
        param -= change


def rectify(step: float, beta2: float) -> float | None:
    """The factor that rectifies the variance of Adam's scale; None while it is not known well enough."""
    limit = 2 / (1 - beta2) - 1
    length = limit - 2 * step * beta2**step / (1 - beta2**step)
    if length <= 5:
        return None
    return ((length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length)) ** 0.5


radam = function_of(
    RAdam,
    lists="grads exp_avgs exp_avg_sqs state_steps",
    flags="decoupled_weight_decay foreach differentiable capturable has_complex maximize",
    options="beta1 beta2 lr weight_decay eps",
)
