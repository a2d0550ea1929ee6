"""The older names of `torch.amp`'s classes, for scripts that were written with them."""

from typing import Any

from rushlight import amp
from rushlight.core.lines import warn
from rushlight.dtypes import dtype as DType
from rushlight.dtypes import float16

__all__ = ["GradScaler", "autocast"]


class autocast(amp.autocast):
    """`torch.amp.autocast("cuda", ...)`, with a FutureWarning that recommends it."""

    def __init__(self, enabled: bool = True, dtype: DType = float16, cache_enabled: bool = True):
        _deprecated("autocast")
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(amp.GradScaler):
    """`torch.amp.GradScaler("cuda", ...)`, with a FutureWarning that recommends it."""

    def __init__(self, *args: Any, **kwargs: Any):
        _deprecated("GradScaler")
        super().__init__("cuda", *args, **kwargs)


def _deprecated(name: str) -> None:
    """Warns that a name is deprecated, and says what to use instead."""
    message = f"`torch.cuda.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}('cuda', args...)` instead."
    warn(message, FutureWarning)
