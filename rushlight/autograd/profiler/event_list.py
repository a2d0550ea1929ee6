"""A list of events with its summaries: averages, a table, files."""

from typing import Any

from rushlight.autograd.profiler import trace, tree
from rushlight.autograd.profiler.events import FunctionEventAvg
from rushlight.autograd.profiler.table import table

METRICS = ["self_cpu_time_total", "self_cuda_time_total", "self_xpu_time_total", "self_privateuse1_time_total"]


class EventList(list[Any]):
    """The events of a profiler: `prof.function_events`, or the averages of `prof.key_averages()`."""

    def __init__(self, *args: Any, use_device: Any = None, profile_memory: bool = False, with_flops: bool = False):
        super().__init__(*args)
        self._use_device = use_device
        self._profile_memory = profile_memory
        self._with_flops = with_flops

    def _build_tree(self) -> None:
        """Nests the events by their times."""
        tree.build(self)

    def __str__(self) -> str:
        return self.table()

    @property
    def self_cpu_time_total(self) -> float:
        """The total time of all events, each without its children."""
        return sum(event.self_cpu_time_total for event in self)

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int | None = 75,
        max_name_column_width: int | None = 55,
        max_shapes_column_width: int | None = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """The events as a table.

        `sort_by` is one of cpu_time, cpu_time_total, self_cpu_time_total, cpu_memory_usage, self_cpu_memory_usage,
        count (in descending order; without it events keep their order). `row_limit` is the most rows, -1 for all. The
        three width limits bound the columns, None for any width. `top_level_events_only` omits events within others.
        `time_unit` is "s", "ms" or "us" for all times.
        """
        widths = (max_src_column_width, max_name_column_width, max_shapes_column_width)
        options: dict[str, Any] = {"memory": self._profile_memory, "flops": self._with_flops, "time_unit": time_unit}
        return table(self, sort_by, row_limit, widths, header, top_level_events_only, **options)

    def key_averages(
        self, group_by_input_shapes: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> "EventList":
        """Averages of the events by name; also by input shapes, or by the innermost n lines of the stack.

        An operator has only one overload in rushlight: `group_by_overload_name` makes no further groups.
        """
        groups: dict[tuple[Any, ...], FunctionEventAvg] = {}
        for event in self:
            key: tuple[Any, ...] = (event.key, event.is_user_annotation)
            if group_by_input_shapes:
                key += (str(event.input_shapes),)
            groups.setdefault(key + tuple(event.stack[:group_by_stack_n]), FunctionEventAvg()).add(event)
        for average in groups.values():
            average.stack = average.stack[:group_by_stack_n]
            if not group_by_input_shapes:
                average.input_shapes = ""
        options = {"profile_memory": self._profile_memory, "with_flops": self._with_flops}
        return EventList(groups.values(), use_device=self._use_device, **options)

    def total_average(self) -> FunctionEventAvg:
        """The sum of all events, whatever their names."""
        total = FunctionEventAvg()
        for event in self:
            total.add(event)
        total.key = "Total"
        return total

    def export_chrome_trace(self, path: str) -> None:
        """Writes the events as a trace that https://ui.perfetto.dev and chrome://tracing open."""
        trace.write(path, trace.of_events(self))

    def supported_export_stacks_metrics(self) -> list[str]:
        """The metrics that `export_stacks` accepts."""
        return METRICS

    def export_stacks(self, path: str, metric: str) -> None:
        """Writes a line for each event: the stack of lines that led to it, then its time.

        Flame graphs are drawn from such files. ValueError for an unknown metric.
        """
        if metric not in METRICS:
            raise ValueError(f"metric should be one of: {METRICS}")
        clean = str.maketrans(" ;\t\n", "____")
        name = metric if metric == METRICS[0] else "self_device_time_total"
        with open(path, "w") as file:
            for event in self:
                if event.stack and int(getattr(event, name)) > 0:
                    lines = ";".join(line.translate(clean) for line in reversed(event.stack))
                    file.write(f"{lines} {int(getattr(event, name))}\n")
