"""The older names of what `torch.amp` has, for scripts that were written with them."""

from collections.abc import Callable
from typing import Any

from rushlight import amp
from rushlight.amp.grad_scaler import OptState as OptState
from rushlight.amp.older_names import deprecated
from rushlight.dtypes import dtype as DType
from rushlight.dtypes import float16

__all__ = ["GradScaler", "amp_definitely_not_available", "autocast", "custom_bwd", "custom_fwd"]


class autocast(amp.autocast):
    """`torch.amp.autocast("cuda", ...)`, with a FutureWarning that recommends it."""

    def __init__(self, enabled: bool = True, dtype: DType = float16, cache_enabled: bool = True):
        deprecated("cuda", "autocast")
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(amp.GradScaler):
    """`torch.amp.GradScaler("cuda", ...)`, with a FutureWarning that recommends it."""

    def __init__(self, *args: Any, **kwargs: Any):
        deprecated("cuda", "GradScaler")
        super().__init__("cuda", *args, **kwargs)


def custom_fwd(fwd: Callable[..., Any] | None = None, *, cast_inputs: DType | None = None) -> Any:
    """`torch.amp.custom_fwd(..., device_type="cuda")`, with a FutureWarning that recommends it."""
    deprecated("cuda", "custom_fwd", "args..., device_type='cuda'")
    return amp.custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(bwd: Callable[..., Any]) -> Any:
    """`torch.amp.custom_bwd(..., device_type="cuda")`, with a FutureWarning that recommends it."""
    deprecated("cuda", "custom_bwd", "args..., device_type='cuda'")
    return amp.custom_bwd(bwd, device_type="cuda")


def amp_definitely_not_available() -> bool:
    """Always true: there is no GPU."""
    return True
