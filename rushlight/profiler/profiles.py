"""The profiler that goes along with a loop."""

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

# What has to be done between one action and the next; None stands for the end.
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
    """Records operators and derivatives, all the time or in the steps of a loop that a `schedule` chooses.

    `activities` is {ProfilerActivity.CPU}; others warn that their device is not there. `schedule` is a function of
    the step's number, as `torch.profiler.schedule` gives; the loop calls `step()` at the end of each step.
    `on_trace_ready` is called with the profiler when a recording is over. For the other options see
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
        """Begins, and gives itself."""
        self.stopped = True
        self.start()
        self.stopped = False
        return self

    def end(self) -> None:
        """Ends; interrupted in that or at the beginning, it only ends the recording."""
        if not self.stopped:
            self.stopped = True
            self.stop()
        elif self.profiler is not None:
            self.profiler.end()

    def start(self) -> None:
        """Begins, as entering the context does."""
        self._go(NONE, self.current_action)
        self._enter_step()

    def stop(self) -> None:
        """Ends, as leaving the context does; a recording that is under way is ready then."""
        self._exit_step()
        self._go(self.current_action, None)

    def step(self) -> None:
        """Tells that the next step of the loop begins."""
        self._exit_step()
        before = self.current_action
        self.step_num += 1
        self.current_action = self.schedule(self.step_num)
        self._go(before, self.current_action)
        self._enter_step()

    def _enter_step(self):
        """Begins the region of a step, where there is a schedule."""
        if self.record_steps:
            self._region = record_function(f"ProfilerStep#{self.step_num}")
            self._region.__enter__()

    def _exit_step(self):
        """Ends the region of a step."""
        if self._region is not None:
            self._region.__exit__(None, None, None)
            self._region = None

    def _go(self, before, after):
        """Does what has to be done between two actions."""
        for deed in TRANSITIONS.get((before, after), ()):
            if hasattr(self, deed):
                getattr(self, deed)()
            else:
                warn(f"Incorrect schedule: {deed}")

    def prepare_trace(self) -> None:
        """Makes ready for a recording."""
        if self.profiler is None or not self.acc_events:
            if self.profiler is not None:
                warn_of_clearing()
            self.profiler = Recorder(**self.options)

    def start_trace(self) -> None:
        """Begins a recording."""
        self._recorder()._start()

    def stop_trace(self) -> None:
        """Ends a recording."""
        self._recorder().end()

    def _trace_ready(self):
        """Hands over a recording."""
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def _recorder(self) -> Recorder:
        """What recorded last. AssertionError before anything was."""
        if self.profiler is None:
            raise AssertionError("Profiler must be initialized before its results are asked for. Enter its context.")
        return self.profiler

    def events(self) -> EventList:
        """All events, by the time at which they began."""
        return self._recorder().function_events

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """The events of each name together, or of each name and input shapes or calling lines."""
        return self._recorder().key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def export_chrome_trace(self, path: str) -> None:
        """Writes a trace that https://ui.perfetto.dev opens; compressed where the name ends in .gz."""
        self._recorder().export_chrome_trace(path, self._metadata)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Writes the calling lines of each event with its time; needs `with_stack`."""
        self._recorder().export_stacks(path, metric)

    def add_metadata(self, key: str, value: str) -> None:
        """Puts a text into the traces that are written from now on."""
        self._metadata[key] = value

    def add_metadata_json(self, key: str, value: str) -> None:
        """Puts a value in JSON into the traces that are written from now on."""
        self._metadata[key] = json.loads(value)

    preset_metadata_json = add_metadata_json


@cache
def warn_of_clearing() -> None:
    """Warns, once, that a new recording begins without the events of the last one."""
    warn(
        "Warning: Profiler clears events at the end of each cycle. Only events from the current cycle will be "
        "reported. To keep events across cycles, set acc_events=True.",
    )
