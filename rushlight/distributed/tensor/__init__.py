"""DTensors: tensors distributed over processes."""

from rushlight.distributed.device_mesh import DeviceMesh, init_device_mesh
from rushlight.distributed.tensor import calls as _calls  # installs the functions on DTensors
from rushlight.distributed.tensor.making import (
    distribute_module,
    distribute_tensor,
    empty,
    full,
    ones,
    rand,
    randn,
    zeros,
)
from rushlight.distributed.tensor.placements import Partial, Placement, Replicate, Shard
from rushlight.distributed.tensor.sharded import DTensor

__all__ = [
    "DTensor",
    "DeviceMesh",
    "Partial",
    "Placement",
    "Replicate",
    "Shard",
    "distribute_module",
    "distribute_tensor",
    "empty",
    "full",
    "init_device_mesh",
    "ones",
    "rand",
    "randn",
    "zeros",
]
