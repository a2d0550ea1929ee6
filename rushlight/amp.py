"""Mixed precision, as PyTorch without CUDA: switched off. Scripts that ask for it run in full precision."""

import warnings
from contextlib import ContextDecorator
from typing import TYPE_CHECKING, Any

from rushlight.dtypes import dtype as DType
from rushlight.tensors import Tensor

if TYPE_CHECKING:
    from rushlight.optim import Optimizer

__all__ = ["GradScaler", "autocast"]


class autocast(ContextDecorator):
    """A context, or decorator, that changes nothing: for "cuda" a warning says so, as PyTorch's does without CUDA.

    NotImplementedError for the CPU unless `enabled=False`: its half precision is bfloat16, which NumPy lacks.

    >>> import rushlight as torch
    >>> with torch.autocast("cpu", enabled=False):
    ...     (torch.ones(1) * 2).dtype
    torch.float32
    """

    def __init__(
        self, device_type: str, dtype: DType | None = None, enabled: bool = True, cache_enabled: bool | None = None
    ):
        if enabled and device_type == "cpu":
            raise NotImplementedError(
                "rushlight has no autocast for the CPU, as NumPy has no bfloat16: give enabled=False, or leave it out."
            )
        if enabled:
            warnings.warn("CUDA is not available or torch_xla is imported. Disabling autocast.", stacklevel=2)

    def __enter__(self) -> "autocast":
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is to be restored."""


class GradScaler:
    """Passes losses and steps on as they are: scaling serves half precision, which `autocast` never switches on.

    >>> import rushlight as torch
    >>> scaler = torch.amp.GradScaler(enabled=False)
    >>> scaler.scale(torch.tensor(3.0)), scaler.is_enabled()
    (tensor(3.), False)
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
        if enabled and device == "cpu":
            raise NotImplementedError("rushlight scales no losses, as it has no autocast: give enabled=False.")
        if enabled:
            warnings.warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.", stacklevel=2)

    def is_enabled(self) -> bool:
        """Whether losses are scaled: they are not."""
        return False

    def get_scale(self) -> float:
        """The factor of losses: 1."""
        return 1.0

    def scale(self, outputs: Any) -> Any:
        """The losses as they are."""
        return outputs

    def unscale_(self, optimizer: "Optimizer") -> None:
        """Leaves the gradients as they are."""

    def step(self, optimizer: "Optimizer", *args: Any, **kwargs: Any) -> Tensor | None:
        """`optimizer.step(*args, **kwargs)`."""
        return optimizer.step(*args, **kwargs)

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """Leaves the factor at 1."""

    def state_dict(self) -> dict[str, Any]:
        """Nothing: {}, as of PyTorch's scaler that is switched off."""
        return {}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes nothing, as PyTorch's scaler that is switched off."""
