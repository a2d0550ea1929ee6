"""When NVIDIA's profilers look at CUDA devices, of which there are none."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from rushlight.cuda.without import not_compiled

__all__ = ["profile", "start", "stop"]


def start() -> NoReturn:
    """Raises AssertionError: there is no device. `torch.profiler` looks at what happens here."""
    not_compiled()


def stop() -> NoReturn:
    """Raises AssertionError, as `start`."""
    not_compiled()


@contextmanager
def profile() -> Iterator[None]:
    """A context that raises AssertionError, as `start`."""
    start()
    yield
