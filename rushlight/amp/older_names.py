"""The warning of the older names of what `torch.amp` has: `torch.cuda.amp` and `torch.cpu.amp`."""

from rushlight.core.lines import warn

__all__ = ["deprecated"]


def deprecated(device: str, name: str, arguments: str = "") -> None:
    """Warns that a name is deprecated, and says what to use instead: with the device first, or other arguments."""
    new = f"torch.amp.{name}({arguments})" if arguments else f"torch.amp.{name}('{device}', args...)"
    warn(f"`torch.{device}.amp.{name}(args...)` is deprecated. Please use `{new}` instead.", FutureWarning)
