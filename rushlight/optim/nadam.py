"""NAdam: Adam with Nesterov's momentum."""

from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.optim.elementwise import ElementwiseOptimizer, advance, check_adam, check_option, option_number, scalar
from rushlight.optim.functional import function_of
from rushlight.optim.optimizer import Params

__all__ = ["NAdam", "nadam"]


class NAdam(ElementwiseOptimizer):
    """NAdam: Adam with Nesterov momentum, which grows at the rate `momentum_decay`.

    `weight_decay` adds weight_decay * param to the gradient, or with `decoupled_weight_decay` multiplies the parameter
    by 1 - lr * weight_decay.

    Source: T. Dozat, "Incorporating Nesterov momentum into Adam", 2016. ValueError for options out of range.

    >>> import rushlight as torch
    >>> x = torch.tensor([2.0], requires_grad=True)
    >>> optimizer = torch.optim.NAdam([x], lr=0.1)
    >>> x.square().sum().backward()
    >>> optimizer.step()
    >>> x.item() < 2.0
    True
    """

    _later = "any"

    def __init__(
        self,
        params: Params,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ):
        check_adam(lr, betas, eps, weight_decay)
        check_option("momentum_decay value", momentum_decay, momentum_decay >= 0.0)
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "momentum_decay": momentum_decay,
                "decoupled_weight_decay": decoupled_weight_decay,
                "maximize": maximize,
                "foreach": foreach,
                "capturable": capturable,
                "differentiable": differentiable,
            },
        )

    def _names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return "exp_avg", "exp_avg_sq"

    def _moment(self, group: dict[str, Any], state: dict[str, Any]) -> tuple[Any, Any]:
        step = advance(state)
        product, momentum = state.setdefault("mu_product", scalar(1.0)), momentum_at(step, group)
        if group["differentiable"]:
            product = state["mu_product"] = product * momentum
        else:
            product._array *= momentum
        return step, option_number(product, group)

    def _numbers(self, group: dict[str, Any], moment: Any) -> tuple[Any, ...]:
        step, product = moment
        lr, (beta1, beta2) = option_number(group["lr"], group), group["betas"]
        now, ahead = momentum_at(step, group), momentum_at(step + 1, group)
        rate, rate_ahead = lr * (1 - now) / (1 - product), lr * ahead / (1 - product * ahead)
        return rate, rate_ahead, 1 - beta2**step, 1 - beta1, beta2, 1 - beta2, group["eps"]

    @staticmethod
    def _rule(numbers: tuple[Any, ...], param: Array, grad: Array, mean: Array, square: Array) -> None:
        rate, rate_ahead, correction, rest1, beta2, rest2, eps = numbers
        mean += (grad - mean) * rest1
        square *= beta2
        square += grad * rest2 * grad
        scale = np.sqrt(square / correction) + eps
        param -= grad * rate / scale
        param -= mean * rate_ahead / scale


def momentum_at(step: float, group: dict[str, Any]) -> float:
    """The momentum at a step; it grows towards the first of `betas`."""
    return group["betas"][0] * (1 - 0.5 * 0.96 ** (step * group["momentum_decay"]))


nadam = function_of(
    NAdam,
    lists="grads exp_avgs exp_avg_sqs mu_products state_steps",
    flags="decoupled_weight_decay foreach capturable differentiable has_complex maximize",
    options="beta1 beta2 lr weight_decay momentum_decay eps",
)
