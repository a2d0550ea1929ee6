"""The events of the profiler, under PyTorch's name of the module."""

from rushlight.autograd.profiler.event_list import EventList
from rushlight.autograd.profiler.events import FunctionEvent, FunctionEventAvg, Interval

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "Interval"]
