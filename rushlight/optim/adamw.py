"""AdamW: Adam with decoupled weight decay."""

from typing import Any

from rushlight.optim.adam import Adam
from rushlight.optim.functional import function_of
from rushlight.optim.optimizer import Params

__all__ = ["AdamW", "adamw"]


class AdamW(Adam):
    """Adam with decoupled weight decay: parameters are multiplied by 1 - lr * weight_decay at each step.

    Source: I. Loshchilov, F. Hutter, "Decoupled weight decay regularization", 2017.

    >>> import rushlight as torch
    >>> x = torch.tensor([2.0], requires_grad=True)
    >>> optimizer = torch.optim.AdamW([x], lr=0.1, weight_decay=0.5)
    >>> x.square().sum().backward()
    >>> optimizer.step()
    >>> x  # 2 less a twentieth of it, less 0.1
    tensor([1.8000], requires_grad=True)
    """

    def __init__(
        self,
        params: Params,
        lr: Any = 1e-3,
        betas: tuple[Any, Any] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ):
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True


adamw = function_of(
    AdamW,
    lists="grads exp_avgs exp_avg_sqs max_exp_avg_sqs state_steps",
    flags="foreach capturable differentiable fused grad_scale found_inf has_complex",
    options="amsgrad beta1 beta2 lr weight_decay eps maximize",
    decoupled_weight_decay=True,
)
