"""`Spread`: the distribution of a tensor over a mesh."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rushlight.core.aliases import Array
from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.tensor.placements import Placement, Replicate, Shard
from rushlight.size import Size

__all__ = ["Spread", "placements_on", "rows_of"]


def rows_of(length: int, size: int, rank: int) -> tuple[int, int]:
    """The range of rows that a process holds of a tensor of a given length, as `chunk` splits it."""
    most = -(-length // size)
    return min(rank * most, length), min((rank + 1) * most, length)


def placements_on(mesh: DeviceMesh, placements: Sequence[Placement] | None, ndim: int) -> tuple[Placement, ...]:
    """A placement for each dimension of a mesh, with nonnegative dimensions.

    None replicates. ValueError for a wrong number of placements; IndexError for dimensions out of range.
    """
    given: list[Placement] = [Replicate()] * mesh.ndim if placements is None else list(placements)
    if len(given) != mesh.ndim:
        raise ValueError(
            f"`placements` must have the same length as `device_mesh.ndim`! Found placements length: {len(given)}, "
            f"and device_mesh.ndim: {mesh.ndim}."
        )
    for axis, placement in enumerate(given):
        if isinstance(placement, Shard):
            if not -ndim <= placement.dim < ndim:
                raise IndexError(f"Shard(dim={placement.dim}) names no dimension of a tensor with {ndim} of them.")
            given[axis] = Shard(placement.dim % ndim)
    return tuple(given)


@dataclass(frozen=True)
class Spread:
    """A tensor's whole `shape`, and its placement along each dimension of a mesh.

    Several shards of one dimension are nested, those of earlier dimensions of the mesh outside.
    """

    mesh: DeviceMesh
    placements: tuple[Placement, ...]
    shape: Size

    def otherwise(self, placements: Sequence[Placement]) -> "Spread":
        """The same tensor in another placement."""
        return replace(self, placements=tuple(placements))

    def part(self, dim: int, axes: int | None = None) -> tuple[int, int]:
        """The range of a dimension that this process holds, considering the first `axes` dimensions of the mesh."""
        first, last = 0, self.shape[dim]
        for axis, placement in enumerate(self.placements[:axes]):
            if placement.is_shard(dim):
                cut = rows_of(last - first, self.mesh.size(axis), self.mesh.get_local_rank(axis))
                first, last = first + cut[0], first + cut[1]
        return first, last

    def parts(self) -> list[tuple[int, int]]:
        """The range of each dimension that this process holds."""
        return [self.part(dim) for dim in range(len(self.shape))]

    def local_shape(self) -> tuple[int, ...]:
        """The shape of the local part."""
        return tuple(last - first for first, last in self.parts())

    def cut(self, whole: Array) -> Any:
        """This process's part of the whole array or tensor."""
        return whole[tuple(slice(first, last) for first, last in self.parts())]
