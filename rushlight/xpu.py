"""Intel's GPUs, which are not there: rushlight computes on the CPU."""

from rushlight.accelerator import device_count, is_available
from rushlight.missing import explain_misses as _explain_misses

__all__ = ["device_count", "is_available"]

_explain_misses(globals())
