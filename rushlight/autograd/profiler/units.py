"""Times, percentages, memory and operations, formatted as in PyTorch."""

import math

SECOND, MILLISECOND = 1_000_000.0, 1_000.0  # in microseconds


def readable_time(time: float) -> str:
    """A time in microseconds, formatted with a suitable unit."""
    return in_unit(time, "s" if time >= SECOND else "ms" if time >= MILLISECOND else "us")


def in_unit(time: float, unit: str) -> str:
    """A time in microseconds, formatted with a given unit."""
    return f"{time / {'s': SECOND, 'ms': MILLISECOND, 'us': 1.0}[unit]:.3f}{unit}"


def readable_share(time: float, total: float) -> str:
    """A part of a total as a percentage."""
    return f"{time * 100.0 / total:.2f}%" if total else "NaN"


def readable_memory(size: int) -> str:
    """A number of bytes with a suitable unit."""
    for power, unit in ((3, "GB"), (2, "MB"), (1, "KB")):
        if abs(size) >= 1024**power:
            return f"{size / 1024**power:.2f} {unit}"
    return f"{size} B"


def scale_of_flops(least: int) -> tuple[float, str]:
    """The factor and unit that suit the smallest of some numbers of operations."""
    power = int(min(math.log10(least) / 3, 5))
    return 10.0 ** (-3 * power), f"{' KMGTP'[power].strip()}FLOPs"
