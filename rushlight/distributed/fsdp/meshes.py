"""The processes over which `FullyShardedDataParallel` shards parameters, and over which it replicates them."""

import numpy as np

from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.fsdp.api import ShardingStrategy
from rushlight.distributed.groups import ProcessGroup, get_rank, here, new_group

__all__ = ["mesh_for"]

HYBRID = (ShardingStrategy.HYBRID_SHARD, ShardingStrategy._HYBRID_SHARD_ZERO2)


def mesh_for(
    strategy: ShardingStrategy, group: ProcessGroup | tuple[ProcessGroup, ProcessGroup] | None, mesh: DeviceMesh | None
) -> DeviceMesh:
    """The mesh whose last dimension shards parameters; the first of two dimensions replicates them."""
    if group is not None and mesh is not None:
        raise ValueError("Cannot pass both process_group and device_mesh at the same time. Please just pass one.")
    if strategy in HYBRID:
        return hybrid(group, mesh)
    if isinstance(group, (tuple, list)):
        raise ValueError(f"Expected process_group to be a ProcessGroup for {strategy}, but got {type(group)}")
    if mesh is not None and mesh.ndim != 1:
        raise ValueError(f"Expected a device mesh of one dimension for {strategy}, but got {mesh}")
    all_of_them = here(group) if mesh is None else mesh.get_group()
    if strategy is not ShardingStrategy.NO_SHARD:
        return DeviceMesh.from_group(all_of_them, "cpu")
    alone = new_group([get_rank()], use_local_synchronization=True)
    assert isinstance(alone, ProcessGroup)
    return DeviceMesh.from_group([all_of_them, alone], "cpu", np.array(all_of_them.ranks)[:, None])


def hybrid(group: ProcessGroup | tuple[ProcessGroup, ProcessGroup] | None, mesh: DeviceMesh | None) -> DeviceMesh:
    """The mesh for hybrid sharding. ValueError if the arguments do not name one."""
    if mesh is not None and mesh.ndim == 2:
        return mesh
    if mesh is None and isinstance(group, (tuple, list)) and len(group) == 2:
        shards, replicas = group
        lines = np.zeros((replicas.size(), shards.size()), int)
        lines[replicas.rank()], lines[:, shards.rank()] = shards.ranks, replicas.ranks
        return DeviceMesh.from_group([replicas, shards], "cpu", lines)
    raise ValueError(
        "Manual wrapping with ShardingStrategy.HYBRID_SHARD requires explicit specification of process group or "
        "device_mesh: a device_mesh of two dimensions, or the two groups (that of the shards, that of the replicas)."
    )
