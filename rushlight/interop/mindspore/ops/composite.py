"""`GradOperation`, under MindSpore's module name."""

from rushlight.interop.mindspore.gradients import GradOperation
from rushlight.interop.mindspore.ops.functional.shapes import clip_by_value

__all__ = ["GradOperation", "clip_by_value"]
