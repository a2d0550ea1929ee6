"""Optimizers that change a parameter as a whole, by norms or products of its gradient: their step, array by array."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.autograd import enable_grad
from rushlight.core.graph import TensorBase
from rushlight.optim.optimizer import Optimizer, refuse_part


class TensorwiseOptimizer(Optimizer):
    """What those optimizers share: a subclass defines `_change`, and may refuse gradients in `_check`."""

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Changes the parameters once.

        `closure` computes the loss and the gradients anew; its loss is returned.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        for group in self.param_groups:
            for param in group["params"]:
                if param._grad is not None:
                    self._check(param)
                    self._change(param._array, param._grad, self.state[param], group)
                    param._bump()
        return loss

    def _check(self, param: Any) -> None:
        """RuntimeError for complex parameters and for sparse gradients, NotImplementedError for sharded ones."""
        refuse_part(self, param)
        name = type(self).__name__
        if param.is_complex():
            raise RuntimeError(f"{name} does not support complex parameters")
        if param._grad.is_sparse:
            raise RuntimeError(f"{name} does not support sparse gradients")

    def _change(self, param: np.ndarray, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Changes the memory of a parameter by its gradient, and its state."""
        raise NotImplementedError


def as_number(value: Any) -> float:
    """An option as a Python number."""
    return value.item() if isinstance(value, TensorBase) else value
