"""The memory of result arrays: when each was allocated and freed, by which thread."""

from collections.abc import Callable, Iterator
from threading import get_native_id
from time import perf_counter_ns
from typing import Any, NamedTuple
from weakref import ref

import numpy as np

from rushlight.autograd.profiler.names import array_of


class Change(NamedTuple):
    """Bytes that were allocated at a time, or freed: then they are negative."""

    time: int
    thread: int
    size: int


class Ledger:
    """The changes of memory while a profiler looks on."""

    open: bool

    def __init__(self):
        self.changes: list[Change] = []
        self.known: dict[int, ref[Any]] = {}
        self.open = True

    def allocated(self, results: Any, sources: Any = ()) -> None:
        """Notes the arrays among some results that have memory of their own, not that of a source."""
        owners = {id(owner(source)) for source in values_within(sources)}
        for result in values_within(results):
            array = owner(result)
            if array is not None and id(array) not in owners and id(array) not in self.known:
                self.known[id(array)] = ref(array, self.freed(id(array), array.nbytes))
                self.note(array.nbytes)

    def freed(self, key: int, size: int) -> Callable[..., Any]:
        """What to call when an array is freed."""

        def note(_):
            if self.open:
                del self.known[key]
                self.note(-size)

        return note

    def note(self, size: int) -> None:
        """Notes a change here and now."""
        self.changes.append(Change(perf_counter_ns(), get_native_id(), size))

    def close(self) -> None:
        """Ends the notes: what is freed from now on does not count."""
        self.open = False
        self.known.clear()


def values_within(values: Any) -> Iterator[Any]:
    """The values, with those of lists and tuples among them."""
    for value in values if isinstance(values, (list, tuple)) else (values,):
        if isinstance(value, (list, tuple)):
            yield from values_within(value)
        else:
            yield value


def owner(value: Any) -> np.ndarray | None:
    """The array that owns the memory of a tensor or array; None for what has none, or memory from elsewhere."""
    array = array_of(value)
    array = getattr(array, "array", array)  # of a batched array
    while isinstance(array, np.ndarray) and isinstance(array.base, np.ndarray):
        array = array.base
    return array if isinstance(array, np.ndarray) and array.base is None else None
