"""L-BFGS: a quasi-Newton method that stores the last few changes of the gradient."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.autograd import enable_grad
from rushlight.core.aliases import Array
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.kernels.updates import as_real
from rushlight.optim.elementwise import check_rate
from rushlight.optim.line_search import strong_wolfe
from rushlight.optim.optimizer import Optimizer, Params, refuse_part

__all__ = ["LBFGS"]


class LBFGS(Optimizer):
    """The limited-memory BFGS method; all parameters are in one group.

    A step makes up to `max_iter` iterations, with up to `max_eval` evaluations of the closure (by default 1.25 *
    max_iter), until gradients are below `tolerance_grad` or changes below `tolerance_change`. The last `history_size`
    changes are stored. `line_search_fn` is None, for steps of size `lr`, or "strong_wolfe".

    Source: J. Nocedal, S. Wright, "Numerical optimization", 2006, algorithms 7.4 and 7.5.

    >>> import rushlight as torch
    >>> x = torch.tensor([3.0, -2.0], requires_grad=True)
    >>> optimizer = torch.optim.LBFGS([x], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = ((x - 1.0) ** 2).sum()
    ...     loss.backward()
    ...     return loss
    >>> _ = optimizer.step(closure)
    >>> x.detach()
    tensor([1.0000, 1.0000])
    """

    def __init__(
        self,
        params: Params,
        lr: Any = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ):
        check_rate(lr)
        super().__init__(
            params,
            {
                "lr": lr,
                "max_iter": max_iter,
                "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
                "tolerance_grad": tolerance_grad,
                "tolerance_change": tolerance_change,
                "history_size": history_size,
                "line_search_fn": line_search_fn,
            },
        )
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]
        for param in self._params:
            refuse_part(self, param)

    def _flat_grad(self) -> np.ndarray:
        """The gradients of all parameters as one vector."""
        return np.concatenate(
            [
                np.zeros_like(as_real_vector(p._array)) if p._grad is None else as_real_vector(p._grad._array)
                for p in self._params
            ]
        )

    def _values(self) -> list[np.ndarray]:
        """Copies of the parameters."""
        return [p._array.copy() for p in self._params]

    def _set_values(self, values: Sequence[np.ndarray]) -> None:
        """Sets the parameters to copies that were made before."""
        for p, value in zip(self._params, values, strict=True):
            p._array[...] = value
            p._bump()

    def _move(self, size: float, direction: np.ndarray) -> None:
        """Adds a multiple of a vector to the parameters."""
        start = 0
        for p in self._params:
            array = as_real(p._array) if p._array.dtype.kind == "c" else p._array
            array += (direction[start : start + array.size] * size).reshape(array.shape)
            p._bump()
            start += array.size

    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]  # as in PyTorch
        """Minimizes the loss that `closure` computes together with its gradients. Returns the first loss."""
        closure = enable_grad()(closure)
        group, state = self.param_groups[0], self.state[self._params[0]]
        if group["line_search_fn"] not in (None, "strong_wolfe"):
            raise RuntimeError("only 'strong_wolfe' is supported")
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first = closure()
        state["func_evals"] += 1
        run = Minimization(self, closure, group, state, loss_number(first))
        if run.converged():
            return first
        while run.iterate():
            pass
        return first


def as_number(value: Any) -> Any:
    """A tensor or NumPy number as a Python number."""
    return value.item() if isinstance(value, (TensorBase, np.generic)) else value


def as_real_vector(array: np.ndarray) -> np.ndarray:
    """An array as a vector of real numbers."""
    return (as_real(array) if array.dtype.kind == "c" else array).reshape(-1)


class Minimization:
    """One step of L-BFGS: its iterations, and the values that they store in the optimizer's state."""

    closure: Callable[..., Any]
    iterations: int
    evaluations: int

    optimizer: LBFGS
    group: dict[str, Any]
    state: dict[str, Any]
    loss: float

    grad: np.ndarray

    def __init__(
        self, optimizer: LBFGS, closure: Callable[..., Any], group: dict[str, Any], state: dict[str, Any], loss: float
    ):
        self.optimizer, self.closure, self.group, self.state = optimizer, closure, group, state
        self.loss = loss
        self.grad = optimizer._flat_grad()
        self.iterations = 0
        self.evaluations = 1

    def converged(self) -> bool:
        """Whether the gradient is small enough."""
        return bool(np.abs(self.grad).max(initial=0) <= self.group["tolerance_grad"])

    def iterate(self) -> bool:
        """Makes one iteration. Returns whether another one is to follow."""
        group, state = self.group, self.state
        self.iterations += 1
        state["n_iter"] += 1
        direction = self.direction()
        before = self.loss
        state["prev_flat_grad"], state["prev_loss"] = new_tensor(self.grad.copy()), before
        lr = as_number(group["lr"])
        size = min(1.0, 1.0 / np.abs(self.grad).sum()) * lr if state["n_iter"] == 1 else lr
        slope = self.grad.dot(direction)
        state["d"], state["t"] = new_tensor(direction), as_number(size)
        if slope > -group["tolerance_change"]:
            return False
        evaluations = self.advance(size, direction, slope)
        self.evaluations += evaluations
        state["func_evals"] += evaluations
        return not (
            self.iterations == group["max_iter"]
            or self.evaluations >= group["max_eval"]
            or self.converged()
            or np.abs(direction * state["t"]).max() <= group["tolerance_change"]
            or abs(self.loss - before) < group["tolerance_change"]
        )

    def direction(self) -> np.ndarray:
        """Minus the approximate inverse Hessian times the gradient, by the two-loop recursion."""
        state = self.state
        if state["n_iter"] == 1:
            state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1)
            return -self.grad
        self.remember(self.grad - state["prev_flat_grad"]._array, state["d"]._array * as_number(state["t"]))
        changes, steps, ro = ([tensor._array for tensor in state[name]] for name in ("old_dirs", "old_stps", "ro"))
        direction = -self.grad
        weights = [0.0] * len(changes)
        for i in reversed(range(len(changes))):
            weights[i] = steps[i].dot(direction) * ro[i]
            direction -= weights[i] * changes[i]
        direction *= as_number(state["H_diag"])
        for i in range(len(changes)):
            direction += steps[i] * (weights[i] - changes[i].dot(direction) * ro[i])
        return direction

    def remember(self, change: Array, step: Array) -> None:
        """Stores a step and the change of the gradient, if the curvature is positive."""
        state = self.state
        curvature = change.dot(step)
        if curvature <= 1e-10:
            return
        for name, value in (("old_dirs", change), ("old_stps", step), ("ro", 1.0 / curvature)):
            state[name].append(new_tensor(np.asarray(value)))
            if len(state[name]) > self.group["history_size"]:
                state[name].pop(0)
        state["H_diag"] = new_tensor(np.asarray(curvature / change.dot(change)))

    def advance(self, size: float, direction: Array, slope: float) -> int:
        """Moves the parameters along a direction. Returns how often the closure was evaluated."""
        if self.group["line_search_fn"] is None:
            self.optimizer._move(size, direction)
            if self.iterations == self.group["max_iter"]:
                return 0
            self.loss = loss_number(self.closure())
            self.grad = self.optimizer._flat_grad()
            return 1
        start = self.optimizer._values()

        def evaluate(size: float) -> tuple[float, np.ndarray]:
            self.optimizer._move(size, direction)
            loss = loss_number(self.closure())
            grad = self.optimizer._flat_grad()
            self.optimizer._set_values(start)
            return loss, grad

        left = self.group["max_eval"] - self.evaluations
        self.loss, self.grad, size, evaluations = strong_wolfe(
            evaluate, size, direction, self.loss, self.grad, slope, max_ls=left
        )
        self.state["t"] = as_number(size)
        self.optimizer._move(size, direction)
        return evaluations


def loss_number(loss: Any) -> float:
    """The loss that a closure returned, as a number."""
    return float(loss.detach() if isinstance(loss, TensorBase) else loss)
