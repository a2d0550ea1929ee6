"""`torch.mps` as in PyTorch without Apple's Metal: scripts ask for a device; what needs one raises."""

from collections.abc import Callable
from typing import NoReturn

from rushlight.absent.hardware import CPU_ONLY, Needed, device_count, is_available, manual_seed
from rushlight.absent.misses import explain_misses as _explain_misses

__all__ = ["device_count", "is_available", "manual_seed"]
__all__ += """
    current_allocated_memory driver_allocated_memory empty_cache get_rng_state recommended_max_memory seed
    set_rng_state synchronize
""".split()


def _needs(function: str, parameters: str = "") -> Callable[..., NoReturn]:
    said = f"Cannot execute {function}() without MPS backend."
    return Needed(RuntimeError, said, f"{CPU_ONLY}: ask torch.backends.mps.is_available() first.")(parameters)


synchronize = _needs("deviceSynchronize")
empty_cache = _needs("emptyCache")
current_allocated_memory = _needs("getCurrentAllocatedMemory")
driver_allocated_memory = _needs("getDriverAllocatedMemory")
recommended_max_memory = _needs("getRecommendedMaxMemory")
seed = get_rng_state = _needs("getDefaultGenerator")
set_rng_state = _needs("getDefaultGenerator", "new_state")

_explain_misses(globals())
