"""Marks for NVIDIA's profilers, which need a CUDA device: there is none."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from rushlight.cuda.without import ADVICE

__all__ = ["mark", "range", "range_end", "range_pop", "range_push", "range_start"]


def mark(msg: str) -> NoReturn:
    """Raises RuntimeError: NVTX is not available. `torch.profiler.record_function` names regions instead."""
    raise RuntimeError(f"NVTX functions not installed. Are you sure you have a CUDA build? {ADVICE}")


def range_push(msg: str) -> NoReturn:
    """Raises RuntimeError, as `mark`."""
    mark(msg)


def range_pop() -> NoReturn:
    """Raises RuntimeError, as `mark`."""
    mark("")


def range_start(msg: str) -> NoReturn:
    """Raises RuntimeError, as `mark`."""
    mark(msg)


def range_end(range_id: int) -> NoReturn:
    """Raises RuntimeError, as `mark`."""
    mark("")


@contextmanager
def range(msg: str, *args: Any, **kwargs: Any) -> Iterator[None]:
    """A context that raises RuntimeError, as `mark`."""
    mark(msg)
    yield
