"""Streams and events of the CPU, which computes in order: whatever a program waits for is over already."""

from typing import Any

__all__ = ["Event", "Stream", "StreamContext", "current_stream", "stream"]


class Stream:
    """A queue of work. `priority` makes no difference, as there is only one queue."""

    def __init__(self, priority: int = -1) -> None:
        self.priority = priority

    def wait_stream(self, stream: Any) -> None:
        """Returns at once."""

    def record_event(self) -> None:
        """Returns at once."""

    def wait_event(self, event: Any) -> None:
        """Returns at once."""


class Event:
    """A marker in a stream, which is reached as soon as it is recorded.

    >>> import rushlight as torch
    >>> torch.cpu.Event().query()
    True
    """

    def query(self) -> bool:
        """Whether what was recorded is over: True."""
        return True

    def record(self, stream: Any = None) -> None:
        """Returns at once."""

    def synchronize(self) -> None:
        """Returns at once."""

    def wait(self, stream: Any = None) -> None:
        """Returns at once."""


_current = Stream()


def current_stream(device: Any = None) -> Stream:
    """The selected stream."""
    return _current


class StreamContext:
    """A context that selects a stream; for None it changes nothing."""

    before: Stream

    def __init__(self, stream: Stream | None) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        global _current
        self.before = _current
        _current = self.stream or _current

    def __exit__(self, *exception: object) -> None:
        global _current
        _current = self.before


def stream(stream: Stream | None) -> StreamContext:
    """A context that selects a stream.

    >>> import rushlight as torch
    >>> mine = torch.cpu.Stream()
    >>> with torch.cpu.stream(mine):
    ...     torch.cpu.current_stream() is mine
    True
    """
    return StreamContext(stream)
