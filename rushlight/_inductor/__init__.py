"""The part of PyTorch's compiler that makes machine code: rushlight has its options alone, which programs set."""

from rushlight._inductor import config
from rushlight.absent.misses import explain_misses as _explain_misses

__all__ = ["config"]

_explain_misses(globals())
