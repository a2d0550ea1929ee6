"""Stochastic gradient descent, with momentum."""

from typing import Any

import numpy as np

from rushlight.core.advice import advised
from rushlight.core.aliases import Array
from rushlight.optim.elementwise import ElementwiseOptimizer, check_option, check_rate, option_number
from rushlight.optim.functional import function_of
from rushlight.optim.optimizer import Params
from rushlight.tensors import Tensor

__all__ = ["SGD", "sgd"]


class SGD(ElementwiseOptimizer):
    """Stochastic gradient descent: param -= lr * grad.

    With `momentum`, buffer = momentum * buffer + (1 - dampening) * grad replaces the gradient; with `nesterov`, grad +
    momentum * buffer does. `weight_decay` adds weight_decay * param to the gradient.

    Source: I. Sutskever et al., "On the importance of initialization and momentum in deep learning", 2013. ValueError
    for options out of range.

    >>> import rushlight as torch
    >>> weight = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = torch.optim.SGD([weight], lr=0.1, momentum=0.9)
    >>> (weight**2).sum().backward()
    >>> optimizer.step()
    >>> weight.detach()
    tensor([0.8000])
    """

    _later = "none"

    def __init__(
        self,
        params: Params,
        lr: Any = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: Any = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ):
        check_rate(lr)
        check_option("momentum value", momentum, momentum >= 0.0)
        check_option("weight_decay value", weight_decay, weight_decay >= 0.0)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError(advised("Nesterov momentum requires a momentum and zero dampening"))
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "dampening": dampening,
                "weight_decay": weight_decay,
                "nesterov": nesterov,
                "maximize": maximize,
                "foreach": foreach,
                "differentiable": differentiable,
                "fused": fused,
            },
        )

    def _dense(self, array: np.ndarray, grad: Tensor, group: dict[str, Any]) -> np.ndarray | None:
        if group["weight_decay"]:
            raise RuntimeError("add(sparse, dense) is not supported: SGD takes no weight_decay with sparse gradients")
        if group["momentum"]:
            return grad.to_dense()._array
        grad = grad.coalesce()
        step = option_number(group["lr"], group) * (-1 if group["maximize"] else 1)
        array[tuple(grad.indices()._array)] -= step * grad.values()._array
        return None

    def _names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("momentum_buffer",) if group["momentum"] else ()

    def _moment(self, group: dict[str, Any], state: dict[str, Any]) -> bool:
        return state.get("momentum_buffer") is None

    def _numbers(self, group: dict[str, Any], moment: Any) -> tuple[Any, ...]:
        dampened = not moment and group["dampening"] != 0  # the buffer starts as the gradient itself
        portion = 1 - group["dampening"] if dampened else None
        return option_number(group["lr"], group), group["momentum"], portion, bool(group["nesterov"])

    @staticmethod
    def _rule(numbers: tuple[Any, ...], param: Array, grad: Array, buffer: Array | None = None) -> None:
        lr, momentum, portion, nesterov = numbers
        if buffer is not None:
            buffer *= momentum
            buffer += grad if portion is None else grad * portion
            grad = grad + buffer * momentum if nesterov else buffer
        param -= grad * lr


sgd = function_of(
    SGD,
    lists="d_p_list momentum_buffer_list",
    flags="has_sparse_grad foreach fused grad_scale found_inf",
    options="weight_decay momentum lr dampening nesterov maximize",
)
