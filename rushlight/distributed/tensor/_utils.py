"""The part of a tensor that a process holds."""

from collections.abc import Sequence

from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.tensor.placements import Placement
from rushlight.distributed.tensor.spread import Spread, placements_on
from rushlight.size import Size

__all__ = ["compute_local_shape_and_global_offset"]


def compute_local_shape_and_global_offset(
    global_shape: Sequence[int], mesh: DeviceMesh, placements: Sequence[Placement]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The shape of this process's part of a tensor, and its offset in the whole.

    There is a placement for each dimension of the mesh; several shards of one dimension are nested.
    """
    parts = Spread(mesh, placements_on(mesh, placements, len(global_shape)), Size(global_shape)).parts()
    return tuple(last - first for first, last in parts), tuple(first for first, _ in parts)
