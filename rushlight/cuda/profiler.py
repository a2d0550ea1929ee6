"""Starting and stopping NVIDIA's profilers, which need a CUDA device. `torch.profiler` profiles rushlight."""

from rushlight.absent.hardware import entered
from rushlight.cuda.without import not_compiled

__all__ = ["profile", "start", "stop"]

start = stop = not_compiled()
profile = entered(start)
