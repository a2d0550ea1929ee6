"""The memory of result arrays: when each was allocated and freed, by which thread."""

from collections.abc import Callable, Iterator
from threading import get_native_id
from time import perf_counter_ns
from typing import Any, NamedTuple
from weakref import ref

import numpy as np

from rushlight.autograd.profiler.names import array_of


class Change(NamedTuple):
    """Bytes allocated at a time; negative if they were freed."""

    time: int
    thread: int
    size: int


class Ledger:
    """The memory changes recorded while a profiler is on."""

    open: bool

    def __init__(self) -> None:
        self.changes: list[Change] = []
        self.known: dict[int, ref[Any]] = {}
        self.open = True

    def allocated(self, results: Any, sources: Any = ()) -> None:
        """Records the results' arrays that own memory which is not a source's."""
        owners = {id(owner(source)) for source in values_within(sources)}
        for result in values_within(results):
            array = owner(result)
            if array is not None and id(array) not in owners and id(array) not in self.known:
                self.known[id(array)] = ref(array, self.freed(id(array), array.nbytes))
                self.note(array.nbytes)

    def freed(self, key: int, size: int) -> Callable[..., Any]:
        """The function to call when an array is freed."""

        def note(_: ref[Any]) -> None:
            if self.open:
                del self.known[key]
                self.note(-size)

        return note

    def note(self, size: int) -> None:
        """Records a change now."""
        self.changes.append(Change(perf_counter_ns(), get_native_id(), size))

    def close(self) -> None:
        """Stops recording: what is freed later does not count."""
        self.open = False
        self.known.clear()


def values_within(values: Any) -> Iterator[Any]:
    """Yields the values, also those in lists and tuples."""
    for value in values if isinstance(values, (list, tuple)) else (values,):
        if isinstance(value, (list, tuple)):
            yield from values_within(value)
        else:
            yield value


def owner(value: Any) -> np.ndarray | None:
    """The array that owns the memory of a tensor or array; None if it has none, or if the memory is not NumPy's."""
    array = array_of(value)
    array = getattr(array, "array", array)  # of a batched array
    while isinstance(array, np.ndarray) and isinstance(array.base, np.ndarray):
        array = array.base
    return array if isinstance(array, np.ndarray) and array.base is None else None
