"""Losses of scores that are sharded along the classes."""

from collections.abc import Iterator
from contextlib import contextmanager

from rushlight.distributed.tensor.calls import parallel_losses

__all__ = ["loss_parallel"]


@contextmanager
def loss_parallel() -> Iterator[None]:
    """A context in which `cross_entropy` accepts ordinary tensors as labels and class weights.

    Scores that are sharded along the classes are accepted outside too: they are gathered first.
    """
    before, parallel_losses[0] = parallel_losses[0], True
    try:
        yield
    finally:
        parallel_losses[0] = before
