"""Progress bars for long calls, shown in a terminal or notebook after a while."""

import sys
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from time import monotonic
from typing import Any

PATIENCE = 2.0  # seconds before a bar appears


def progress(steps: Any, what: str) -> Iterable[Any]:
    """Iterates over the steps of a call, a sequence or array, and shows a progress bar if they take long.

    The bar is labelled `what`. It is not shown in a pipe or a file, nor without tqdm, which is loaded when a bar is
    first shown.

    >>> from rushlight.progress import progress
    >>> list(progress([1, 2, 3], "rows"))
    [1, 2, 3]
    """
    return with_bar(steps, what) if len(steps) > 1 and is_watched() else steps


def is_watched() -> bool:
    """Whether standard error goes to a terminal or a notebook."""
    stream = sys.stderr
    return stream is not None and (stream.isatty() or type(stream).__module__.startswith("ipykernel"))


def with_bar(steps: Any, what: str) -> Iterator[Any]:
    """The steps, with a bar once they have taken longer than `PATIENCE`; it is removed at their end."""
    start = monotonic()
    for done, step in enumerate(steps):
        if monotonic() - start > PATIENCE and find_spec("tqdm") is not None:
            from tqdm import tqdm

            yield from tqdm(steps[done:], what, len(steps), leave=False, initial=done, file=sys.stderr)
            return
        yield step
