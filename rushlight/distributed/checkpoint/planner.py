"""How `save` and `load` plan, where PyTorch has the classes that are extended."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.distributed.checkpoint.planners import (
    LoadItemType,
    LoadPlan,
    LoadPlanner,
    ReadItem,
    SavePlan,
    SavePlanner,
    WriteItem,
    WriteItemType,
)

__all__ = [
    "LoadItemType",
    "LoadPlan",
    "LoadPlanner",
    "ReadItem",
    "SavePlan",
    "SavePlanner",
    "WriteItem",
    "WriteItemType",
]

_explain_misses(globals())
