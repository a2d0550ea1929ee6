"""The older names of `torch.amp`'s classes, for scripts that were written with them."""

from typing import Any

from rushlight import amp
from rushlight.amp.older_names import deprecated
from rushlight.dtypes import dtype as DType
from rushlight.dtypes import float16

__all__ = ["GradScaler", "autocast"]


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
