"""Anomaly mode: finding the operation whose derivative fails or is NaN, and the line that changed a saved tensor."""

from typing import Any

from rushlight.core.graph import watch_changes
from rushlight.core.lines import warn
from rushlight.core.modes import CURRENT, Switch

__all__ = [
    "detect_anomaly",
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    "set_anomaly_enabled",
    "set_detect_anomaly",
]


class set_detect_anomaly(Switch):
    """Switches anomaly mode on or off: from the call on as a function, or inside as a context manager.

    In anomaly mode nodes remember the lines that recorded them. When the backward of a node fails or (with `check_nan`)
    returns NaN, a warning shows those lines; the error for a saved tensor that was changed in place names the line that
    changed it. Anomaly mode is slow: use it for debugging only.

    >>> import rushlight as torch
    >>> with torch.autograd.set_detect_anomaly(True):
    ...     print(torch.is_anomaly_enabled())
    True
    """

    mode: bool
    check_nan: bool

    names: tuple[str, ...] = ("anomaly", "check_nan")

    def __init__(self, mode: bool, check_nan: bool = True):
        self.mode, self.check_nan = mode, check_nan
        super().__enter__()

    def __enter__(self) -> None:
        return None

    def inside(self, modes: Any) -> Any:
        """The modes with anomaly mode set."""
        if self.mode:
            watch_changes()
        return modes.replace(anomaly=self.mode, check_nan=self.check_nan)


class detect_anomaly(set_detect_anomaly):
    """Anomaly mode as a context: see `set_detect_anomaly`. The forward pass must run inside too.

    >>> import rushlight as torch
    >>> x = torch.zeros(1, requires_grad=True)
    >>> with torch.autograd.detect_anomaly():
    ...     torch.sqrt(x * 0).backward()
    Traceback (most recent call last):
    RuntimeError: Function 'MulBackward0' returned nan values in its 0th output.
    """

    mode: bool
    check_nan: bool

    def __init__(self, check_nan: bool = True):
        self.mode, self.check_nan = True, check_nan
        warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging.",
        )

    __enter__ = Switch.__enter__


def set_anomaly_enabled(mode: bool, check_nan: bool = True) -> None:
    """Switches anomaly mode on or off, as `torch.autograd.set_detect_anomaly` does when it is called.

    >>> import rushlight as torch
    >>> torch.set_anomaly_enabled(True, check_nan=False)
    >>> torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()
    (True, False)
    >>> torch.set_anomaly_enabled(False)
    """
    set_detect_anomaly(mode, check_nan)


def is_anomaly_enabled() -> bool:
    """Whether anomaly mode is on.

    >>> import rushlight as torch
    >>> torch.is_anomaly_enabled()
    False
    """
    return CURRENT.get().anomaly


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly mode checks gradients for NaN.

    >>> import rushlight as torch
    >>> with torch.autograd.detect_anomaly(check_nan=False):
    ...     torch.is_anomaly_check_nan_enabled()
    False
    """
    return CURRENT.get().check_nan
