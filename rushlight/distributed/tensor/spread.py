"""`Spread`: which part of a tensor each process of a mesh holds."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rushlight.core.aliases import Array
from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.tensor.placements import Placement, Replicate, Shard
from rushlight.size import Size

__all__ = ["Spread", "placed", "rows_of"]


def rows_of(length: int, size: int, rank: int) -> tuple[int, int]:
    """The first and last row, exclusively, that a process holds of a tensor with so many rows: as `chunk` cuts it."""
    most = -(-length // size)
    return min(rank * most, length), min((rank + 1) * most, length)


def placed(mesh: DeviceMesh, placements: Sequence[Placement] | None, ndim: int) -> tuple[Placement, ...]:
    """A placement for each dimension of a mesh, with dimensions of the tensor counted from the front.

    None replicates. ValueError for another number of placements; IndexError for dimensions that there are not.
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
    """A tensor's `shape` as a whole, and how each dimension of a mesh shares it.

    Cuts along one dimension of the tensor follow each other, that of the mesh's first dimension before the others.
    """

    mesh: DeviceMesh
    placements: tuple[Placement, ...]
    shape: Size

    def otherwise(self, placements: Sequence[Placement]) -> "Spread":
        """The same tensor, placed otherwise."""
        return replace(self, placements=tuple(placements))

    def part(self, dim: int, axes: int | None = None) -> tuple[int, int]:
        """The first and last element that this process has of a dimension, which so many axes of the mesh have cut."""
        first, last = 0, self.shape[dim]
        for axis, placement in enumerate(self.placements[:axes]):
            if placement.is_shard(dim):
                cut = rows_of(last - first, self.mesh.size(axis), self.mesh.get_local_rank(axis))
                first, last = first + cut[0], first + cut[1]
        return first, last

    def parts(self) -> list[tuple[int, int]]:
        """The first and last element of each dimension that this process has."""
        return [self.part(dim) for dim in range(len(self.shape))]

    def local_shape(self) -> tuple[int, ...]:
        """The shape of what this process has."""
        return tuple(last - first for first, last in self.parts())

    def cut(self, whole: Array) -> Any:
        """This process's part of the whole, an array or a tensor."""
        return whole[tuple(slice(first, last) for first, last in self.parts())]
