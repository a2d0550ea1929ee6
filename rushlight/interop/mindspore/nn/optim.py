"""Optimizers: `optimizer(gradients)` updates the parameters in place, by rushlight's optimizers."""

import math
from collections.abc import Sequence
from typing import Any

import rushlight as torch
from rushlight.interop.mindspore.common.parameter import Parameter
from rushlight.interop.mindspore.common.tensor import Tensor
from rushlight.interop.mindspore.nn.cell import Cell

__all__ = ["SGD", "Adam", "Momentum", "Optimizer"]


class Optimizer(Cell):
    """The base class of optimizers: parameter groups, and a step of a rushlight optimizer.

    `params` are parameters, or dictionaries with "params" and optionally their own "lr" and "weight_decay". Without
    groups, `weight_decay` does not apply to parameters with beta or gamma in their names. Gradients are divided by
    `loss_scale`.

    TypeError for a learning rate that is not a number or scalar tensor; schedules are not supported.
    """

    def __init__(
        self, learning_rate: Any, parameters: Sequence[Any], weight_decay: float = 0.0, loss_scale: float = 1.0
    ):
        super().__init__(auto_prefix=False)
        self.learning_rate: float = rate(learning_rate)
        self.loss_scale = loss_scale
        groups = grouped(list(parameters), self.learning_rate, weight_decay)
        self.parameters: list[Any] = [parameter for group in groups for parameter in group["params"]]
        self.groups: list[dict[str, Any]] = [
            {**group, "params": [p._value for p in group["params"]]} for group in groups
        ]

    def construct(self, gradients: Sequence[Tensor]) -> bool:
        """Takes a step with the parameters' gradients, in order. ValueError for another number of gradients."""
        if len(gradients) != len(self.parameters):
            raise ValueError(f"Optimizer: {len(self.parameters)} parameters have {len(gradients)} gradients.")
        for parameter, gradient in zip(self.parameters, gradients, strict=True):
            parameter._value.grad = gradient._value / self.loss_scale if self.loss_scale != 1.0 else gradient._value
        self.step()
        for parameter in self.parameters:
            parameter._value.grad = None
        return True

    def step(self) -> None:
        """Takes the step."""
        self.rule.step()

    def get_lr(self) -> Tensor:
        """The learning rate."""
        return Tensor(self.learning_rate)


def rate(learning_rate: Any) -> float:
    """A learning rate as a number."""
    if isinstance(learning_rate, (int, float, Tensor)):
        return float(learning_rate)
    raise TypeError(
        f"Optimizer: the learning rate is a number, not {type(learning_rate).__name__}; schedules are not served: set "
        "optimizer.rule.param_groups[0]['lr'] between steps."
    )


def grouped(parameters: list[Any], learning_rate: float, weight_decay: float) -> list[dict[str, Any]]:
    """The parameters in groups of the same learning rate and weight decay."""
    if not parameters:
        raise ValueError("Optimizer got an empty parameter list.")
    if not isinstance(parameters[0], dict):
        for parameter in parameters:
            if not isinstance(parameter, Parameter):
                raise TypeError(f"For 'Optimizer', the parameters must be Parameters, but got {type(parameter)}.")
        spared = [p for p in parameters if weight_decay and ("beta" in p.name or "gamma" in p.name)]
        decayed = [p for p in parameters if not any(p is other for other in spared)]
        parts = [(decayed, weight_decay), (spared, 0.0)]
        return [{"params": part, "lr": learning_rate, "weight_decay": decay} for part, decay in parts if part]
    groups = []
    for group in parameters:
        if unknown := group.keys() - {"params", "lr", "weight_decay"}:
            raise NotImplementedError(f"Optimizer: groups with {', '.join(sorted(unknown))} are not served.")
        lr = rate(group.get("lr", learning_rate))
        groups.append({"weight_decay": weight_decay, **group, "params": list(group["params"]), "lr": lr})
    return groups


class SGD(Optimizer):
    """Stochastic gradient descent with momentum, as `rushlight.optim.SGD`.

    >>> import rushlight.interop.mindspore as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> optimizer = ms.nn.SGD([w], learning_rate=0.1)
    >>> optimizer((ms.Tensor([2.0]),))
    True
    >>> print(w.value())
    [0.8]
    """

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.1,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        loss_scale: float = 1.0,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.rule: Any = torch.optim.SGD(self.groups, self.learning_rate, momentum, dampening, nesterov=nesterov)


class Momentum(Optimizer):
    """v = momentum v + grad, then w -= lr v, or with `use_nesterov` w -= lr (grad + momentum v)."""

    def __init__(
        self,
        params: Any,
        learning_rate: Any,
        momentum: float,
        weight_decay: float = 0.0,
        loss_scale: float = 1.0,
        use_nesterov: bool = False,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.rule: Any = torch.optim.SGD(self.groups, self.learning_rate, momentum, nesterov=use_nesterov)


class Adam(Optimizer):
    """Adam: w -= lr √(1 - β₂ᵗ) / (1 - β₁ᵗ) · m / (√v + eps); eps is added before the bias correction of the root.

    `rushlight.optim.Adam` adds eps after it, so its eps is MindSpore's divided by √(1 - β₂ᵗ).
    """

    steps: int

    eps: float
    beta2: float

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        use_locking: bool = False,
        use_nesterov: bool = False,
        weight_decay: float = 0.0,
        loss_scale: float = 1.0,
        use_amsgrad: bool = False,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if use_locking or use_nesterov or use_amsgrad:
            raise NotImplementedError("Adam: use_locking, use_nesterov and use_amsgrad are not served.")
        self.eps, self.beta2, self.steps = eps, beta2, 0
        self.rule: Any = torch.optim.Adam(self.groups, self.learning_rate, (beta1, beta2), eps)

    def step(self) -> None:
        """Takes the step."""
        self.steps += 1
        for group in self.rule.param_groups:
            group["eps"] = self.eps / math.sqrt(1 - self.beta2**self.steps)
        self.rule.step()
