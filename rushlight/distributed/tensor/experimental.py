"""Contexts for `DTensor`."""

from collections.abc import Iterator
from contextlib import contextmanager

from rushlight.distributed.tensor.calls import implicit_replication as _implicit

__all__ = ["implicit_replication"]


@contextmanager
def implicit_replication() -> Iterator[None]:
    """A context in which ordinary tensors beside DTensors count as replicated."""
    before, _implicit[0] = _implicit[0], True
    try:
        yield
    finally:
        _implicit[0] = before
