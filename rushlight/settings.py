"""PyTorch's settings for hardware that trades precision or reproducibility for speed.

NumPy on a CPU offers no such choice: everything is computed in full precision, and the same call always gives the same
numbers. The settings can be set and read, without effect.
"""

from rushlight.core.lines import warn

__all__ = [
    "are_deterministic_algorithms_enabled",
    "get_deterministic_debug_mode",
    "get_float32_matmul_precision",
    "is_deterministic_algorithms_warn_only_enabled",
    "is_warn_always_enabled",
    "set_deterministic_debug_mode",
    "set_float32_matmul_precision",
    "set_flush_denormal",
    "set_warn_always",
    "use_deterministic_algorithms",
]

_warned: set[str] = set()  # messages that were already given
_warn_always = False
_deterministic = _warn_only = False
_precision = "highest"


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Requires deterministic operations; all operations of rushlight are deterministic anyway.

    >>> import rushlight as torch
    >>> torch.use_deterministic_algorithms(True)
    >>> torch.are_deterministic_algorithms_enabled()
    True
    >>> torch.use_deterministic_algorithms(False)
    """
    global _deterministic, _warn_only
    if not isinstance(mode, bool):
        given = type(mode).__name__
        raise TypeError(f"_set_deterministic_algorithms(): argument 'mode' (position 1) must be bool, not {given}")
    _deterministic, _warn_only = mode, warn_only


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """`use_deterministic_algorithms` by number or name: 0 "default", 1 "warn", 2 "error".

    >>> import rushlight as torch
    >>> torch.set_deterministic_debug_mode("warn")
    >>> torch.get_deterministic_debug_mode(), torch.is_deterministic_algorithms_warn_only_enabled()
    (1, True)
    >>> torch.set_deterministic_debug_mode(0)
    """
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    words = ("default", "warn", "error")
    if debug_mode not in (*words, 0, 1, 2):
        raise RuntimeError(
            f"invalid value of debug_mode, expected `default`, `warn`, `error`, 0, 1 or 2, but got {debug_mode}"
        )
    level = words.index(debug_mode) if isinstance(debug_mode, str) else debug_mode
    use_deterministic_algorithms(level > 0, warn_only=level == 1)


def get_deterministic_debug_mode() -> int:
    """The setting of `set_deterministic_debug_mode` or `use_deterministic_algorithms`, as a number.

    >>> import rushlight as torch
    >>> torch.get_deterministic_debug_mode()
    0
    """
    return 0 if not _deterministic else 1 if _warn_only else 2


def are_deterministic_algorithms_enabled() -> bool:
    """Whether `use_deterministic_algorithms` was called with True.

    >>> import rushlight as torch
    >>> torch.are_deterministic_algorithms_enabled()
    False
    """
    return _deterministic


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether `use_deterministic_algorithms` was called with `warn_only`.

    >>> import rushlight as torch
    >>> torch.is_deterministic_algorithms_warn_only_enabled()
    False
    """
    return _warn_only


def set_float32_matmul_precision(precision: str) -> None:
    """Allows matrix products of float32 to have lower precision: "high" or "medium" instead of "highest".

    Here they always have the highest precision. Any other word gets a warning, and changes nothing.

    >>> import rushlight as torch
    >>> torch.set_float32_matmul_precision("highest")
    >>> torch.get_float32_matmul_precision()
    'highest'
    """
    global _precision
    if precision not in ("highest", "high", "medium"):
        warn(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the current setFloat32MatmulPrecision call has "
            "no effect.",
        )
        return
    _precision = precision


def get_float32_matmul_precision() -> str:
    """The setting of `set_float32_matmul_precision`.

    >>> import rushlight as torch
    >>> torch.get_float32_matmul_precision()
    'highest'
    """
    return _precision


def set_flush_denormal(mode: bool) -> bool:
    """Asks for denormal numbers to be flushed to zero; returns whether that is supported: False.

    >>> import rushlight as torch
    >>> torch.set_flush_denormal(True)
    False
    """
    if not isinstance(mode, bool):
        raise TypeError(f"flush_denormal expects a bool, but got {type(mode).__name__}")
    return False


def set_warn_always(b: bool) -> None:
    """Makes warnings that are given once per program be given each time.

    >>> import rushlight as torch
    >>> torch.set_warn_always(True)
    >>> torch.is_warn_always_enabled()
    True
    >>> torch.set_warn_always(False)
    """
    global _warn_always
    if not isinstance(b, bool):
        raise TypeError(f"setWarnOnlyOnce expects a bool, but got {type(b).__name__}")
    _warn_always = b


def is_warn_always_enabled() -> bool:
    """Whether `set_warn_always` is on.

    >>> import rushlight as torch
    >>> torch.is_warn_always_enabled()
    False
    """
    return _warn_always


def warn_once(message: str) -> None:
    """Gives a warning, unless it was given before."""
    if _warn_always or message not in _warned:
        _warned.add(message)
        warn(message)
