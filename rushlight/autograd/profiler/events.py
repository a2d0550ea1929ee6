"""A profiler's event, and the average of all events of a name."""

from enum import Enum
from typing import Any

from rushlight.autograd.profiler.units import readable_time
from rushlight.core.lines import warn


class DeviceType(Enum):
    """The device of an event: in rushlight always the CPU.

    >>> import rushlight as torch
    >>> torch.profiler.DeviceType.CPU
    <DeviceType.CPU: 0>
    """

    CPU = 0


class Interval:
    """A span of time in microseconds since the start of the recording."""

    def __init__(self, start: float, end: float):
        self.start = start
        self.end = end

    def __repr__(self) -> str:
        return f"Interval({self.start}, {self.end})"

    def elapsed_us(self) -> float:
        """The length of the span."""
        return self.end - self.start


def formatted(name: str) -> Any:
    """A property: a time with its unit."""
    return property(lambda self: readable_time(getattr(self, name)), doc=f"`{name}` with its unit.")


def deprecated(name: str) -> Any:
    """A property with a deprecated name: warns with PyTorch's new name."""
    new = name.replace("cuda", "device")

    def get(self: Any) -> Any:
        warn(f"`{name}` is deprecated. Use `{new}` instead.", FutureWarning)
        return getattr(self, new)

    return property(get, doc=f"The old name of `{new}`.")


class Measured:
    """What events and averages have in common; device times are 0, as there is only the CPU."""

    cpu_time_total: float
    self_cpu_time_total: float
    count: int
    device_time_total = self_device_time_total = 0
    device_memory_usage = self_device_memory_usage = 0
    use_device = None
    is_remote = False
    is_legacy = False
    overload_name = ""
    node_id = -1
    device_type = DeviceType.CPU
    cpu_time_str: Any = formatted("cpu_time")
    cpu_time_total_str: Any = formatted("cpu_time_total")
    self_cpu_time_total_str: Any = formatted("self_cpu_time_total")
    device_time_str: Any = formatted("device_time")
    device_time_total_str: Any = formatted("device_time_total")
    self_device_time_total_str: Any = formatted("self_device_time_total")
    cuda_time: Any = deprecated("cuda_time")
    cuda_time_total: Any = deprecated("cuda_time_total")
    self_cuda_time_total: Any = deprecated("self_cuda_time_total")
    self_cuda_memory_usage: Any = deprecated("self_cuda_memory_usage")

    @property
    def cpu_time(self) -> float:
        """The average time of a call, in microseconds."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def device_time(self) -> float:
        """The average time of a call on a device: 0."""
        return 0.0


class FunctionEvent(Measured):
    """One event: an operator's call, a node's backward, a named region.

    Times are in microseconds. `thread` is the thread that it ran in, `fwd_thread` the thread of the forward operator if
    this is its backward; `sequence_nr` is the number of the node that it recorded or runs. `cpu_children` are the
    events directly within it, `cpu_parent` is the one around it. `input_shapes`, `stack`, `cpu_memory_usage` and
    `flops` are set if the profiler was asked for them. An event that ends in another thread than it began in
    `is_async`, and is not nested.
    """

    count = 1

    def __init__(
        self,
        id: int,
        name: str,
        thread: int,
        start_us: float,
        end_us: float,
        *,
        fwd_thread: int | None = None,
        input_shapes: Any = (),
        stack: Any = (),
        scope: int = 0,
        cpu_memory_usage: int = 0,
        is_async: bool = False,
        sequence_nr: int = -1,
        flops: int = 0,
        trace_name: str | None = None,
        is_user_annotation: bool = False,
    ):
        self.id: int = id
        self.name: str = name
        self.trace_name: str | None = trace_name
        self.time_range: Interval = Interval(start_us, end_us)
        self.thread: int = thread
        self.fwd_thread: int | None = fwd_thread
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None
        self.input_shapes: list[Any] = list(input_shapes)
        self.stack: list[Any] = list(stack)
        self.scope: int = scope
        self.cpu_memory_usage: int = cpu_memory_usage
        self.is_async: bool = is_async
        self.sequence_nr: int = sequence_nr
        self.flops: int = flops
        self.is_user_annotation: bool = is_user_annotation

    @property
    def key(self) -> str:
        """The key that events are grouped by."""
        return self.name

    @property
    def cpu_time_total(self) -> float:  # type: ignore[override]  # an average has it as a plain number
        """The time from the start to the end."""
        return self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self) -> float:  # type: ignore[override]  # the same
        """The time without that of child events; 0 for an asynchronous event."""
        return 0 if self.is_async else self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    @property
    def self_cpu_memory_usage(self) -> int:
        """The memory without that of child events."""
        if self.is_async:
            return 0
        return self.cpu_memory_usage - sum(child.cpu_memory_usage for child in self.cpu_children)

    def __repr__(self) -> str:
        return (
            f"<FunctionEvent id={self.id} name={self.name} cpu_time={self.cpu_time_str} "
            f"start_us={self.time_range.start} end_us={self.time_range.end} "
            f"cpu_children={[child.id for child in self.cpu_children]} thread={self.thread} "
            f"input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage} is_async={self.is_async} "
            f"seq_nr={self.sequence_nr}>"
        )


SUMMED = (
    "cpu_time_total",
    "self_cpu_time_total",
    "cpu_memory_usage",
    "self_cpu_memory_usage",
    "count",
    "flops",
)
SHARED = ("cpu_children", "cpu_parent", "input_shapes", "is_async", "is_user_annotation", "key", "scope", "stack")


class FunctionEventAvg(Measured):
    """The sum of a group of events: `count`, times, memory and operations."""

    key: str | None
    input_shapes: Any
    stack: list[str]
    cpu_memory_usage: int
    self_cpu_memory_usage: int
    flops: int

    def __init__(self) -> None:
        self.key = None
        for name in SUMMED:
            setattr(self, name, 0)

    def add(self, other: "FunctionEvent | FunctionEventAvg") -> "FunctionEventAvg":
        """Adds an event; the first one sets the group's other attributes."""
        if self.key is None:
            for name in SHARED:
                setattr(self, name, getattr(other, name))
        for name in SUMMED:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    __iadd__ = add

    def __repr__(self) -> str:
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
            f"cpu_time={self.cpu_time_str} input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage}>"
        )
