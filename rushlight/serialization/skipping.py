"""`skip_data`: files of the right size without the values of tensors, which another program fills in."""

import threading
from typing import Any


class State(threading.local):
    """Whether this thread skips values."""

    skips = False


STATE = State()


def skips_data() -> bool:
    """Whether `save` and `load` leave out the values of tensors."""
    return STATE.skips


class skip_data:
    """Inside a `with` block `save` writes zeros in place of the values of tensors, and `load` does not read them.

    Everything else is written and read: shapes, dtypes, memory that tensors share, numbers and text. So a file can be
    laid out first and its values written later, or a checkpoint inspected without reading all of it. It is a setting of
    the thread. `materialize_fake_tensors` has no effect: there are no fake tensors.

    RuntimeError from `save` in the format of PyTorch before 1.6.

    >>> import io, rushlight as torch
    >>> file = io.BytesIO()
    >>> torch.save(torch.ones(2), file)
    >>> with torch.serialization.skip_data():
    ...     torch.load(io.BytesIO(file.getvalue()))
    tensor([0., 0.])
    """

    def __init__(self, materialize_fake_tensors: bool = False):
        self.materialize_fake_tensors = materialize_fake_tensors

    def __enter__(self) -> None:
        self.before: bool = STATE.skips
        STATE.skips = True

    def __exit__(self, *error: Any) -> None:
        STATE.skips = self.before
