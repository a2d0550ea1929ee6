"""Sharing inputs out among the GPUs of one process, and collecting results: a CPU is one device, which has it all."""

from typing import Any

__all__ = ["gather", "is_namedtuple", "scatter", "scatter_kwargs"]


def is_namedtuple(obj: Any) -> bool:
    """Whether a value is a named tuple."""
    return isinstance(obj, tuple) and hasattr(obj, "_asdict") and hasattr(obj, "_fields")


def scatter(inputs: Any, target_gpus: Any, dim: int = 0) -> list[Any]:
    """The inputs, all for one device."""
    return [inputs]


def scatter_kwargs(inputs: Any, kwargs: Any, target_gpus: Any, dim: int = 0) -> tuple[Any, ...]:
    """The inputs and keyword arguments, all for one device."""
    return (tuple(inputs or ()),), (dict(kwargs or {}),)


def gather(outputs: Any, target_device: Any, dim: int = 0) -> Any:
    """The results of several devices: there is one. RuntimeError for more."""
    if len(outputs) != 1:
        raise RuntimeError(f"rushlight computes on one device, so it gathers one result, not {len(outputs)}")
    return outputs[0]
