"""Marks for NVIDIA's profilers, which need a CUDA device: there is none."""

from rushlight.absent.hardware import Needed, entered
from rushlight.cuda.without import ADVICE

__all__ = ["mark", "range", "range_end", "range_pop", "range_push", "range_start"]

_needs_nvtx = Needed(
    RuntimeError,
    "NVTX functions not installed. Are you sure you have a CUDA build?",
    f"{ADVICE} torch.profiler.record_function names regions.",
)
mark = range_push = range_start = _needs_nvtx("msg")
range_pop, range_end = _needs_nvtx(), _needs_nvtx("range_id")
range = entered(_needs_nvtx("msg, *args, **kwargs"))
