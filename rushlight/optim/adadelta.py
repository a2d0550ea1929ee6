"""Adadelta: steps scaled by running averages of the squares of earlier gradients and steps."""

from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.optim.elementwise import ElementwiseOptimizer, check_option, check_rate, option_number
from rushlight.optim.functional import function_of
from rushlight.optim.optimizer import Params

__all__ = ["Adadelta", "adadelta"]


class Adadelta(ElementwiseOptimizer):
    """Adadelta: step = sqrt(steps + eps) / sqrt(squares + eps) * grad; param -= lr * step.

    `steps` and `squares` are running averages, with coefficient `rho`, of the squares of steps and gradients.
    `weight_decay` adds weight_decay * param to the gradient.

    Source: M. Zeiler, "ADADELTA: an adaptive learning rate method", 2012. ValueError for options out of range.

    >>> import rushlight as torch
    >>> x = torch.tensor([2.0], requires_grad=True)
    >>> optimizer = torch.optim.Adadelta([x], lr=1.0)
    >>> x.square().sum().backward()
    >>> optimizer.step()
    >>> x.item() < 2.0
    True
    """

    def __init__(
        self,
        params: Params,
        lr: Any = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ):
        check_rate(lr)
        check_option("rho value", rho, 0.0 <= rho <= 1.0)
        check_option("epsilon value", eps, eps >= 0.0)
        check_option("weight_decay value", weight_decay, weight_decay >= 0.0)
        super().__init__(
            params,
            {
                "lr": lr,
                "rho": rho,
                "eps": eps,
                "weight_decay": weight_decay,
                "maximize": maximize,
                "capturable": capturable,
                "foreach": foreach,
                "differentiable": differentiable,
            },
        )

    def _names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return "square_avg", "acc_delta"

    def _numbers(self, group: dict[str, Any], moment: Any) -> tuple[Any, ...]:
        return option_number(group["lr"], group), group["rho"], 1 - group["rho"], group["eps"]

    @staticmethod
    def _rule(numbers: tuple[Any, ...], param: Array, grad: Array, squares: Array, steps: Array) -> None:
        lr, rho, rest, eps = numbers
        squares *= rho
        squares += grad * rest * grad
        step = np.sqrt(steps + eps) / np.sqrt(squares + eps) * grad
        steps *= rho
        steps += step * rest * step
        param -= step * lr


adadelta = function_of(
    Adadelta,
    lists="grads square_avgs acc_deltas state_steps",
    flags="capturable foreach differentiable has_complex",
    options="lr rho eps weight_decay maximize",
)
