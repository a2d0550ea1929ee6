"""How `save` and `load` plan, where PyTorch has it."""

from rushlight.distributed.checkpoint.planners import DefaultLoadPlanner, DefaultSavePlanner
from rushlight.missing import explain_misses as _explain_misses

__all__ = ["DefaultLoadPlanner", "DefaultSavePlanner"]

_explain_misses(globals())
