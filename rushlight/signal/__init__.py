"""`torch.signal`: window functions."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.signal import windows

__all__ = ["windows"]

_explain_misses(globals())
