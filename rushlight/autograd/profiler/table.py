"""The table of events, formatted exactly as PyTorch's."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rushlight.autograd.profiler.units import in_unit, readable_memory, readable_share, readable_time, scale_of_flops

WIDTH = 12  # of columns of numbers
GAP = "  "  # after each column


class Column:
    """A column: its header, the text of a cell, its width, and its alignment.

    `more` gives the texts of additional lines of an event.
    """

    def __init__(
        self,
        head: str,
        cell: Callable[..., Any],
        width: int = WIDTH,
        side: str = ">",
        more: Callable[..., Any] | None = None,
    ):
        self.head = head
        self.cell = cell
        self.width = width
        self.side = side
        self.more = more

    def fill(self, text: int | str) -> str:
        """A text padded to the column's width."""
        return f"{text:{self.side}{self.width}}{GAP}"


def table(
    events: Any,
    sort_by: str | None,
    row_limit: int,
    widths: Any,
    header: Any,
    top_level_only: bool,
    *,
    memory: bool,
    flops: bool,
    time_unit: Any,
) -> str:
    """The table for a list of events; "" for an empty list. See `EventList.table` for the options."""
    if not events:
        return ""
    if sort_by is not None:
        key = sort_by.replace("cuda", "device").replace("xpu", "device").replace("privateuse1", "device")
        events = sorted(events, key=lambda event: getattr(event, key), reverse=True)
    total = sum(event.self_cpu_time_total for event in events)
    columns = columns_of(events, widths, total, memory, flops, time_unit)
    rule = "".join("-" * column.width + GAP for column in columns)
    double = "=" * (len(rule) - len(GAP))
    lines = [] if header is None else [double, header]
    if top_level_only:
        lines += [double, "This report only display top-level ops statistics"]
    lines += [rule, row(columns, lambda column: column.head), rule]
    shown = [event for event in events if not (top_level_only and event.cpu_parent is not None)]
    for event in shown if row_limit < 0 else shown[:row_limit]:
        lines += rows_of(columns, event)
    lines += [rule, f"Self CPU time total: {time_text(total, time_unit)}"]
    return "\n".join(lines) + "\n"


def columns_of(
    events: Any, widths: Sequence[int], total: float, memory: bool, flops: bool, time_unit: Any
) -> list[Column]:
    """The columns for which the events have values."""
    lines_width, name_width, shapes_width = widths
    widest = fitted(max(len(event.key) for event in events) + 4, name_width)
    columns = [Column("Name", lambda event: shortened(event.key, name_width), widest)]
    columns += time_columns(total, time_unit)
    if memory:
        columns.append(Column("CPU Mem", lambda event: readable_memory(event.cpu_memory_usage)))
        columns.append(Column("Self CPU Mem", lambda event: readable_memory(event.self_cpu_memory_usage)))
    columns.append(Column("# of Calls", lambda event: event.count))
    if any(event.input_shapes for event in events):
        width = fitted(max(len(str(event.input_shapes)) for event in events) + 4, shapes_width)
        columns.append(Column("Input Shapes", lambda event: str(event.input_shapes)[:width], width))
    lines = [line for event in events for line in event.stack]
    if lines:
        columns.append(source_column(fitted(max(map(len, lines)) + 4, lines_width)))
    counted = [event.flops for event in events if event.flops > 0]
    if flops and counted:
        scale, unit = scale_of_flops(min(counted))
        columns.append(Column(f"Total {unit}", lambda event: f"{event.flops * scale:8.3f}" if event.flops else "--"))
    return columns


def time_columns(total: float, time_unit: Any) -> list[Column]:
    """The columns of times, and of their percentages of a total."""
    return [
        Column("Self CPU %", lambda event: readable_share(event.self_cpu_time_total, total)),
        Column("Self CPU", lambda event: time_text(event.self_cpu_time_total, time_unit)),
        Column("CPU total %", lambda event: 0 if event.is_async else readable_share(event.cpu_time_total, total)),
        Column("CPU total", lambda event: time_text(event.cpu_time_total, time_unit)),
        Column("CPU time avg", lambda event: time_text(event.cpu_time, time_unit)),
    ]


def source_column(width: int) -> Column:
    """The column of the stack: one line below the other, then a blank one."""

    def line(event: Any, place: int) -> str:
        return clipped(event.stack[place], width) if place < len(event.stack) else ""

    def more(event: Any) -> list[str]:
        return [line(event, place) for place in range(1, max(len(event.stack), 1) + 1)]

    return Column("Source Location", lambda event: line(event, 0), width, "<", more)


def rows_of(columns: Sequence[Column], event: Any) -> Iterator[Any]:
    """The lines of the table for an event."""
    yield row(columns, lambda column: column.cell(event))
    for place, column in enumerate(columns):
        for text in column.more(event) if column.more else ():
            yield "".join(other.fill(text if i == place else "") for i, other in enumerate(columns))


def row(columns: Sequence[Column], text: Callable[..., Any]) -> str:
    """A line of the table: a text for each column."""
    return "".join(column.fill(text(column)) for column in columns)


def time_text(time: float, unit: Any) -> str:
    """A time in the given unit, else in a suitable one."""
    return in_unit(time, unit) if unit in ("s", "ms", "us") else readable_time(time)


def fitted(width: int, limit: int) -> int:
    """A width, bounded by a limit if there is one."""
    return width if limit is None else min(width, limit)


def shortened(name: str, limit: int) -> str:
    """A name shortened at its end."""
    return name if limit is None or len(name) < limit - 3 else name[: limit - 3] + "..."


def clipped(line: str, width: int) -> str:
    """A line shortened at its beginning."""
    return line if len(line) <= width else "..." + line[len(line) - width + 3 :]
