"""Comparing tensors in tests, and making random ones, as `torch.testing`."""

from typing import NoReturn

from rushlight.absent.misses import no_such_name as _no_such_name
from rushlight.testing.comparison import *
from rushlight.testing.making import *


def __getattr__(name: str) -> NoReturn:
    """Raises AttributeError with the reason why there is no such name, or similar names."""
    raise _no_such_name("rushlight.testing", name)
