"""Optimizers whose rule treats a parameter as a whole, using norms or products of its gradient."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.autograd import enable_grad
from rushlight.core.graph import TensorBase
from rushlight.optim.optimizer import Optimizer, refuse_part


class TensorwiseOptimizer(Optimizer):
    """Base class of such optimizers: a subclass defines `_change`, and may reject gradients in `_check`."""

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Updates the parameters.

        `closure` computes the loss and the gradients again; its loss is returned.
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
        """Raises RuntimeError for complex parameters and sparse gradients, NotImplementedError for sharded ones."""
        refuse_part(self, param)
        name = type(self).__name__
        if param.is_complex():
            raise RuntimeError(f"{name} does not support complex parameters")
        if param._grad.is_sparse:
            raise RuntimeError(f"{name} does not support sparse gradients")

    def _change(self, param: np.ndarray, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Updates a parameter's array from its gradient, and its state."""
        raise NotImplementedError


def as_number(value: Any) -> float:
    """An option as a Python number."""
    return value.item() if isinstance(value, TensorBase) else value
