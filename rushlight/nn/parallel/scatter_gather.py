"""PyTorch's functions to distribute inputs over GPUs and gather results; on the CPU, everything is on one device."""

from typing import Any

__all__ = ["gather", "is_namedtuple", "scatter", "scatter_kwargs"]


def is_namedtuple(obj: Any) -> bool:
    """Whether a value is a named tuple."""
    return isinstance(obj, tuple) and hasattr(obj, "_asdict") and hasattr(obj, "_fields")


def scatter(inputs: Any, target_gpus: Any, dim: int = 0) -> list[Any]:
    """The inputs as a list for the one device."""
    return [inputs]


def scatter_kwargs(inputs: Any, kwargs: Any, target_gpus: Any, dim: int = 0) -> tuple[Any, ...]:
    """The inputs and keyword arguments as lists for the one device."""
    return (tuple(inputs or ()),), (dict(kwargs or {}),)


def gather(outputs: Any, target_device: Any, dim: int = 0) -> Any:
    """The result of the one device. RuntimeError for several results."""
    if len(outputs) != 1:
        raise RuntimeError(f"rushlight computes on one device, so it gathers one result, not {len(outputs)}")
    return outputs[0]
