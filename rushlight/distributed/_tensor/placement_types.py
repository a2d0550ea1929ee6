"""How the processes of a mesh share a tensor, by its old name."""

from rushlight.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard

__all__ = ["Partial", "Placement", "Replicate", "Shard"]
