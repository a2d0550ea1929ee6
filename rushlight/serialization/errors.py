"""The exception for files that cannot be loaded."""

import errno
import pickle
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["LoadError"]


class LoadError(pickle.UnpicklingError, RuntimeError, EOFError):
    """`load` raises it for every file that is damaged, truncated, of another format, or not safe to load.

    It inherits from all exceptions that PyTorch raises in these cases, so that programs may catch those.

    >>> import io, rushlight as torch
    >>> torch.load(io.BytesIO(b"no such file"))
    Traceback (most recent call last):
        ...
    rushlight.serialization.errors.LoadError: Weights only load failed. This is not a file that torch.save has written.
    """


@contextmanager
def as_damage(what: str) -> Iterator[None]:
    """Turns any exception while a file is read into the error that the file is damaged.

    Errors of the operating system (the file cannot be read, memory is exhausted) are not changed.
    """
    try:
        yield
    except (LoadError, MemoryError):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise
        raise LoadError(f"The file is damaged: {what} ({type(error).__name__}: {error}).") from error


def check_claim(valid: bool, problem: str) -> None:
    """Raises the error that the file is damaged if a claim in it is not valid."""
    if not valid:
        raise LoadError(f"The file is damaged: {problem}.")
