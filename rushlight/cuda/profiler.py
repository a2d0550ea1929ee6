"""Starting and stopping NVIDIA's profilers, which need a CUDA device: there is none."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from rushlight.cuda.without import not_compiled

__all__ = ["profile", "start", "stop"]


def start() -> NoReturn:
    """Raises AssertionError: there is no device. `torch.profiler` profiles rushlight."""
    not_compiled()


def stop() -> NoReturn:
    """Raises AssertionError, as `start`."""
    not_compiled()


@contextmanager
def profile() -> Iterator[None]:
    """A context that raises AssertionError, as `start`."""
    start()
    yield
