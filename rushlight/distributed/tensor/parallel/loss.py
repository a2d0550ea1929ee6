"""Losses of scores that are sharded along the classes."""

from collections.abc import Iterator
from contextlib import contextmanager

from rushlight.distributed.tensor.calls import parallel_losses

__all__ = ["loss_parallel"]


@contextmanager
def loss_parallel() -> Iterator[None]:
    """A context in which `cross_entropy` takes labels, and weights of classes, that are ordinary tensors.

    Scores that are cut along the classes it takes outside too: it brings them together first.
    """
    before, parallel_losses[0] = parallel_losses[0], True
    try:
        yield
    finally:
        parallel_losses[0] = before
