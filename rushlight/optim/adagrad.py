"""Adagrad: gradients divided by the square root of the sum of their squares."""

from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.graph import new_tensor
from rushlight.optim.elementwise import ElementwiseOptimizer, check_option, check_rate, option_number, scalar
from rushlight.optim.functional import function_of
from rushlight.optim.optimizer import Params
from rushlight.tensors import Tensor

__all__ = ["Adagrad", "adagrad"]


class Adagrad(ElementwiseOptimizer):
    """Adagrad: param -= lr / (1 + (step - 1) * lr_decay) * grad / (sqrt(sum of squares) + eps).

    The sum starts at `initial_accumulator_value`. `weight_decay` adds weight_decay * param to the gradient.

    Source: J. Duchi et al., "Adaptive subgradient methods for online learning and stochastic optimization", 2011.
    ValueError for options out of range.

    >>> import rushlight as torch
    >>> x = torch.tensor([2.0], requires_grad=True)
    >>> optimizer = torch.optim.Adagrad([x], lr=0.1)
    >>> x.square().sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([1.9000], requires_grad=True)
    """

    def __init__(
        self,
        params: Params,
        lr: Any = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ):
        check_rate(lr)
        check_option("lr_decay value", lr_decay, lr_decay >= 0.0)
        check_option("weight_decay value", weight_decay, weight_decay >= 0.0)
        check_option("initial_accumulator_value value", initial_accumulator_value, initial_accumulator_value >= 0.0)
        check_option("epsilon value", eps, eps >= 0.0)
        super().__init__(
            params,
            {
                "lr": lr,
                "lr_decay": lr_decay,
                "eps": eps,
                "weight_decay": weight_decay,
                "initial_accumulator_value": initial_accumulator_value,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
                "fused": fused,
            },
        )
        for group in self.param_groups:
            for param in group["params"]:
                total = new_tensor(self._first("sum", group, param._array))
                self.state[param].update(step=scalar(0.0), sum=total)

    def share_memory(self) -> None:
        """Moves the sums to memory that processes share."""
        for group in self.param_groups:
            for param in group["params"]:
                self.state[param]["sum"].share_memory_()

    def _dense(self, array: np.ndarray, grad: Tensor, group: dict[str, Any]) -> np.ndarray:
        if group["weight_decay"]:
            raise RuntimeError("weight_decay option is not compatible with sparse gradients")
        return grad.to_dense()._array

    def _names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("sum",)

    def _first(self, name: str, group: dict[str, Any], array: np.ndarray) -> np.ndarray:
        value = self.defaults["initial_accumulator_value"]
        return np.full_like(array, complex(value, value) if array.dtype.kind == "c" else value)

    def _numbers(self, group: dict[str, Any], moment: Any) -> tuple[Any, ...]:
        return option_number(group["lr"], group) / (1 + (moment - 1) * group["lr_decay"]), group["eps"]

    @staticmethod
    def _rule(numbers: tuple[Any, ...], param: Array, grad: Array, total: Array) -> None:
        rate, eps = numbers
        total += grad * grad
        param -= grad * rate / (np.sqrt(total) + eps)


adagrad = function_of(
    Adagrad,
    lists="grads state_sums state_steps",
    flags="fused grad_scale found_inf has_sparse_grad foreach differentiable has_complex",
    options="lr weight_decay lr_decay eps maximize",
)
