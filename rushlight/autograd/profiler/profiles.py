"""The profiler as a context manager."""

from typing import Any

from rushlight.autograd.profiler import trace
from rushlight.autograd.profiler.event_list import EventList
from rushlight.autograd.profiler.parsing import events_of
from rushlight.autograd.profiler.recording import Recording
from rushlight.core.lines import warn
from rushlight.core.modes import Undone

DEVICES = ("cuda", "xpu", "mtia", "hpu")


class ExperimentalConfig:
    """PyTorch's experimental options: with `profile_all_threads` all threads are recorded, not only the current one."""

    def __init__(self, *, profile_all_threads: bool = False):
        self.profile_all_threads = profile_all_threads


class profile(Undone):
    """Records the operators that run inside, their backward, and named regions.

    Without `enabled` nothing happens. `record_shapes` keeps the shapes of inputs, `with_flops` counts floating-point
    operations of products and convolutions, `profile_memory` records the memory of results, `with_stack` keeps the
    lines of the calling program. `acc_events` keeps the events of earlier uses of the same object. Work in other
    threads is recorded if they inherited the context (`asyncio.to_thread` does), or with
    `experimental_config=torch.profiler._ExperimentalConfig(profile_all_threads=True)`.

    There is only the CPU: `use_cuda` and `use_device` warn and profile it. `with_modules` names the modules of
    TorchScript programs and has no effect on others, `use_kineto` chooses a library; both are as in PyTorch.
    RuntimeError if a profiler is already on.

    >>> import rushlight as torch
    >>> x = torch.ones(2, 3, requires_grad=True)
    >>> with torch.autograd.profiler.profile() as prof:
    ...     for _ in range(10):
    ...         y = (x * x).exp()
    >>> [(average.key, average.count) for average in prof.key_averages()]
    [('aten::mul', 10), ('aten::exp', 10)]
    """

    entered: bool

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cuda: bool = False,
        use_device: str | None = None,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
        use_kineto: bool = False,
        use_cpu: bool = True,
        experimental_config: ExperimentalConfig | None = None,
        acc_events: bool = False,
    ):
        self.enabled = enabled
        if use_cuda:
            warn(
                "The attribute `use_cuda` will be deprecated soon, please use ``use_device = 'cuda'`` instead.",
                FutureWarning,
            )
        if not use_cpu:
            raise AssertionError("Device-only events supported only with Kineto (use_kineto=True). Leave use_cpu out.")
        self.use_device: None = None
        refuse_device("cuda" if use_cuda else use_device)
        self.record_shapes: bool = record_shapes or with_flops
        self.with_flops = with_flops
        self.profile_memory = profile_memory
        self.with_stack = with_stack
        self.with_modules = with_modules
        self.use_kineto = use_kineto
        self.acc_events = acc_events
        self.all_threads: bool = experimental_config is not None and experimental_config.profile_all_threads
        self.entered = False
        self._recording: Recording | None = None
        self._events: EventList | None = None
        self._earlier: list[Any] = []

    def begin(self) -> Any:
        """Starts a recording, if enabled, and returns the profiler. RuntimeError on a second use."""
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        self._start()
        return self

    def _start(self) -> None:
        """Starts a recording."""
        self.entered = True
        if self.acc_events and self._recording is not None:
            self._earlier = list(self.function_events)
        self._events = None
        self._recording = Recording(
            self.record_shapes, self.with_flops, self.profile_memory, self.with_stack, self.all_threads
        )
        self._recording.start()

    def end(self) -> None:
        """Ends the recording."""
        if self.enabled and self._recording is not None:
            self._recording.stop()

    def __repr__(self) -> str:
        return "<unfinished torch.autograd.profile>" if self._finished is None else repr(self.function_events)

    def __str__(self) -> str:
        return "<unfinished torch.autograd.profile>" if self._finished is None else str(self.function_events)

    @property
    def _finished(self) -> Recording | None:
        """The recording, after it has ended."""
        return self._recording if self._recording is not None and self._recording.end else None

    @property
    def function_events(self) -> EventList:
        """All events, sorted by start time."""
        if self._finished is None:
            raise AssertionError("Expected profiling results. Leave the profiler's context first.")
        if self._events is None:
            self._events = events_of(self._finished, self.with_flops)
            self._events.extend(self._earlier)
        return self._events

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int | None = 75,
        max_name_column_width: int | None = 55,
        max_shapes_column_width: int | None = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
    ) -> str:
        """A table with a row for each event.

        `key_averages().table()` has a row for each name. See `EventList.table`.
        """
        return self.function_events.table(
            sort_by,
            row_limit,
            max_src_column_width,
            max_name_column_width,
            max_shapes_column_width,
            header,
            top_level_events_only,
        )

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """Averages of the events by name; also by input shapes, or by stack."""
        return self.function_events.key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def total_average(self) -> Any:
        """The sum of all events."""
        return self.function_events.total_average()

    @property
    def self_cpu_time_total(self) -> float:
        """The total time of all events, each without its children, in microseconds."""
        return self.function_events.self_cpu_time_total

    def export_chrome_trace(
        self, path: str, metadata: dict[Any, Any] | None = None, use_python_export: bool = False
    ) -> None:
        """Writes a trace that https://ui.perfetto.dev opens, with `metadata` beside the events; .gz compresses it.

        It is written in Python in any case, which is what `use_python_export` asks of PyTorch.
        """
        events, recording = self.function_events, self._finished
        trace.write(path, trace.of_events(events, recording.date if recording else 0, metadata))

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Writes the stack of each event with its time, for flame graphs.

        AssertionError without `with_stack`, ValueError for an unknown metric.
        """
        if not self.with_stack:
            raise AssertionError("export_stacks() requires with_stack=True")
        self.function_events.export_stacks(path, metric)


def refuse_device(device: str | None) -> None:
    """Warns, in PyTorch's words, that a device is not available."""
    if device is None:
        return
    if device not in DEVICES:
        warn(f"The {device} is not a valid device option.")
    else:
        name = device.upper()
        warn(f"{name} is not available, disabling {name} profiling")
