"""How `save` and `load` plan, where PyTorch has it."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.distributed.checkpoint.planners import DefaultLoadPlanner, DefaultSavePlanner

__all__ = ["DefaultLoadPlanner", "DefaultSavePlanner"]

_explain_misses(globals())
