"""The profiler (torch.autograd.profiler): what operators and derivatives cost.

While a profiler is on, the core passes calls to `recording`; `names`, `flops`, `memory` and `stacks` provide the
details. `parsing` turns the records into `events`, `tree` nests them, and an `event_list` gives averages, a `table` or
a `trace`.
"""

from rushlight.autograd.profiler.event_list import EventList
from rushlight.autograd.profiler.events import FunctionEvent, FunctionEventAvg, Interval
from rushlight.autograd.profiler.profiles import profile
from rushlight.autograd.profiler.regions import emit_itt, emit_nvtx, record_function

__all__ = [
    "EventList",
    "FunctionEvent",
    "FunctionEventAvg",
    "Interval",
    "emit_itt",
    "emit_nvtx",
    "profile",
    "record_function",
]
