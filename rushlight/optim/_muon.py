"""Muon: steps along the orthogonal matrix that is nearest to the momentum."""

import math
from typing import Any

import numpy as np

from rushlight.core.graph import TensorBase, new_tensor
from rushlight.optim._adafactor import require
from rushlight.optim.optimizer import Params
from rushlight.optim.tensorwise import TensorwiseOptimizer, as_number
from rushlight.tensors import Tensor

__all__ = ["Muon"]

COEFFICIENTS = (3.4445, -4.7750, 2.0315)


class Muon(TensorwiseOptimizer):
    """Muon, for the matrices of hidden layers: param -= lr * orthogonal(momentum), after decoupled weight decay.

    Newton-Schulz iterations with the polynomial `ns_coefficients` make the momentum nearly orthogonal, in bfloat16
    precision as in PyTorch. `adjust_lr_fn` is None or "original" (lr is multiplied by sqrt(rows / columns), if that
    exceeds 1) or "match_rms_adamw" (steps with about the RMS of AdamW's).

    Source: K. Jordan et al., "Muon: an optimizer for hidden layers in neural networks", 2024. ValueError for options
    out of range and for parameters that are not matrices.

    >>> import rushlight as torch
    >>> weight = torch.eye(2).requires_grad_()
    >>> optimizer = torch.optim.Muon([weight], lr=0.1)
    >>> (weight**2).sum().backward()
    >>> optimizer.step()
    >>> bool(weight.diagonal().max() < 0.95)
    True
    """

    def __init__(
        self,
        params: Params,
        lr: Any = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = COEFFICIENTS,
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ):
        if isinstance(lr, TensorBase) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        require(lr >= 0, f"Learning rate should be >= 0 but is: {lr}")
        require(momentum >= 0, f"momentum should be >= 0 but is: {momentum}")
        require(weight_decay >= 0, f"weight decay should be >= 0 but is: {weight_decay}")
        known = adjust_lr_fn in (None, "original", "match_rms_adamw")
        require(known, f"Adjust learning rate function {adjust_lr_fn} is not supported")
        super().__init__(
            params,
            {
                "lr": lr,
                "weight_decay": weight_decay,
                "momentum": momentum,
                "nesterov": nesterov,
                "ns_coefficients": ns_coefficients,
                "eps": eps,
                "ns_steps": ns_steps,
                "adjust_lr_fn": adjust_lr_fn,
            },
        )
        for group in self.param_groups:
            for param in group["params"]:
                size = param.size()
                require(
                    len(size) == 2, f"Muon only supports 2D parameters whereas we found a parameter with size: {size}"
                )

    def _change(self, param: np.ndarray, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        slope, momentum, rate = grad._array, group["momentum"], as_number(group["lr"])
        if "momentum_buffer" not in state:
            state["momentum_buffer"] = new_tensor(np.zeros_like(slope))
        buffer = state["momentum_buffer"]._array
        buffer += (slope - buffer) * (1 - momentum)
        update = slope + (buffer - slope) * momentum if group["nesterov"] else buffer
        update = orthogonal(update, group["ns_coefficients"], group["ns_steps"], group["eps"])
        param *= 1 - rate * group["weight_decay"]
        param -= update.astype(param.dtype) * (rate * proportion(group["adjust_lr_fn"], param.shape))


def proportion(kind: str | None, shape: tuple[int, ...]) -> float:
    """The factor of the learning rate for a matrix of a given shape."""
    rows, columns = shape
    return 0.2 * math.sqrt(max(rows, columns)) if kind == "match_rms_adamw" else math.sqrt(max(1, rows / columns))


def orthogonal(matrix: np.ndarray, coefficients: tuple[Any, ...], steps: int, eps: float) -> np.ndarray:
    """Approximately the orthogonal matrix nearest to a matrix, by Newton-Schulz iterations in bfloat16 precision."""
    require(steps < 100, "Number of steps must be less than 100 for computational efficiency")
    require(len(coefficients) == 3, "Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    wide = matrix.T if matrix.shape[0] > matrix.shape[1] else matrix
    x = brief(wide)
    x = brief(x / max(brief(np.linalg.norm(x)), eps))
    for _ in range(steps):
        gram = brief(x @ x.T)
        x = brief(a * x + brief(b * gram + c * (gram @ gram)) @ x)
    return x.T if wide is not matrix else x


def brief(array: Any) -> np.ndarray:
    """A float32 array with each number rounded to bfloat16 precision."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
    rounded = bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    return (rounded & np.uint32(0xFFFF0000)).view(np.float32)
