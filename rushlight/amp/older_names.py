"""The warning of the older names of `torch.amp`'s classes: `torch.cuda.amp` and `torch.cpu.amp`."""

from rushlight.core.lines import warn

__all__ = ["deprecated"]


def deprecated(device: str, name: str) -> None:
    """Warns that a name is deprecated, and says what to use instead."""
    old, new = f"torch.{device}.amp.{name}(args...)", f"torch.amp.{name}('{device}', args...)"
    warn(f"`{old}` is deprecated. Please use `{new}` instead.", FutureWarning)
