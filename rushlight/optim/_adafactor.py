"""Adafactor, which stores only row and column means of a matrix gradient's squares."""

from typing import Any

import numpy as np

from rushlight.core.graph import TensorBase, new_tensor
from rushlight.optim.elementwise import advance
from rushlight.optim.optimizer import Params
from rushlight.optim.tensorwise import TensorwiseOptimizer, as_number
from rushlight.tensors import Tensor

__all__ = ["Adafactor"]


class Adafactor(TensorwiseOptimizer):
    """Adafactor: steps scaled by an estimate of the squared gradient that stores only one row and one column.

    The weight of the newest value in the running averages is step**beta2_decay. `eps` is a pair: the lower bound of the
    estimate's square root (None for the epsilon of the dtype), and the lower bound of a parameter's RMS, to which the
    step size is proportional. `d` limits the RMS of the scaled step. `weight_decay` multiplies the parameter by 1 - lr
    * weight_decay. `foreach` has no effect on a CPU.

    Source: N. Shazeer, M. Stern, "Adafactor: adaptive learning rates with sublinear memory cost", 2018. ValueError for
    options out of range, RuntimeError at a step for complex parameters.

    >>> import rushlight as torch
    >>> weight = torch.ones(2, 2, requires_grad=True)
    >>> optimizer = torch.optim.Adafactor([weight], lr=0.1)
    >>> (weight**2).sum().backward()
    >>> optimizer.step()
    >>> weight.detach()
    tensor([[0.9000, 0.9000],
            [0.9000, 0.9000]])
    """

    def __init__(
        self,
        params: Params,
        lr: Any = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ):
        if isinstance(lr, TensorBase) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        require(lr >= 0, f"Learning rate should be >= 0 but is: {lr}")
        require(beta2_decay <= 0, f"beta2_decay should be <= 0 but is: {beta2_decay}")
        require(eps[0] is None or eps[0] >= 0, f"epsilon1 should be >= 0 but is: {eps[0]}")
        require(eps[1] >= 0, f"epsilon2 should be >= 0 but is: {eps[1]}")
        require(d >= 1, f"Clipping threshold d should be >= 1 but is: {d}")
        require(weight_decay >= 0, f"weight_decay should be >= 0 but is: {weight_decay}")
        super().__init__(
            params,
            {
                "lr": lr,
                "beta2_decay": beta2_decay,
                "eps": eps,
                "d": d,
                "weight_decay": weight_decay,
                "foreach": foreach,
                "maximize": maximize,
            },
        )

    def _change(self, param: np.ndarray, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        slope = -grad._array if group["maximize"] else grad._array
        if not state:
            begin(state, slope)
        step, rate = advance(state), as_number(group["lr"])
        least = np.finfo(param.dtype).eps if group["eps"][0] is None else group["eps"][0]
        length = max(group["eps"][1], float(np.linalg.norm(param)) / param.size**0.5)
        if group["weight_decay"]:
            param *= 1 - rate * group["weight_decay"]
        variance = estimate(state, slope, step ** group["beta2_decay"], least)
        update = slope / np.sqrt(np.maximum(variance, least * least))
        too_long = max(1.0, float(np.linalg.norm(update)) / (update.size**0.5 * group["d"]))
        param -= update * (length * min(rate, step**-0.5) / too_long)


def require(valid: Any, message: str) -> None:
    """Raises ValueError for an invalid option."""
    if not valid:
        raise ValueError(message)


def begin(state: dict[str, Any], grad: np.ndarray) -> None:
    """Creates the initial state: averages of rows and columns, or of single elements for vectors."""
    state["step"] = new_tensor(np.array(0.0, np.float32))
    if grad.ndim > 1:
        state["row_var"] = new_tensor(np.zeros((*grad.shape[:-1], 1), grad.dtype))
        state["col_var"] = new_tensor(np.zeros((*grad.shape[:-2], 1, grad.shape[-1]), grad.dtype))
    else:
        state["variance"] = new_tensor(np.zeros_like(grad))


def estimate(state: dict[str, Any], grad: np.ndarray, share: float, least: float) -> np.ndarray:
    """Updates and returns the estimate of the squared gradient; `share` is the weight of the new values."""
    square = grad * grad
    if grad.ndim <= 1:
        return move(state["variance"], square, share)
    rows = move(state["row_var"], square.mean(-1, keepdims=True), share)
    columns = move(state["col_var"], square.mean(-2, keepdims=True), share)
    return rows @ columns / np.maximum(rows.mean(-2, keepdims=True), least)


def move(mean: Any, value: np.ndarray, share: float) -> np.ndarray:
    """Moves a running average towards a value, with weight `share`; returns its array."""
    array = mean._array
    array += (value - array) * array.dtype.type(share)
    mean._bump()
    return array
