"""Optimizers whose rule treats each element of a parameter separately.

A rule is written once, in NumPy, as a function that changes its arguments in place. It gets arrays
(`kernels.updates`, whose loops in C are made from it); with `differentiable=True` it gets tensors instead, and is
recorded in the graph.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from rushlight.autograd import enable_grad, set_grad_enabled
from rushlight.core.advice import advised
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.kernels.compiled import load
from rushlight.kernels.updates import Direction, change, update
from rushlight.optim.optimizer import Optimizer, Params, _get_scalar_dtype, beside

gathering: ModuleType | None = load("gathering")
NUMBERS = {"step", "eta", "mu", "mu_product"}  # entries of a state that are tensors of one number


class ElementwiseOptimizer(Optimizer):
    """Base class of optimizers with an elementwise rule.

    A subclass checks its options, and defines
    - `_rule`, a function of numbers, a parameter, its gradient and tensors of its state. It changes these tensors and
      the parameter in place, and first copies what a recorded step needs unchanged. Weight decay and the sign for
      `maximize` are already applied to the gradient;
    - `_names`, the names of these tensors of the state, and `_first`, their initial values if not zeros;
    - `_moment`, which counts a step in a state, and `_numbers`, which computes the rule's numbers from its result. A
      rule computes with tensors only, not with numbers alone; None, True and False among the numbers are options.
      `_later` says what `_moment` returns once the state exists: "count" (the number of steps), "none", or "any".

    All of them have the options `maximize` (ascend instead of descend), `foreach` and `fused` (None, False or True,
    without effect on a CPU), `capturable` (refused on a CPU, as in PyTorch) and `differentiable` (record the step, so
    that gradients flow through it).
    """

    _later: ClassVar[str] = "count"

    def __init__(self, params: Params, defaults: dict[str, Any]):
        if defaults.get("fused"):
            if defaults["differentiable"]:
                raise RuntimeError("`fused` does not support `differentiable`")
            if defaults["foreach"]:
                raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
        super().__init__(params, defaults)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for found in self.state.values():
            for name in NUMBERS & found.keys():
                if not isinstance(found[name], TensorBase):  # older files have Python numbers
                    found[name] = scalar(float(found[name]))

    def _names(self, group: dict[str, Any]) -> tuple[str, ...]:
        """The names of the state's tensors that have the parameter's shape."""
        raise NotImplementedError

    def _first(self, name: str, group: dict[str, Any], array: np.ndarray) -> Any:
        """The initial value of a tensor of this parameter's state: an array, or a tensor in a recorded step."""
        return np.zeros_like(array)

    def _moment(self, group: dict[str, Any], state: dict[str, Any]) -> Any:
        """Counts a step. Returns what the rule's numbers depend on, besides the options."""
        return advance(state)

    def _numbers(self, group: dict[str, Any], moment: Any) -> tuple[Any, ...]:
        """The numbers that the rule gets."""
        raise NotImplementedError

    @staticmethod
    def _rule(*args: Any, **kwargs: Any) -> None:
        """The rule; `args` are numbers, a parameter, its gradient and its state: arrays or, if recorded, tensors."""
        raise NotImplementedError

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Updates the parameters.

        `closure` computes the loss and the gradients again; its loss is returned.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        for group in self.param_groups:
            refuse_capturable(group)
            if group["differentiable"]:
                self._step_recorded(group)
            else:
                self._step(group)
        return loss

    def _step(self, group: dict[str, Any]) -> None:
        """Updates the parameters of a group; those with the same number of steps in one call."""
        names, rows = self._names(group), None
        if gathering is not None and (self._later != "any" or not names):
            rows = gathering.rows_of(group["params"], self.state, names, self._later == "count")
        for moment, together in (self._rows(group, names) if rows is None else rows).items():
            change(self._rule, together, direction(group), self._numbers(group, moment))

    def _rows(self, group: dict[str, Any], names: tuple[str, ...]) -> dict[Any, list[Any]]:
        """The arrays of each parameter with a gradient, and of its state, grouped by the result of `_moment`."""
        rows: dict[Any, list[Any]] = {}
        for param in group["params"]:
            grad = param._grad
            if grad is None:
                continue
            array = grad._array
            if array is None and (array := self._dense(param._array, grad, group)) is None:
                param._bump()
                continue
            row = [param._array, array]
            moment = None
            if names:
                state = self.state[param]
                moment = self._moment(group, state)
                for name in names:
                    tensor = state.get(name)
                    if tensor is None:
                        tensor = state[name] = beside(param, self._first(name, group, param._array))
                    row.append(tensor._array)
            if moment in rows:
                rows[moment].append(row)
            else:
                rows[moment] = [row]
            param._bump()
        return rows

    def _dense(self, array: np.ndarray, grad: Any, group: dict[str, Any]) -> np.ndarray | None:
        """A sparse gradient as a dense array; None if the parameter was already updated from it.

        RuntimeError for optimizers that do not accept sparse gradients.
        """
        name, instead = type(self).__name__, ""
        if name in ("Adam", "AdamW"):
            name, instead = "Adam", ", please consider SparseAdam instead"
        raise RuntimeError(f"{name} does not support sparse gradients{instead}")

    def _step_recorded(self, group: dict[str, Any]) -> None:
        """Updates the parameters of a group in a recorded step.

        Their state is copied first, since the graph of the last step needs it unchanged.
        """
        with set_grad_enabled(True):
            for param in group["params"]:
                if param._grad is None:
                    continue
                state, tensors = self.state[param], []
                moment = self._moment(group, state)
                for name in self._names(group):
                    first = state[name] if name in state else self._first(name, group, param._array)
                    state[name] = first.clone() if isinstance(first, TensorBase) else new_tensor(first)
                    tensors.append(state[name])
                update(self._rule, direction(group), self._numbers(group, moment), param, param.grad, *tensors)


