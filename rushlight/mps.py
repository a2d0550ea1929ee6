"""Apple's Metal, which is not available: rushlight computes on the CPU."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.accelerator import device_count, is_available

__all__ = ["device_count", "is_available"]

_explain_misses(globals())
