"""Adam: steps scaled by running averages of the gradient and its square."""

from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.graph import TensorBase
from rushlight.optim.elementwise import ElementwiseOptimizer, check_adam, option_number
from rushlight.optim.functional import function_of
from rushlight.optim.optimizer import Params

__all__ = ["Adam", "adam"]

MEANS = ("exp_avg", "exp_avg_sq")
MEANS_AND_MAXIMUM = (*MEANS, "max_exp_avg_sq")


class Adam(ElementwiseOptimizer):
    """Adam: param -= lr * mean / (sqrt(square) + eps).

    `mean` and `square` are running averages of the gradient and its square, with coefficients `betas`, both with bias
    correction. `weight_decay` adds weight_decay * param to the gradient, or with `decoupled_weight_decay` multiplies
    the parameter by 1 - lr * weight_decay. `amsgrad` uses the maximum of all `square` so far.

    Sources: D. Kingma, J. Ba, "Adam: a method for stochastic optimization", 2014; S. Reddi et al., "On the convergence
    of Adam and beyond", 2018. ValueError for options out of range.

    >>> import rushlight as torch
    >>> weight = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = torch.optim.Adam([weight], lr=0.1)
    >>> (weight**2).sum().backward()
    >>> optimizer.step()
    >>> weight.detach()
    tensor([0.9000])
    """

    def __init__(
        self,
        params: Params,
        lr: Any = 1e-3,
        betas: tuple[Any, Any] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ):
        check_adam(lr, betas, eps, weight_decay)
        if not any(all(isinstance(beta, kind) for beta in betas) for kind in (float, TensorBase)):
            raise ValueError("betas must be either both floats or both Tensors")
        if foreach and not capturable:
            refuse_tensors({"lr": lr, "betas[0]": betas[0], "betas[1]": betas[1]})
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "amsgrad": amsgrad,
                "maximize": maximize,
                "foreach": foreach,
                "capturable": capturable,
                "differentiable": differentiable,
                "fused": fused,
                "decoupled_weight_decay": decoupled_weight_decay,
            },
        )

    def _names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return MEANS_AND_MAXIMUM if group["amsgrad"] else MEANS

    def _numbers(self, group: dict[str, Any], moment: Any) -> tuple[Any, ...]:
        first, second = group["betas"]
        beta1, beta2 = option_number(first, group), option_number(second, group)
        rate = option_number(group["lr"], group) / (1 - beta1**moment)
        return rate, (1 - beta2**moment) ** 0.5, 1 - beta1, beta2, 1 - beta2, group["eps"]

    @staticmethod
    def _rule(
        numbers: tuple[Any, ...], param: Array, grad: Array, mean: Array, square: Array, largest: Array | None = None
    ) -> None:
        rate, correction, rest1, beta2, rest2, eps = numbers
        mean += (grad - mean) * rest1
        square *= beta2
        square += grad * rest2 * grad
        if largest is not None:
            largest[...] = np.maximum(
                largest + 0, square
            )  # + 0: a recorded maximum saves its inputs, which must not change
        param -= mean * rate / (np.sqrt(square if largest is None else largest) / correction + eps)


def refuse_tensors(options: dict[str, Any]) -> None:
    """Raises PyTorch's ValueError for options that are tensors, which it does not support with `foreach=True`."""
    for name, value in options.items():
        if isinstance(value, TensorBase):
            raise ValueError(f"{name} as a Tensor is not supported for capturable=False and foreach=True")


adam = function_of(
    Adam,
    lists="grads exp_avgs exp_avg_sqs max_exp_avg_sqs state_steps",
    flags="foreach capturable differentiable fused grad_scale found_inf has_complex decoupled_weight_decay",
    options="amsgrad beta1 beta2 lr weight_decay eps maximize",
)
