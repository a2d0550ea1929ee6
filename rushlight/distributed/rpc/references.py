"""Distributed reference counting: a worker holds a value as long as any worker has a reference to it.

Every `RRef` object has its own mark, which the owner hears of twice: from the object's maker before it is sent, and
from its holder when it is deleted. The order does not matter: the first time the mark is recorded, the second time
removed, and a value without marks is dropped. A worker that passes a reference on still has its own mark then, so there
is always at least one until the last reference is gone.
"""

from collections import deque
from itertools import count
from typing import Any, NamedTuple

from rushlight.core.locks import lock
from rushlight.futures import Future

__all__ = ["Mark", "References"]


class Mark(NamedTuple):
    """A unique number: the worker that issued it, and a count in that worker."""

    created_on: int
    local_id: int

    def __repr__(self) -> str:
        return f"GloballyUniqueId(created_on={self.created_on}, local_id={self.local_id})"


class Held:
    """A value, once it exists, and the marks of references to it."""

    def __init__(self) -> None:
        self.value: Future[Any] = Future()
        self.marks: set[Mark] = set()


class References:
    """The values that a worker holds."""

    def __init__(self, worker: int):
        self.worker = worker
        self.numbers = count()
        self.held: dict[Mark, Held] = {}
        self.ended: deque[tuple[int, Mark, Mark]] = deque()  # deleted references: owner, value, mark
        self.lock: Any = lock()

    def mark(self) -> Mark:
        """A new mark."""
        return Mark(self.worker, next(self.numbers))

    def find(self, number: Mark) -> Held:
        """The value of a number, which may not exist yet."""
        with self.lock:
            return self.held.setdefault(number, Held())

    def told(self, number: Mark, mark: Mark) -> Held | None:
        """Records a mark, or removes it; returns the value that is dropped with it, if any."""
        with self.lock:
            held = self.held.setdefault(number, Held())
            held.marks ^= {mark}
            return None if held.marks else self.held.pop(number)
