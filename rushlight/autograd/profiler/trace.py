"""Traces in Chrome's format (JSON), which https://ui.perfetto.dev and chrome://tracing open.

Each thread has its own line; an arrow leads from an operator to its backward. The format:
https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
"""

import gzip
import json
import os
import socket
import sys
from collections.abc import Iterator
from typing import Any

EVALUATE = "autograd::engine::evaluate_function: "
OPERATOR, BACKWARD = 0, 1  # scopes


def of_events(events: Any, begin: int = 0, metadata: dict[Any, Any] | None = None) -> dict[Any, Any]:
    """The trace of a list of events; `begin` is the start of the recording, in nanoseconds since 1970."""
    entries = [*names(events), *(slice_of(event) for event in events if event.trace_name), *arrows(events)]
    head = {
        "schemaVersion": 1,
        "host_name": socket.gethostname(),
        "displayTimeUnit": "ms",
        "baseTimeNanoseconds": begin,
    }
    return head | (metadata or {}) | {"traceEvents": entries}


def names(events: Any) -> Iterator[Any]:
    """The entries that name the process and its threads, in the order of their first events."""
    process = os.getpid()
    yield naming_entry("process_name", process, 0, name=os.path.basename(sys.executable))
    yield naming_entry("process_labels", process, 0, labels="CPU")
    for place, thread in enumerate(dict.fromkeys(event.thread for event in events)):
        yield naming_entry("thread_name", process, thread, name=f"thread {thread}")
        yield naming_entry("thread_sort_index", process, thread, sort_index=place)


def naming_entry(what: str, process: int, thread: int, **args: Any) -> dict[Any, Any]:
    """An entry that names or sorts a process or thread."""
    return {"ph": "M", "name": what, "pid": process, "tid": thread, "ts": 0, "args": args}


def slice_of(event: Any) -> dict[Any, Any]:
    """The entry of an event."""
    args = {"External id": event.id}
    if event.sequence_nr >= 0:
        args |= {"Sequence number": event.sequence_nr, "Fwd thread id": event.fwd_thread or 0}
    if event.input_shapes:
        args["Input Dims"] = event.input_shapes
    if event.stack:
        args["Call stack"] = ";".join(reversed(event.stack))
    if event.flops:
        args["FLOPs"] = event.flops
    if event.cpu_memory_usage:
        args["Bytes"] = event.cpu_memory_usage
    return time_and_thread(event) | {
        "ph": "X",
        "cat": "user_annotation" if event.is_user_annotation else "cpu_op",
        "name": event.trace_name,
        "dur": round(event.time_range.elapsed_us(), 3),
        "args": args,
    }


def time_and_thread(event: Any) -> dict[Any, Any]:
    """The start time and the thread of an event."""
    return {"pid": os.getpid(), "tid": event.thread, "ts": event.time_range.start}


def arrows(events: Any) -> Iterator[Any]:
    """The entries of the arrows from operators to their backward: a start and an end each."""
    forward = {event.sequence_nr: event for event in events if event.scope == OPERATOR and is_operator(event)}
    for event in events:
        source = forward.get(event.sequence_nr) if event.scope == BACKWARD else None
        if source is not None:
            shared = {"id": event.id, "cat": "fwdbwd", "name": "fwdbwd"}
            yield time_and_thread(source) | shared | {"ph": "s"}
            yield time_and_thread(event) | shared | {"ph": "f", "bp": "e"}


def is_operator(event: Any) -> bool:
    """Whether an event is an operator's call that was recorded."""
    return event.sequence_nr >= 0 and not event.name.startswith(EVALUATE)


def write(path: str, trace: dict[Any, Any]) -> None:
    """Writes a trace to a file, compressed where its name ends in .gz."""
    with gzip.open(path, "wt") if str(path).endswith(".gz") else open(path, "w") as file:
        json.dump(trace, file)
