"""`GradScaler`: scales losses so that float16 gradients do not underflow, and skips steps that overflow."""

import math
from typing import Any

import numpy as np

from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.lines import warn
from rushlight.optim import Optimizer
from rushlight.tensors import Tensor

__all__ = ["GradScaler"]


class GradScaler:
    """Multiplies losses by a factor, divides gradients by it before a step, and adapts the factor after each step.

    A step whose gradients contain infinities or NaN is skipped, and the factor multiplied by `backoff_factor`; after
    `growth_interval` steps without overflow it is multiplied by `growth_factor`. For "cuda" the scaler is disabled with
    a warning, as in PyTorch without CUDA.

    >>> import rushlight as torch
    >>> scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    >>> scaler.scale(torch.tensor(3.0)), scaler.get_scale()
    (tensor(24.), 8.0)
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ):
        if enabled and device != "cpu":
            warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.")
            enabled = False
        if enabled and growth_factor <= 1.0:
            raise AssertionError(f"The growth factor must be > 1.0, but got {growth_factor}.")
        if enabled and backoff_factor >= 1.0:
            raise AssertionError(f"The backoff factor must be < 1.0, but got {backoff_factor}.")
        self._device, self._enabled = device, enabled
        self._scale, self._growth_tracker = float(init_scale), 0
        self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
        self._growth_interval = growth_interval
        self._found: dict[int, bool] = {}  # by optimizer: whether its unscaled gradients overflowed
        self._stepped: set[int] = set()
        self._scaled = False

    def is_enabled(self) -> bool:
        """Whether losses are scaled."""
        return self._enabled

    def get_scale(self) -> float:
        """The scale factor; 1 if the scaler is disabled."""
        return self._scale if self._enabled else 1.0

    def scale(self, outputs: Any) -> Any:
        """The losses times the factor: a tensor, or a list or tuple of them."""
        if not self._enabled:
            return outputs
        self._scaled = True
        if isinstance(outputs, TensorBase):
            factor = new_tensor(np.asarray(self._scale, np.float32))
            return outputs * factor.to(outputs.dtype)
        if isinstance(outputs, (list, tuple)):
            return type(outputs)([self.scale(output) for output in outputs])
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def unscale_(self, optimizer: Optimizer) -> None:
        """Divides an optimizer's gradients by the factor before its step, for example to clip them.

        RuntimeError for a second call, and after the step.
        """
        if not self._enabled:
            return
        if id(optimizer) in self._stepped:
            raise RuntimeError("unscale_() is being called after step().")
        if id(optimizer) in self._found:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        overflowed = False
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                grad = parameter.grad
                if grad is not None:
                    if str(grad.dtype) == "torch.float16":
                        raise ValueError("Attempting to unscale FP16 gradients.")
                    overflowed = overflowed or not bool(grad.isfinite().all())
                    grad.detach().mul_(1.0 / self._scale)
        self._found[id(optimizer)] = overflowed

    def step(self, optimizer: Optimizer, *args: Any, **kwargs: Any) -> Tensor | float | None:
        """Calls `optimizer.step(*args, **kwargs)` on unscaled gradients, unless some of them overflowed.

        RuntimeError for a closure, and for a second step before `update`.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        if id(optimizer) in self._stepped:
            raise RuntimeError("step() has already been called since the last update().")
        if id(optimizer) not in self._found:
            self.unscale_(optimizer)
        self._stepped.add(id(optimizer))
        return None if self._found[id(optimizer)] else optimizer.step(*args, **kwargs)

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """Updates the factor after the steps, or sets it to `new_scale`. AssertionError if there was no step."""
        if not self._enabled:
            return
        if new_scale is not None:
            self._scale = float(new_scale)
        elif not self._scaled:
            raise AssertionError(
                "Attempted update but _scale is None.  This may indicate your script did not use scaler.scale(loss or "
                "outputs) earlier in the iteration."
            )
        elif not self._found:
            raise AssertionError("No inf checks were recorded prior to update.")
        elif any(self._found.values()):
            self._scale, self._growth_tracker = self._scale * self._backoff_factor, 0
        else:
            self._growth_tracker += 1
            if self._growth_tracker == self._growth_interval:
                grown = self._scale * self._growth_factor
                self._scale, self._growth_tracker = grown if math.isfinite(np.float32(grown)) else self._scale, 0
        self._found.clear()
        self._stepped.clear()

    def state_dict(self) -> dict[str, Any]:
        """The factor and the options; {} if the scaler is disabled."""
        if not self._enabled:
            return {}
        return {
            "scale": self._scale,
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._growth_tracker,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Loads the state of another scaler. RuntimeError for the state of a disabled one."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._scale, self._growth_tracker = state_dict["scale"], state_dict["_growth_tracker"]
        self._growth_factor, self._backoff_factor = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]

    def get_growth_factor(self) -> float:
        """The factor by which the scale grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Sets the factor by which the scale grows."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """The factor by which the scale shrinks."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Sets the factor by which the scale shrinks."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """The number of steps after which the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Sets the number of steps after which the scale grows."""
        self._growth_interval = new_interval
