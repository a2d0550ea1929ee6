"""The one error of files that cannot be loaded."""

import errno
import pickle
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["LoadError"]


class LoadError(pickle.UnpicklingError, RuntimeError, EOFError):
    """What `load` raises for every file that is damaged, cut short, of another format, or not safe to load.

    It is all that PyTorch raises in these cases, so that programs may catch it by the names they know.

    >>> import io, rushlight as torch
    >>> torch.load(io.BytesIO(b"no such file"))
    Traceback (most recent call last):
        ...
    rushlight.serialization.errors.LoadError: Weights only load failed. This is not a file that torch.save has written.
    """


@contextmanager
def as_damage(what: str) -> Iterator[None]:
    """Turns whatever goes wrong while a file is read into the error that the file is damaged.

    What the system says of the file (that it cannot be read, that memory is lacking) stays as it is.
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
    """Raises the error that the file is damaged unless what it claims is valid."""
    if not valid:
        raise LoadError(f"The file is damaged: {problem}.")
