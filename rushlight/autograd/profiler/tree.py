"""Nests events by their times."""

from itertools import groupby
from typing import Any

BACKWARD = 1  # the scope of derivatives


def build(events: list[Any]) -> None:
    """Sets the parents and children of events, and gives backward events the stack of their forward operator."""
    nest([event for event in events if not event.is_async])
    lift_repeated(events)
    borrow_stacks(events)


def nest(events: list[Any]) -> None:
    """Makes each event a child of the innermost event of its thread that contains it."""
    by_thread = sorted(events, key=lambda event: event.thread)
    for _, group in groupby(by_thread, key=lambda event: event.thread):
        around: list[Any] = []
        for event in sorted(group, key=lambda event: (event.time_range.start, -event.time_range.end)):
            while around and not lies_within(event.time_range, around[-1].time_range):
                around.pop()
            if around:
                event.cpu_parent = around[-1]
                event.cpu_parent.cpu_children.append(event)
            around.append(event)


def lies_within(inner: Any, outer: Any) -> bool:
    """Whether a span is within another."""
    return inner.start < outer.end and inner.end <= outer.end


def lift_repeated(events: Any) -> None:
    """Removes events that are the only child of an event of the same name: the two are one."""
    kept = []
    for event in events:
        parent = event.cpu_parent
        if parent is not None and parent.name == event.name and len(parent.cpu_children) == 1:
            parent.cpu_children = event.cpu_children
            for child in event.cpu_children:
                child.cpu_parent = parent
        else:
            kept.append(event)
    events[:] = kept


def borrow_stacks(events: list[Any]) -> None:
    """Gives backward events the stack of their forward operator: that of the backward pass says nothing."""
    forward: dict[Any, list[str]] = {}
    for event in events:
        if derivative_around(event) is None and event.stack:
            forward.setdefault((event.sequence_nr, event.thread), event.stack)
    for event in events:
        derivative = derivative_around(event)
        if derivative is not None:
            event.stack = forward.get((derivative.sequence_nr, derivative.fwd_thread), [])


def derivative_around(event: Any) -> Any:
    """The backward event that an event is or belongs to, or None."""
    while event is not None and event.scope != BACKWARD:
        event = event.cpu_parent
    return event
