"""Turns what was recorded into events."""

from bisect import bisect_left, bisect_right
from typing import Any

from rushlight.autograd.profiler.event_list import EventList
from rushlight.autograd.profiler.events import FunctionEvent
from rushlight.autograd.profiler.recording import BACKWARD, EVALUATE, USER, Recording

STEP = "ProfilerStep#"
MEMORY = "[memory]"


def events_of(recording: Recording, with_flops: bool = False) -> EventList:
    """The events of a recording, sorted by start time and nested."""
    forward = threads_of_nodes(recording.records)
    changes = Changes(recording.ledger.changes if recording.ledger else [])
    events = [event_of(record, i + 1, recording.begin, forward, changes) for i, record in enumerate(recording.records)]
    events += [memory_event(change, len(events) + i + 1, recording.begin) for i, change in enumerate(changes.rest())]
    events.sort(key=lambda event: (event.time_range.start, -event.time_range.end))
    result = EventList(events, profile_memory=recording.ledger is not None, with_flops=with_flops)
    result._build_tree()
    return result


def threads_of_nodes(records: Any) -> dict[int, int]:
    """The thread in which each node was recorded, by the node's number."""
    threads: dict[int, int] = {}
    for record in records:
        if record.sequence >= 0 and record.scope != BACKWARD and not record.name.startswith(EVALUATE):
            threads.setdefault(record.sequence, record.thread)
    return threads


def event_of(record: Any, number: int, begin: int, forward: Any, changes: "Changes") -> FunctionEvent:
    """The event for a record."""
    return FunctionEvent(
        number,
        STEP[:-1] + "*" if record.name.startswith(STEP) else record.name,
        record.thread,
        (record.start - begin) / 1000,
        (record.end - begin) / 1000,
        fwd_thread=forward.get(record.sequence, 0) if record.scope == BACKWARD else 0,
        input_shapes=record.shapes,
        stack=record.stack,
        scope=record.scope,
        cpu_memory_usage=changes.within(record),
        is_async=record.end_thread != record.thread,
        sequence_nr=record.sequence,
        flops=record.flops,
        trace_name=record.name,
        is_user_annotation=record.scope == USER,
    )


def memory_event(change: Any, number: int, begin: int) -> FunctionEvent:
    """The event for memory that was freed outside all other events."""
    time = (change.time - begin) / 1000
    return FunctionEvent(number, MEMORY, change.thread, time, time, fwd_thread=0, cpu_memory_usage=change.size)


class Changes:
    """Memory changes, by thread and time."""

    def __init__(self, changes: Any):
        self.by_thread: dict[int, list[Any]] = {}
        for change in sorted(changes):
            self.by_thread.setdefault(change.thread, []).append(change)
        self.outside: set[Any] = set(changes)

    def within(self, record: Any) -> int:
        """The memory that a record's thread allocated and did not free during the record."""
        changes = self.by_thread.get(record.thread, [])
        first = bisect_left(changes, record.start, key=lambda change: change.time)
        last = bisect_right(changes, record.end, key=lambda change: change.time)
        self.outside.difference_update(changes[first:last])
        return sum(change.size for change in changes[first:last])

    def rest(self) -> list[Any]:
        """The changes that were in no record."""
        return sorted(self.outside)
