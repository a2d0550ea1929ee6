"""`torch.cpu`: the names of `torch.cuda` for programs that are written for any device."""

from typing import Any

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.cpu import amp
from rushlight.cpu.streams import Event, Stream, StreamContext, current_stream, stream

__all__ = """
    Event Stream StreamContext amp current_device current_stream device_count is_available is_initialized set_device
    stream synchronize
""".split()


def is_available() -> bool:
    """Whether there is a CPU: True."""
    return True


def is_initialized() -> bool:
    """Whether the CPU is ready: True."""
    return True


def device_count() -> int:
    """The number of CPU devices, which is not that of its cores: 1."""
    return 1


def current_device() -> str:
    """The current device: "cpu".

    >>> import rushlight as torch
    >>> torch.cpu.current_device(), torch.cpu.device_count()
    ('cpu', 1)
    """
    return "cpu"


def set_device(device: Any) -> None:
    """Does nothing: there is one CPU device."""


def synchronize(device: Any = None) -> None:
    """Returns at once: computations on the CPU are over when their functions return."""


_explain_misses(globals())
