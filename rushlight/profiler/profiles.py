"""The profiler for training loops."""

import json
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from rushlight.autograd.profiler.event_list import EventList
from rushlight.autograd.profiler.profiles import ExperimentalConfig
from rushlight.autograd.profiler.profiles import profile as Recorder
from rushlight.autograd.profiler.regions import record_function
from rushlight.core.lines import warn
from rushlight.core.modes import Undone
from rushlight.profiler.activities import ProfilerActivity, parsed
from rushlight.profiler.schedules import ProfilerAction, always

NONE, WARMUP, RECORD, SAVE = ProfilerAction

# What to do between one action and the next; None stands for the end.
PREPARE, START, STOP, READY = "prepare_trace", "start_trace", "stop_trace", "_trace_ready"
TRANSITIONS: dict[Any, Any] = {
    (NONE, WARMUP): [PREPARE],
    (NONE, RECORD): [PREPARE, START],
    (NONE, SAVE): [PREPARE, START],
    (WARMUP, NONE): ["WARMUP followed by NONE", START, STOP],
    (WARMUP, RECORD): [START],
    (WARMUP, SAVE): [START],
    (RECORD, NONE): ["RECORD followed by NONE", STOP],
    (RECORD, WARMUP): ["RECORD followed by WARMUP", STOP],
    (SAVE, NONE): [STOP, READY],
    (SAVE, WARMUP): [STOP, READY, PREPARE],
    (SAVE, RECORD): [STOP, READY, PREPARE, START],
    (SAVE, SAVE): [STOP, READY, PREPARE, START],
    (WARMUP, None): [START, STOP],
    (RECORD, None): [STOP, READY],
    (SAVE, None): [STOP, READY],
}


class profile(Undone):
    """Records operators and backward passes, all the time or in the steps of a loop that a `schedule` chooses.

    `activities` is {ProfilerActivity.CPU}; for others a warning says that their device is not available. `schedule` is
    a function of the step's number, as `torch.profiler.schedule` returns; the loop calls `step()` at the end of each
    step. `on_trace_ready` is called with the profiler when a recording has ended. For the other options see
    `torch.autograd.profiler.profile`.

    >>> import rushlight as torch
    >>> def ready(prof):
    ...     print([(average.key, average.count) for average in prof.key_averages()])
    >>> plan = torch.profiler.schedule(wait=1, warmup=1, active=2, repeat=1)
    >>> with torch.profiler.profile(schedule=plan, on_trace_ready=ready) as prof:
    ...     for _ in range(5):
    ...         y = torch.ones(3) * 2
    ...         prof.step()
    [('ProfilerStep*', 2), ('aten::mul', 2)]
    """

    stopped: bool
    step_num: int
    current_action: ProfilerAction

    def __init__(
        self,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[["profile"], object] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: ExperimentalConfig | None = None,
        acc_events: bool = False,
        use_cuda: bool | None = None,
    ):
        if use_cuda is not None:
            warn("`use_cuda` is deprecated, use `activities` argument instead", FutureWarning)
        self.activities: set[ProfilerActivity] = parsed(activities) | ({ProfilerActivity.CUDA} if use_cuda else set())
        devices = self.activities - {ProfilerActivity.CPU}
        self.options: dict[str, Any] = {
            "use_cpu": ProfilerActivity.CPU in self.activities,
            "use_device": min((device.name.lower() for device in devices), default=None),
            "record_shapes": record_shapes,
            "with_flops": with_flops,
            "profile_memory": profile_memory,
            "with_stack": with_stack,
            "with_modules": with_modules,
            "experimental_config": experimental_config,
            "acc_events": acc_events,
        }
        self.acc_events = acc_events
        self.schedule = schedule or always
        self.record_steps: bool = schedule is not None
        self.on_trace_ready = on_trace_ready
        self.profiler: Recorder | None = None
        self.step_num = 0
        self.current_action = self.schedule(0)
        self._region: record_function | None = None
        self._metadata: dict[Any, Any] = {}
        self.stopped = True

    def begin(self) -> Any:
        """Starts the profiler, and returns it."""
        self.stopped = True
        self.start()
        self.stopped = False
        return self

    def end(self) -> None:
        """Ends the profiler; after an interruption it only ends the recording."""
        if not self.stopped:
            self.stopped = True
            self.stop()
        elif self.profiler is not None:
            self.profiler.end()

    def start(self) -> None:
        """Starts the profiler, as entering the context does."""
        self._go(NONE, self.current_action)
        self._enter_step()

    def stop(self) -> None:
        """Ends the profiler, as leaving the context does; a running recording is finished."""
        self._exit_step()
        self._go(self.current_action, None)

    def step(self) -> None:
        """Marks the start of the loop's next step."""
        self._exit_step()
        before = self.current_action
        self.step_num += 1
        self.current_action = self.schedule(self.step_num)
        self._go(before, self.current_action)
        self._enter_step()

    def _enter_step(self) -> None:
        """Starts the region of a step, if there is a schedule."""
        if self.record_steps:
            self._region = record_function(f"ProfilerStep#{self.step_num}")
            self._region.__enter__()

    def _exit_step(self) -> None:
        """Ends the region of a step."""
        if self._region is not None:
            self._region.__exit__(None, None, None)
            self._region = None

    def _go(self, before: Any, after: Any) -> None:
        """Does what is needed between two actions."""
        for deed in TRANSITIONS.get((before, after), ()):
            if hasattr(self, deed):
                getattr(self, deed)()
            else:
                warn(f"Incorrect schedule: {deed}")

    def prepare_trace(self) -> None:
        """Prepares a recording."""
        if self.profiler is None or not self.acc_events:
            if self.profiler is not None:
                warn_of_clearing()
            self.profiler = Recorder(**self.options)

    def start_trace(self) -> None:
        """Starts a recording."""
        self._recorder()._start()

    def stop_trace(self) -> None:
        """Ends a recording."""
        self._recorder().end()

    def _trace_ready(self) -> None:
        """Calls `on_trace_ready`."""
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def _recorder(self) -> Recorder:
        """The last recorder. AssertionError if nothing was recorded."""
        if self.profiler is None:
            raise AssertionError("Profiler must be initialized before its results are asked for. Enter its context.")
        return self.profiler

    def events(self) -> EventList:
        """All events, sorted by start time."""
        return self._recorder().function_events

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """Averages of the events by name; also by input shapes, or by stack."""
        return self._recorder().key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def export_chrome_trace(self, path: str, use_python_export: bool = False) -> None:
        """Writes a trace that https://ui.perfetto.dev opens; compressed if the name ends in .gz.

        It is written in Python in any case, which is what `use_python_export` asks of PyTorch.
        """
        self._recorder().export_chrome_trace(path, self._metadata)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Writes the stack of each event with its time; requires `with_stack`."""
        self._recorder().export_stacks(path, metric)

    def add_metadata(self, key: str, value: str) -> None:
        """Adds a text to the metadata of traces that are written from now on."""
        self._metadata[key] = value

    def add_metadata_json(self, key: str, value: str) -> None:
        """Adds a JSON value to the metadata of traces that are written from now on."""
        self._metadata[key] = json.loads(value)

    preset_metadata_json = add_metadata_json


@cache
def warn_of_clearing() -> None:
    """Warns, once, that a new recording drops the events of the last one."""
    warn(
        "Warning: Profiler clears events at the end of each cycle. Only events from the current cycle will be "
        "reported. To keep events across cycles, set acc_events=True.",
    )
