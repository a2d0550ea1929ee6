"""The older names of `torch.amp`'s classes for the CPU, for scripts that were written with them."""

from typing import Any

from rushlight import amp
from rushlight.amp.older_names import deprecated
from rushlight.dtypes import bfloat16
from rushlight.dtypes import dtype as DType

__all__ = ["GradScaler", "autocast"]


class autocast(amp.autocast):
    """`torch.amp.autocast("cpu", ...)`, with a FutureWarning that recommends it.

    >>> import rushlight as torch
    >>> x = torch.ones(2, 2)
    >>> with torch.cpu.amp.autocast():
    ...     (x @ x).dtype
    torch.bfloat16
    """

    def __init__(self, enabled: bool = True, dtype: DType = bfloat16, cache_enabled: bool = True):
        deprecated("cpu", "autocast")
        super().__init__("cpu", dtype, enabled, cache_enabled)


class GradScaler(amp.GradScaler):
    """`torch.amp.GradScaler("cpu", ...)`, with a FutureWarning that recommends it."""

    def __init__(self, *args: Any, **kwargs: Any):
        deprecated("cpu", "GradScaler")
        super().__init__("cpu", *args, **kwargs)
