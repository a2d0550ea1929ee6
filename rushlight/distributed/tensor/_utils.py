"""Which part of a tensor a process holds."""

from collections.abc import Sequence

from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.tensor.placements import Placement
from rushlight.distributed.tensor.sharded import rows_of

__all__ = ["compute_local_shape_and_global_offset"]


def compute_local_shape_and_global_offset(
    global_shape: Sequence[int], mesh: DeviceMesh, placements: Sequence[Placement]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The shape of what this process holds of a tensor, and where in the whole that begins.

    There is a placement for each dimension of the mesh; cuts along one dimension of the tensor follow each other.
    """
    shape, offset = list(global_shape), [0] * len(global_shape)
    for axis, placement in enumerate(placements):
        if placement.is_shard():
            dim = placement.dim  # type: ignore[attr-defined]
            first, last = rows_of(shape[dim], mesh.size(axis), mesh.get_local_rank(axis))
            shape[dim], offset[dim] = last - first, offset[dim] + first
    return tuple(shape), tuple(offset)
