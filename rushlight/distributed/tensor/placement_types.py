"""How the processes of a mesh share a tensor, where PyTorch has the words for it."""

from rushlight.distributed.tensor.placements import Partial, Placement, Replicate, Shard
from rushlight.missing import explain_misses as _explain_misses

__all__ = ["Partial", "Placement", "Replicate", "Shard"]

_explain_misses(globals())
