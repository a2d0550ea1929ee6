"""Averaged stochastic gradient descent."""

from typing import Any

from rushlight.core.aliases import Array
from rushlight.optim.elementwise import ElementwiseOptimizer, advance, check_option, check_rate, option_number, scalar
from rushlight.optim.functional import function_of
from rushlight.optim.optimizer import Params

__all__ = ["ASGD", "asgd"]


class ASGD(ElementwiseOptimizer):
    """Averaged stochastic gradient descent: `state[param]["ax"]` is the average of the parameter since step `t0`.

    The step size is lr / (1 + lambd * lr * step) ** alpha, and parameters decay at the rate `lambd`. `weight_decay`
    adds weight_decay * param to the gradient.

    Source: B. Polyak, A. Juditsky, "Acceleration of stochastic approximation by averaging", 1992. ValueError for
    options out of range.

    >>> import rushlight as torch
    >>> x = torch.tensor([2.0], requires_grad=True)
    >>> optimizer = torch.optim.ASGD([x], lr=0.1)
    >>> x.square().sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([1.6000], requires_grad=True)
    """

    _later = "any"

    def __init__(
        self,
        params: Params,
        lr: Any = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ):
        check_rate(lr)
        check_option("weight_decay value", weight_decay, weight_decay >= 0.0)
        super().__init__(
            params,
            {
                "lr": lr,
                "lambd": lambd,
                "alpha": alpha,
                "t0": t0,
                "weight_decay": weight_decay,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
                "capturable": capturable,
            },
        )

    def _names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("ax",)

    def _moment(self, group: dict[str, Any], state: dict[str, Any]) -> tuple[Any, Any]:
        lr = option_number(group["lr"], group)
        step = advance(state)
        rate = option_number(state.setdefault("eta", scalar(lr)), group)
        share = option_number(state.setdefault("mu", scalar(1.0)), group)
        state["eta"] = scalar(lr / (1 + group["lambd"] * lr * step) ** group["alpha"])
        state["mu"] = scalar(1 / max(1, step - group["t0"]))
        return rate, share

    def _numbers(self, group: dict[str, Any], moment: Any) -> tuple[Any, ...]:
        rate, share = moment
        return 1 - group["lambd"] * rate, rate, None if type(share) is float and share == 1 else share

    @staticmethod
    def _rule(numbers: tuple[Any, ...], param: Array, grad: Array, mean: Array) -> None:
        kept, rate, share = numbers
        param *= kept
        param -= grad * rate
        if share is None:
            mean[...] = param
        else:
            mean += (param - mean) * share


asgd = function_of(
    ASGD,
    lists="grads axs mus etas state_steps",
    flags="foreach maximize differentiable capturable has_complex",
    options="lambd lr t0 alpha weight_decay",
)
