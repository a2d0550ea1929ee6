"""Accelerators, of which there is none: rushlight computes on the CPU."""

from rushlight.absent.misses import explain_misses as _explain_misses


def is_available() -> bool:
    """Whether there is an accelerator: there is not."""
    return False


def device_count() -> int:
    """The number of accelerators: 0."""
    return 0


def current_accelerator(check_available: bool = False) -> None:
    """The device of the accelerator: None."""


_explain_misses(globals())
