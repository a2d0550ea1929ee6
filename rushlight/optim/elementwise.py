"""Optimizers that change each element of a parameter by itself: their step, array by array.

A rule is written once in NumPy, as a function that changes its arguments in place. It is given bare arrays, in blocks
that stay in the processor's cache; with `differentiable=True` it is given tensors instead, and so recorded. What is
frequent a compiled kernel of the same name takes before it, which goes once over the memory.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from rushlight import dtypes
from rushlight.autograd import enable_grad, set_grad_enabled
from rushlight.core.advice import advised
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.kernels.compiled import load
from rushlight.optim.optimizer import Optimizer, Params, beside

fast: ModuleType | None = load("updates")
gathering: ModuleType | None = load("gathering")
BLOCK = 16384  # elements
NUMBERS = {"step", "eta", "mu", "mu_product"}  # what states hold as tensors of one number


class ElementwiseOptimizer(Optimizer):
    """What the optimizers with a rule for each element share.

    A subclass checks its options, and defines
    - `_rule`, a function of numbers, a parameter, its gradient and tensors of its state. It changes all but the
      gradient in place, and computes with a copy of what a recorded step needs as it was; the gradient has the
      weight decay in it already, and the sign that `maximize` asks for. `_kernel` is the name of its compiled twin;
    - `_names`, which says what tensors of the state those are; `_first`, what they begin with if not with zeros;
    - `_moment`, which counts a step in a state, and `_numbers`, which gives the rule's numbers for what it returns;
      `_later` says what `_moment` comes to once the state is whole: "count" (of steps), "none", or "any".

    All of them take `maximize` (climb instead of descend), `foreach` and `fused` (None, False or True, which all
    mean the same on a CPU), `capturable` (which PyTorch refuses on a CPU too) and `differentiable` (record the
    step, so that gradients flow through it).
    """

    _kernel: ClassVar[str]
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
                if not isinstance(found[name], TensorBase):  # older files have Python's numbers
                    found[name] = scalar(float(found[name]))

    def _names(self, group: dict[str, Any]) -> tuple[str, ...]:
        """The names of the tensors of a parameter's shape that its state has."""
        raise NotImplementedError

    def _first(self, name: str, group: dict[str, Any], array: np.ndarray) -> Any:
        """What a tensor of the state of this parameter begins with: an array, or a tensor in a recorded step."""
        return np.zeros_like(array)

    def _moment(self, group: dict[str, Any], state: dict[str, Any]) -> Any:
        """Counts a step. Returns what the rule's numbers depend on, besides the options."""
        return advance(state)

    def _numbers(self, group: dict[str, Any], moment: Any) -> tuple[Any, ...]:
        """The numbers of the rule."""
        raise NotImplementedError

    @staticmethod
    def _rule(*args: Any, **kwargs: Any) -> None:
        """Given numbers, a parameter, its gradient, and tensors of its state: arrays or, recorded, tensors."""
        raise NotImplementedError

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Changes the parameters once.

        `closure` computes the loss and the gradients anew; its loss is returned.
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

    def _step(self, group):
        """Changes the arrays of a group: those of all parameters that have come equally far in one call."""
        names, rows = self._names(group), None
        if gathering is not None and (self._later != "any" or not names):
            rows = gathering.rows_of(group["params"], self.state, names, self._later == "count")
        for moment, together in (self._rows(group, names) if rows is None else rows).items():
            self._change(together, direction(group), self._numbers(group, moment))

    def _rows(self, group: dict[str, Any], names: tuple[str, ...]) -> dict[Any, list[Any]]:
        """The arrays of each parameter that has a gradient, with those of its state, by what `_moment` gives."""
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
        """A sparse gradient as an array; None where the parameter's array has been changed already.

        RuntimeError in optimizers that do not take sparse gradients.
        """
        name, instead = type(self).__name__, ""
        if name in ("Adam", "AdamW"):
            name, instead = "Adam", ", please consider SparseAdam instead"
        raise RuntimeError(f"{name} does not support sparse gradients{instead}")

    def _change(self, rows, where, numbers):
        """Changes parameters, each given as a row: its array, its gradient's, and those of its state."""
        if fast is not None:
            rows = fast.change(self._kernel, rows, where, numbers)  # what is left has other types or layouts
        for row in rows:
            if row[0].dtype.kind == "c":
                row = [as_real(array) for array in row]
            in_blocks(directed(self._rule, where, numbers), row)

    def _step_recorded(self, group):
        """Changes the parameters of a group, recorded.

        Their state is copied first: the graph of the last step needs it as it was.
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
                directed(self._rule, direction(group), self._numbers(group, moment))(param, param.grad, *tensors)


def direction(group: dict[str, Any]) -> tuple[bool, Any, Any]:
    """Where a group goes: whether up (`maximize`), the weight decay that is added to its gradients, and the part
    that a decoupled one takes off its parameters before the rule.
    """
    maximize, decay = group["maximize"], option_number(group.get("weight_decay", 0), group)
    if decay and group.get("decoupled_weight_decay"):
        return maximize, 0, option_number(group["lr"], group) * decay
    return maximize, decay, None


def directed(rule: Callable[..., Any], where: tuple[bool, Any, Any], numbers: tuple[Any, ...]) -> Callable[..., Any]:
    """A rule with its numbers, given the gradient as it is."""
    maximize, decay, taken_off = where

    def change(param, grad, *others):
        if maximize:
            grad = -grad
        if decay:
            grad = grad + np.copy(param) * decay
        if taken_off is not None:
            param *= 1 - taken_off
        rule(numbers, param, grad, *others)

    return change


def in_blocks(rule: Callable[..., Any], arrays: list[np.ndarray]) -> None:
    """Applies a rule to arrays of one shape: to long ones block by block, so that what it computes stays in
    cache.
    """
    size = arrays[0].size
    if size <= 2 * BLOCK or not all(array.flags.c_contiguous for array in arrays):
        rule(*arrays)
        return
    flat = [array.reshape(-1) for array in arrays]
    for start in range(0, size, BLOCK):
        rule(*[array[start : start + BLOCK] for array in flat])


def as_real(array: np.ndarray) -> np.ndarray:
    """The same memory of complex numbers as pairs of real ones."""
    return array[..., np.newaxis].view(array.real.dtype)


def scalar(value: Any) -> Any:
    """A tensor of one number, in which a state keeps it; where the step is recorded it may be one already."""
    if isinstance(value, TensorBase):
        return value
    kind = np.float64 if dtypes.get_default_dtype() is dtypes.float64 else np.float32
    return new_tensor(np.array(value, kind))


def advance(state: dict[str, Any]) -> float:
    """Counts one more step in a state. Returns the number of steps."""
    step = state.get("step", 0)
    if not isinstance(step, TensorBase):
        step = state["step"] = scalar(float(step))
    count = step._array.item() + 1
    step._array.fill(count)
    return count


def option_number(value: Any, group: dict[str, Any]) -> Any:
    """An option as a Python number; a tensor stays one where the step is recorded."""
    return value.item() if isinstance(value, TensorBase) and not group["differentiable"] else value


def refuse_capturable(group: dict[str, Any]) -> None:
    """Raises PyTorch's error for `capturable=True` on a CPU."""
    if group.get("capturable"):
        raise AssertionError(
            "If capturable=True, params and state_steps must be on supported devices: ['cuda', 'xpu', 'hpu']. "
            "Leave capturable=False on a CPU."
        )


def check_option(what: str, value: Any, valid: Any) -> None:
    """Raises PyTorch's ValueError for an option that is not valid."""
    if not valid:
        raise ValueError(advised(f"Invalid {what}: {value}"))


def check_rate(lr: Any) -> None:
    """Raises PyTorch's errors for a learning rate that is negative, or a tensor of several."""
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
    """Raises PyTorch's error for averaging coefficients outside of [0, 1)."""
    for i, beta in enumerate(betas):
        check_option(f"beta parameter at index {i}", beta, 0.0 <= beta < 1.0)
