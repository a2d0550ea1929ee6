"""The events of the profiler, under the module's name in PyTorch."""

from rushlight.autograd.profiler.event_list import EventList
from rushlight.autograd.profiler.events import FunctionEvent, FunctionEventAvg, Interval

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "Interval"]
