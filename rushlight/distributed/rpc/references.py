"""Values that this worker holds for others, each as long as a reference to it is left in any worker.

Every `RRef` object has a mark of its own, of which the owner is told twice: by its maker before it is sent
on, and by its holder at the end. Which of the two comes first does not matter: the first notes the mark, the second
strikes it out, and a value without marks is let go. Whoever passes a reference on still has its own mark then, so
there is always one until the last has ended.
"""

from collections import deque
from itertools import count
from typing import Any, NamedTuple

from rushlight.core.locks import lock
from rushlight.futures import Future

__all__ = ["Mark", "References"]


class Mark(NamedTuple):
    """A number that no other worker gives: who gave it, and how many that worker had given before."""

    created_on: int
    local_id: int

    def __repr__(self) -> str:
        return f"GloballyUniqueId(created_on={self.created_on}, local_id={self.local_id})"


class Held:
    """A value, once it is there, and the marks of those who refer to it."""

    def __init__(self) -> None:
        self.value: Future[Any] = Future()
        self.marks: set[Mark] = set()


class References:
    """The values that a worker holds."""

    def __init__(self, worker: int):
        self.worker = worker
        self.numbers = count()
        self.held: dict[Mark, Held] = {}
        self.ended: deque[tuple[int, Mark, Mark]] = deque()  # objects that are no more: owner, value, mark
        self.lock = lock()

    def mark(self) -> Mark:
        """A new mark."""
        return Mark(self.worker, next(self.numbers))

    def find(self, number: Mark) -> Held:
        """The value with a number, which may be on its way."""
        with self.lock:
            return self.held.setdefault(number, Held())

    def told(self, number: Mark, mark: Mark) -> Held | None:
        """Notes a mark, or strikes it out; gives what is let go with it."""
        with self.lock:
            held = self.held.setdefault(number, Held())
            held.marks ^= {mark}
            return None if held.marks else self.held.pop(number)
