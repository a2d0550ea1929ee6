"""Tensors of which each process holds a part."""

from rushlight.distributed.device_mesh import DeviceMesh, init_device_mesh
from rushlight.distributed.tensor.placements import Placement, Replicate, Shard
from rushlight.distributed.tensor.sharded import DTensor, distribute_tensor

__all__ = ["DTensor", "DeviceMesh", "Placement", "Replicate", "Shard", "distribute_tensor", "init_device_mesh"]
