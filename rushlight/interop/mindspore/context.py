"""MindSpore's context: options for devices and compilation, and their meaning on a CPU in Python."""

from typing import Any

__all__ = ["GRAPH_MODE", "PYNATIVE_MODE", "get_context", "set_context", "set_device"]

GRAPH_MODE = 0
PYNATIVE_MODE = 1

CONTEXT: dict[str, Any] = {"mode": PYNATIVE_MODE, "device_target": "CPU", "device_id": 0}


def set_context(**kwargs: Any) -> None:
    """Sets options of the context.

    `mode`: PYNATIVE_MODE and GRAPH_MODE both run Python code directly; in the latter MindSpore compiles. The values are
    the same, and Python code that MindSpore's compiler refuses runs too. `device_target`: only "CPU". `device_id`: 0.

    ValueError for other values; NotImplementedError for other options, by name.

    >>> import rushlight.interop.mindspore as ms
    >>> ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
    >>> ms.get_context("mode")
    0
    """
    allowed = {"mode": (GRAPH_MODE, PYNATIVE_MODE), "device_target": ("CPU",), "device_id": (0,)}
    for key, value in kwargs.items():
        if key not in allowed:
            raise NotImplementedError(f"set_context: rushlight serves {', '.join(allowed)}, not {key!r}.")
        if value not in allowed[key]:
            raise ValueError(f"set_context: {key!r} must be one of {allowed[key]}, but got {value!r}.")
    CONTEXT.update(kwargs)


def get_context(attr_key: str) -> Any:
    """The value of an option of the context. ValueError for an unknown option."""
    if attr_key not in CONTEXT:
        raise ValueError(f"For 'context.get_context', the argument {attr_key} is not one of {', '.join(CONTEXT)}.")
    return CONTEXT[attr_key]


def set_device(device_target: str, device_id: int = 0) -> None:
    """Sets the device: only "CPU"."""
    set_context(device_target=device_target, device_id=device_id)
