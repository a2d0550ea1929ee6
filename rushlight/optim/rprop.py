"""Rprop: steps of a size that grows while the gradient keeps its sign."""

from typing import Any

import numpy as np

from rushlight.core.advice import advised
from rushlight.core.aliases import Array
from rushlight.core.graph import TensorBase
from rushlight.ops.elementwise.selection import side
from rushlight.optim.elementwise import ElementwiseOptimizer, check_rate, option_number
from rushlight.optim.functional import function_of
from rushlight.optim.optimizer import Params

__all__ = ["Rprop", "rprop"]


class Rprop(ElementwiseOptimizer):
    """Resilient backpropagation, which uses only the signs of gradients.

    Each element's step size is multiplied by etas[1] while its gradient keeps its sign, and by etas[0] when the sign
    changes, in which case no step is made. It starts at `lr` and stays within `step_sizes`.

    Source: M. Riedmiller, H. Braun, "A direct adaptive method for faster backpropagation learning", 1993. ValueError
    for options out of range.

    >>> import rushlight as torch
    >>> x = torch.tensor([2.0], requires_grad=True)
    >>> optimizer = torch.optim.Rprop([x], lr=0.1)
    >>> x.square().sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([1.9000], requires_grad=True)
    """

    def __init__(
        self,
        params: Params,
        lr: Any = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ):
        check_rate(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(advised(f"Invalid eta values: {etas[0]}, {etas[1]}"))
        super().__init__(
            params,
            {
                "lr": lr,
                "etas": etas,
                "step_sizes": step_sizes,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
                "capturable": capturable,
            },
        )

    def _names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return "prev", "step_size"

    def _first(self, name: str, group: dict[str, Any], array: np.ndarray) -> Array:
        if name == "prev":
            return np.zeros_like(array)
        lr, unit = option_number(group["lr"], group), 1 + 1j if array.dtype.kind == "c" else 1
        return np.full_like(array, unit) * lr if isinstance(lr, TensorBase) else np.full_like(array, unit * lr)

    def _numbers(self, group: dict[str, Any], moment: Any) -> tuple[Any, ...]:
        return *group["etas"], *group["step_sizes"]

    @staticmethod
    def _rule(numbers: tuple[Any, ...], param: Array, grad: Array, previous: Array, size: Array) -> None:
        shrink, grow, low, high = numbers
        agreement = np.sign(grad * np.copy(previous))
        factor = np.where(agreement > 0, grow, np.where(agreement < 0, shrink, np.ones_like(agreement)))
        size[...] = np.minimum(np.maximum(np.copy(size) * factor, low), high)
        grad = np.where(agreement < 0, np.zeros_like(grad), grad)
        param -= side(grad) * size
        previous[...] = grad


rprop = function_of(
    Rprop,
    lists="grads prevs step_sizes state_steps",
    flags="foreach capturable maximize differentiable has_complex",
    options="step_size_min step_size_max etaminus etaplus",
)
