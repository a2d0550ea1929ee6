"""Mixed precision: products in bfloat16 or float16, sensitive operations in float32, and scaled losses for float16."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.amp.autocast_mode import autocast, custom_bwd, custom_fwd, is_autocast_available
from rushlight.amp.grad_scaler import GradScaler

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]

_explain_misses(globals())
