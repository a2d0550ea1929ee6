"""`torch.accelerator` without an accelerator: rushlight computes on the CPU."""

from rushlight.absent.hardware import CPU_ONLY, Needed, device_count, is_available
from rushlight.absent.misses import explain_misses as _explain_misses

__all__ = ["device_count", "is_available"]
__all__ += """
    current_accelerator current_device_idx current_device_index current_stream device_index empty_cache
    empty_host_cache get_device_capability get_memory_info max_memory_allocated max_memory_reserved memory_allocated
    memory_reserved memory_stats reset_accumulated_memory_stats reset_peak_memory_stats set_device_idx
    set_device_index set_stream synchronize
""".split()


def current_accelerator(check_available: bool = False) -> None:
    """The device of the accelerator: None, as there is none."""


_needs_one = Needed(
    RuntimeError,
    "Cannot access accelerator device when none is available.",
    f"{CPU_ONLY}: ask torch.accelerator.is_available() first.",
)
current_device_index = current_device_idx = empty_cache = empty_host_cache = _needs_one()
set_device_index = set_device_idx = _needs_one("device, /")
set_stream = _needs_one("stream")
synchronize = current_stream = get_device_capability = get_memory_info = memory_stats = _needs_one("device=None, /")
memory_allocated = max_memory_allocated = memory_reserved = max_memory_reserved = memory_stats
reset_peak_memory_stats = reset_accumulated_memory_stats = memory_stats


class device_index:
    """A context that selects an accelerator. RuntimeError on entry, except for None: there is none."""

    def __init__(self, device: int | None, /) -> None:
        self.idx = device

    def __enter__(self) -> None:
        if self.idx is not None:
            current_device_index()

    def __exit__(self, *exception: object) -> None:
        pass


_explain_misses(globals())
