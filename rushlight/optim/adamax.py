"""Adamax: Adam with a decaying maximum of |gradient| in place of the root mean square."""

from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.optim.elementwise import ElementwiseOptimizer, check_adam, option_number
from rushlight.optim.functional import function_of
from rushlight.optim.optimizer import Params

__all__ = ["Adamax", "adamax"]


class Adamax(ElementwiseOptimizer):
    """Adamax: param -= lr / (1 - beta1**step) * mean / largest, where largest = max(beta2 * largest, |grad| + eps).

    `weight_decay` adds weight_decay * param to the gradient.

    Source: D. Kingma, J. Ba, "Adam: a method for stochastic optimization", 2014. ValueError for options out of range.

    >>> import rushlight as torch
    >>> x = torch.tensor([2.0], requires_grad=True)
    >>> optimizer = torch.optim.Adamax([x], lr=0.1)
    >>> x.square().sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([1.9000], requires_grad=True)
    """

    def __init__(
        self,
        params: Params,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ):
        check_adam(lr, betas, eps, weight_decay)
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
                "capturable": capturable,
            },
        )

    def _names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return "exp_avg", "exp_inf"

    def _numbers(self, group: dict[str, Any], moment: Any) -> tuple[Any, ...]:
        beta1, beta2 = group["betas"]
        return option_number(group["lr"], group) / (1 - beta1**moment), 1 - beta1, beta2, group["eps"]

    @staticmethod
    def _rule(numbers: tuple[Any, ...], param: Array, grad: Array, mean: Array, largest: Array) -> None:
        rate, rest, beta2, eps = numbers
        mean += (grad - mean) * rest
        largest[...] = np.maximum(np.copy(largest) * beta2, np.abs(grad) + eps)
        param -= mean * rate / largest


adamax = function_of(
    Adamax,
    lists="grads exp_avgs exp_infs state_steps",
    flags="foreach maximize differentiable capturable has_complex",
    options="eps beta1 beta2 lr weight_decay",
)
