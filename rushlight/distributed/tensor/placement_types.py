"""Placements of DTensors, under PyTorch's module name."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.distributed.tensor.placements import Partial, Placement, Replicate, Shard

__all__ = ["Partial", "Placement", "Replicate", "Shard"]

_explain_misses(globals())
