"""Contexts for `DTensor`."""

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["implicit_replication"]


@contextmanager
def implicit_replication() -> Iterator[None]:
    """A context in which a `DTensor` can be computed with together with ordinary tensors: it always can.

    Operations see the rows that this process holds.
    """
    yield
