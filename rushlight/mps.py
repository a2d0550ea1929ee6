"""Apple's Metal, which is not there: rushlight computes on the CPU."""

from rushlight.accelerator import device_count, is_available

__all__ = ["device_count", "is_available"]
