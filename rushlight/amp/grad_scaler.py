"""`GradScaler`: scales losses so that float16 gradients do not underflow, and skips steps that overflow."""

from collections import defaultdict
from collections.abc import Iterable
from enum import Enum
from inspect import signature
from typing import Any

import numpy as np

from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.lines import warn
from rushlight.devices import CPU
from rushlight.dtypes import float16
from rushlight.optim import Optimizer
from rushlight.tensors import Tensor

__all__ = ["GradScaler", "OptState"]

PASSED = (
    "GradScaler is going to stop passing itself as a keyword argument to the passed optimizer. In the near future "
    "GradScaler registers `grad_scale: Tensor` and `found_inf: Tensor` to the passed optimizer and let the optimizer "
    "use them directly."
)


class OptState(Enum):
    """What has been done with an optimizer's gradients since the last update."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def _refresh_per_optimizer_state() -> dict[str, Any]:
    """The state of an optimizer whose gradients are scaled."""
    return {"stage": OptState.READY, "found_inf_per_device": {}}


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
        self._init_scale, self._init_growth_tracker = init_scale, 0
        self._scale: Tensor | None = None  # made by the first `scale`, as is the next
        self._growth_tracker: Tensor | None = None
        self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
        self._growth_interval = growth_interval
        self._per_optimizer_states: dict[int, dict[str, Any]] = defaultdict(_refresh_per_optimizer_state)

    def is_enabled(self) -> bool:
        """Whether losses are scaled."""
        return self._enabled

    def get_scale(self) -> float:
        """The scale factor; 1 if the scaler is disabled."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()

    def _get_growth_tracker(self) -> int:
        """The number of steps since the factor last changed, or since an overflow."""
        return self._init_growth_tracker if self._growth_tracker is None else int(self._growth_tracker.item())

    def scale(self, outputs: Any) -> Any:
        """The losses times the factor: a tensor, or a list or tuple of them. Of another iterable, an iterator."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, TensorBase):
            if self._scale is None:
                self._scale = new_tensor(np.asarray(self._init_scale, np.float32))
                self._growth_tracker = new_tensor(np.asarray(self._init_growth_tracker, np.int32))
            return outputs * self._scale
        if isinstance(outputs, Iterable):
            scaled = map(self.scale, outputs)
            return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else scaled
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def _factor(self, name: str) -> Tensor:
        """The factor as a tensor. AssertionError before the first `scale`."""
        if self._scale is None:
            raise AssertionError(
                f"Attempted {name} but _scale is None.  This may indicate your script did not use scaler.scale(loss or "
                "outputs) earlier in the iteration."
            )
        return self._scale

    def unscale_(self, optimizer: Optimizer) -> None:
        """Divides an optimizer's gradients by the factor before its step, for example to clip them.

        RuntimeError for a second call, and after the step; AssertionError before `scale`.
        """
        if not self._enabled:
            return
        factor, state = self._factor("unscale_"), self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        gradients = self._gradients(optimizer)
        if any(gradient.dtype is float16 for gradient in gradients):
            raise ValueError("Attempting to unscale FP16 gradients.")
        self._check_overflow(optimizer, gradients)
        share = 1.0 / factor.item()
        for gradient in gradients:
            gradient.detach().mul_(share)
        state["stage"] = OptState.UNSCALED

    def _gradients(self, optimizer: Optimizer) -> list[Tensor]:
        """The gradients of an optimizer's parameters."""
        parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
        return [parameter.grad for parameter in parameters if parameter.grad is not None]

    def _check_overflow(self, optimizer: Optimizer, gradients: list[Tensor]) -> None:
        """Notes whether some gradients contain infinities or NaN."""
        if gradients:
            overflowed = not all(bool(gradient.isfinite().all()) for gradient in gradients)
            found = new_tensor(np.asarray(overflowed, np.float32))
            self._per_optimizer_states[id(optimizer)]["found_inf_per_device"] = {CPU: found}

    def step(self, optimizer: Optimizer, *args: Any, **kwargs: Any) -> Tensor | float | None:
        """Calls `optimizer.step(*args, **kwargs)` on unscaled gradients, unless some of them overflowed.

        An optimizer that has `_step_supports_amp_scaling` is always called, and unscales the gradients itself: by its
        attributes `grad_scale` and `found_inf`, or by the scaler, if its `step` has a parameter `grad_scaler`.
        RuntimeError for a closure, and for a second step before `update`; AssertionError before `scale`, and without
        gradients.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        factor, state = self._factor("step"), self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if getattr(optimizer, "_step_supports_amp_scaling", False):
            result = self._step_scaled(optimizer, factor, state, args, kwargs)
            state["stage"] = OptState.STEPPED
            return result
        if state["stage"] is OptState.READY:
            self.unscale_(optimizer)
        found = state["found_inf_per_device"]
        if not found:
            raise AssertionError("No inf checks were recorded for this optimizer. None of its parameters has a grad.")
        state["stage"] = OptState.STEPPED
        return None if found[CPU].item() else optimizer.step(*args, **kwargs)

    def _step_scaled(self, optimizer: Any, factor: Tensor, state: dict[str, Any], args: Any, kwargs: Any) -> Any:
        """The step of an optimizer that unscales gradients itself."""
        if "grad_scaler" in signature(optimizer.step).parameters:
            warn(PASSED, FutureWarning)
            return optimizer.step(*args, **kwargs, grad_scaler=self)
        is_ready = state["stage"] is OptState.READY
        if is_ready:
            self._check_overflow(optimizer, self._gradients(optimizer))
        optimizer.grad_scale = factor if is_ready else None
        optimizer.found_inf = state["found_inf_per_device"].get(CPU, new_tensor(np.asarray(0, np.float32)))
        try:
            return optimizer.step(*args, **kwargs)
        finally:
            del optimizer.grad_scale, optimizer.found_inf

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """Updates the factor after the steps, or sets it to `new_scale`. AssertionError if there was no step."""
        if not self._enabled:
            return
        factor = self._factor("update")
        if new_scale is not None:
            if isinstance(new_scale, TensorBase) and (new_scale.numel() != 1 or new_scale.requires_grad):
                raise AssertionError(
                    "new_scale should be a float or a 1-element torch.cuda.FloatTensor or torch.FloatTensor with "
                    "requires_grad=False."
                )
            factor.fill_(float(new_scale))
        else:
            self._adapt(factor)
        self._per_optimizer_states = defaultdict(_refresh_per_optimizer_state)

    def _adapt(self, factor: Tensor) -> None:
        """Shrinks the factor after an overflow, and lets it grow after enough steps without one."""
        found = [
            flag for state in self._per_optimizer_states.values() for flag in state["found_inf_per_device"].values()
        ]
        if not found:
            raise AssertionError("No inf checks were recorded prior to update.")
        tracker = self._get_growth_tracker()
        if any(flag.item() for flag in found):
            factor.mul_(self._backoff_factor)
            tracker = 0
        else:
            tracker += 1
            if tracker == self._growth_interval:
                grown = np.float32(factor.item() * self._growth_factor)
                if np.isfinite(grown):
                    factor.fill_(float(grown))
                tracker = 0
        self._growth_tracker = new_tensor(np.asarray(tracker, np.int32))

    def state_dict(self) -> dict[str, Any]:
        """The factor and the options; {} if the scaler is disabled."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._get_growth_tracker(),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Loads the state of another scaler. RuntimeError for the state of a disabled one."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._init_scale, self._init_growth_tracker = state_dict["scale"], state_dict["_growth_tracker"]
        if self._scale is not None:
            self._scale.fill_(self._init_scale)
            self._growth_tracker = new_tensor(np.asarray(self._init_growth_tracker, np.int32))
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

    def __getstate__(self) -> dict[str, Any]:
        if self._enabled and self._per_optimizer_states:
            raise AssertionError(
                "A GradScaler instance may only be pickled at the beginning of an iteration, or at the end after "
                "scaler.update()."
            )
        made_late = {"_scale": None, "_growth_tracker": None}
        kept = {"_init_scale": self.get_scale(), "_init_growth_tracker": self._get_growth_tracker()}
        return {**self.__dict__, **kept, **made_late} if self._enabled else self.__dict__
