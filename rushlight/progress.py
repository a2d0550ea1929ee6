"""How far a long call has come: a bar where somebody watches, a terminal or a notebook, once it has taken a while."""

import sys
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from time import monotonic
from typing import Any

PATIENCE = 2.0  # seconds of work before a bar appears


def progress(steps: Any, what: str) -> Iterable[Any]:
    """The steps of a call, a sequence or an array, one by one; a bar shows how many are done where they take long.

    The bar says `what` they are. There is none in a pipe or a file, nor without tqdm, which is loaded when a bar is
    first shown.

    >>> from rushlight.progress import progress
    >>> list(progress([1, 2, 3], "rows"))
    [1, 2, 3]
    """
    return with_bar(steps, what) if len(steps) > 1 and is_watched() else steps


def is_watched() -> bool:
    """Whether what is written to the standard error is seen at once: by a terminal, or a notebook."""
    stream = sys.stderr
    return stream is not None and (stream.isatty() or type(stream).__module__.startswith("ipykernel"))


def with_bar(steps: Any, what: str) -> Iterator[Any]:
    """The steps, with a bar once they have taken longer than `PATIENCE`; it goes away when they end."""
    start = monotonic()
    for done, step in enumerate(steps):
        if monotonic() - start > PATIENCE and find_spec("tqdm") is not None:
            from tqdm import tqdm

            yield from tqdm(steps[done:], what, len(steps), leave=False, initial=done, file=sys.stderr)
            return
        yield step
