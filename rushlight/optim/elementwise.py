"""Optimizers that change each element of a parameter by itself: their step, array by array, block by block.

A rule is written once, as a function that changes its arguments in place. It is given bare arrays, in blocks
that stay in the processor's cache; with `differentiable=True` it is given tensors instead, and so recorded.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.autograd import enable_grad, set_grad_enabled
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.optim.optimizer import Optimizer, Params
from rushlight.tensor import Tensor

BLOCK = 16384  # elements


class ElementwiseOptimizer(Optimizer):
    """What the optimizers with a rule for each element share.

    A subclass defines `_rule`, and checks its options. All of them take `maximize` (climb instead of
    descend), `foreach` and `fused` (None, False or True, which all mean the same on a CPU), `capturable`
    (which PyTorch refuses on a CPU too) and `differentiable` (record the step, so that gradients flow through
    it).
    """

    def __init__(self, params: Params, defaults: dict[str, Any]):
        if defaults.get("fused"):
            if defaults["differentiable"]:
                raise RuntimeError("`fused` does not support `differentiable`")
            if defaults["foreach"]:
                raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
        super().__init__(params, defaults)

    def _rule(self, group: dict[str, Any], state: dict[str, Any], param: Tensor) -> tuple[tuple[str, ...], Callable]:
        """The names of the tensors in a parameter's state that take part in this step, made if they are new, and
        the function that changes the parameter, given its gradient and them, in place. The gradient that it is
        given has the weight decay in it, and the sign that `maximize` asks for.
        """
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
            change = self._change_recorded if group["differentiable"] else self._change
            for param in group["params"]:
                if param._grad is not None:
                    change(group, param)
        return loss

    def _change(self, group, param):
        """Changes one parameter's array."""
        state = self.state[param]
        names, rule = self._rule(group, state, param)
        rule = with_decay(rule, group)
        arrays = [param._array, param._grad._array, *[state[name]._array for name in names]]
        if arrays[0].dtype.kind == "c":
            arrays = [as_real(array) for array in arrays]
        in_blocks(rule, arrays)
        param._bump()

    def _change_recorded(self, group, param):
        """Changes one parameter, recorded.

        Its state is copied first: the graph of the last step needs it as it was.
        """
        state = self.state[param]
        with set_grad_enabled(True):
            names, rule = self._rule(group, state, param)
            for name in names:
                state[name] = state[name].clone()
            with_decay(rule, group)(param, param.grad, *[state[name] for name in names])


def with_decay(rule: Callable, group: dict[str, Any]) -> Callable:
    """A rule, given the gradient to descend along: turned round with `maximize`, with the weight decay added to
    it, or the parameter shrunk before with a decoupled one.
    """
    maximize, decay = group["maximize"], number(group.get("weight_decay", 0), group)
    if not maximize and not decay:
        return rule
    decoupled = group.get("decoupled_weight_decay")
    lr = number(group["lr"], group)

    def change(param, grad, *others):
        if maximize:
            grad = -grad
        if decay and decoupled:
            param *= 1 - lr * decay
        elif decay:
            grad = grad + param * decay
        rule(param, grad, *others)

    return change


def in_blocks(rule: Callable, arrays: list[np.ndarray]) -> None:
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


def zeros_for(param: Tensor, state: dict[str, Any], *names: str) -> None:
    """Puts tensors of zeros, of a parameter's shape and dtype, into its state where there are none yet."""
    for name in names:
        if state.get(name) is None:
            state[name] = new_tensor(np.zeros_like(param._array))


def scalar(value: float) -> Tensor:
    """A tensor of one number, in which a state keeps it."""
    kind = np.float64 if dtypes.get_default_dtype() is dtypes.float64 else np.float32
    return new_tensor(np.array(value, kind))


def advance(state: dict[str, Any]) -> int:
    """Counts one more step in a state. Returns the number of steps."""
    step = state.get("step", 0)
    if not isinstance(step, TensorBase):
        step = state["step"] = scalar(float(step))
    step._array += 1
    return int(step._array)


def number(value: Any, group: dict[str, Any]) -> Any:
    """An option as a Python number; a tensor stays one where the step is recorded."""
    return value.item() if isinstance(value, TensorBase) and not group["differentiable"] else value


def refuse_capturable(group: dict[str, Any]) -> None:
    """Raises PyTorch's error for `capturable=True` on a CPU."""
    if group.get("capturable"):
        raise AssertionError(
            "If capturable=True, params and state_steps must be on supported devices: ['cuda', 'xpu', 'hpu']. "
            "Leave capturable=False on a CPU."
        )


def check(what: str, value: Any, valid: Any) -> None:
    """Raises PyTorch's ValueError for an option that is not valid."""
    if not valid:
        raise ValueError(f"Invalid {what}: {value}")


def check_rate(lr: Any) -> None:
    """Raises PyTorch's errors for a learning rate that is negative, or a tensor of several."""
    if isinstance(lr, TensorBase) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    check("learning rate", lr, lr >= 0.0)


def check_adam(lr: Any, betas: tuple[Any, Any], eps: float, weight_decay: float) -> None:
    """Raises PyTorch's errors for the options that Adam and its variants share."""
    check_rate(lr)
    check("epsilon value", eps, eps >= 0.0)
    check_betas(betas)
    check("weight_decay value", weight_decay, weight_decay >= 0.0)


def check_betas(betas: tuple[Any, Any]) -> None:
    """Raises PyTorch's error for averaging coefficients outside of [0, 1)."""
    for i, beta in enumerate(betas):
        check(f"beta parameter at index {i}", beta, 0.0 <= beta < 1.0)