def direction(group: dict[str, Any]) -> Direction:
    """How a group's gradients are applied, by `maximize`, `weight_decay` and `decoupled_weight_decay`."""
    maximize, decay = group["maximize"], option_number(group.get("weight_decay", 0), group)
    if decay and group.get("decoupled_weight_decay"):
        return maximize, None, 1 - option_number(group["lr"], group) * decay
    return maximize, decay if decay else None, None


def scalar(value: Any) -> Any:
    """A number as a tensor, as states store it; in a recorded step it may be a tensor already."""
    if isinstance(value, TensorBase):
        return value
    return new_tensor(np.array(value, _get_scalar_dtype()._numpy))


def advance(state: dict[str, Any]) -> float:
    """Increments the step count of a state and returns it."""
    step = state.get("step", 0)
    if not isinstance(step, TensorBase):
        step = state["step"] = scalar(float(step))
    count = step._array.item() + 1
    step._array.fill(count)
    return count


def option_number(value: Any, group: dict[str, Any]) -> Any:
    """An option as a Python number; in a recorded step a tensor stays a tensor."""
    return value.item() if isinstance(value, TensorBase) and not group["differentiable"] else value


def refuse_capturable(group: dict[str, Any]) -> None:
    """Raises PyTorch's error for `capturable=True` on a CPU."""
    if group.get("capturable"):
        raise AssertionError(
            "If capturable=True, params and state_steps must be on supported devices: ['cuda', 'xpu', 'hpu']. "
            "Leave capturable=False on a CPU."
        )


def check_option(what: str, value: Any, valid: Any) -> None:
    """Raises PyTorch's ValueError for an invalid option."""
    if not valid:
        raise ValueError(advised(f"Invalid {what}: {value}"))


def check_rate(lr: Any) -> None:
    """Raises PyTorch's errors for a learning rate that is negative, or a tensor with several elements."""
    if isinstance(lr, TensorBase) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    try:
        valid = lr >= 0.0
    except TypeError:
        said = f"'<' not supported between instances of '{type(lr).__name__}' and 'float'"
        raise TypeError(f"{said}: lr={lr!r} is no number. Convert it first: float(text) makes one of a text.") from None
    check_option("learning rate", lr, valid)


def check_adam(lr: Any, betas: tuple[Any, Any], eps: float, weight_decay: float) -> None:
    """Raises PyTorch's errors for the options that Adam and its variants share."""
    check_rate(lr)
    check_option("epsilon value", eps, eps >= 0.0)
    check_betas(betas)
    check_option("weight_decay value", weight_decay, weight_decay >= 0.0)


def check_betas(betas: tuple[Any, Any]) -> None:
    """Raises PyTorch's error for betas outside [0, 1)."""
    for i, beta in enumerate(betas):
        check_option(f"beta parameter at index {i}", beta, 0.0 <= beta < 1.0)
