"""torch.profiler: profiles training loops step by step; recording is done by `torch.autograd.profiler`."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.autograd.profiler.events import DeviceType
from rushlight.autograd.profiler.profiles import ExperimentalConfig as _ExperimentalConfig
from rushlight.autograd.profiler.regions import record_function
from rushlight.profiler.activities import ProfilerActivity, kineto_available, supported_activities
from rushlight.profiler.handlers import tensorboard_trace_handler
from rushlight.profiler.profiles import profile
from rushlight.profiler.schedules import ProfilerAction, schedule

__all__ = [
    "DeviceType",
    "ProfilerAction",
    "ProfilerActivity",
    "kineto_available",
    "profile",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]

_explain_misses(globals())
