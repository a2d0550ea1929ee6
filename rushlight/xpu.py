"""`torch.xpu` as in PyTorch without Intel's GPUs: scripts ask for a device; what needs one raises."""

from rushlight.absent.hardware import (
    CPU_ONLY,
    Needed,
    device_count,
    empty_cache,
    is_available,
    is_bf16_supported,
    is_initialized,
    manual_seed,
    memory_allocated,
    seed,
)
from rushlight.absent.misses import explain_misses as _explain_misses

__all__ = [
    "device_count",
    "empty_cache",
    "is_available",
    "is_bf16_supported",
    "is_initialized",
    "manual_seed",
    "memory_allocated",
    "seed",
]
__all__ += """
    current_device get_device_capability get_device_name get_device_properties manual_seed_all max_memory_allocated
    max_memory_reserved memory_reserved seed_all set_device synchronize
""".split()

manual_seed_all, seed_all = manual_seed, seed
max_memory_allocated = memory_reserved = max_memory_reserved = memory_allocated
_not_compiled = Needed(
    AssertionError, "Torch not compiled with XPU enabled.", f"{CPU_ONLY}: ask torch.xpu.is_available() first."
)
current_device, set_device = _not_compiled(), _not_compiled("device")
get_device_capability = get_device_name = get_device_properties = synchronize = _not_compiled("device=None")

_explain_misses(globals())
