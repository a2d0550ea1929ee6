"""`DeviceMesh`: processes in rows and columns, with a group for each row and column."""

from typing import Any

import numpy as np

from rushlight.distributed.groups import (
    GroupMember,
    ProcessGroup,
    get_rank,
    get_world_size,
    init_process_group,
    is_initialized,
    new_group,
)

__all__ = ["DeviceMesh", "init_device_mesh"]


class DeviceMesh:
    """The ranks of all processes as an array, and the group of this process along each of its dimensions.

    >>> import rushlight.distributed as dist
    >>> mesh = dist.DeviceMesh("cpu", [0], mesh_dim_names=("data",))
    >>> mesh.shape, mesh.get_local_rank("data")
    ((1,), 0)
    """

    def __init__(
        self, device_type: str, mesh: Any, *, mesh_dim_names: tuple[str, ...] | None = None,
        groups: list[ProcessGroup] | None = None,
    ):  # fmt: skip
        self.device_type = device_type
        self.mesh = np.asarray(mesh)
        self.mesh_dim_names = mesh_dim_names
        self._groups = self._make_groups() if groups is None else groups

    def _make_groups(self) -> list[ProcessGroup]:
        """Makes a group of each line of the mesh; gives those that this process is in, one for each dimension."""
        own = []
        for dim in range(self.mesh.ndim):
            for line in np.moveaxis(self.mesh, dim, -1).reshape(-1, self.mesh.shape[dim]).tolist():
                group = new_group(line, sort_ranks=False)
                if group is not GroupMember.NON_GROUP_MEMBER:
                    own.append(group)
        return own  # type: ignore[return-value]  # the others are NON_GROUP_MEMBER

    def _number(self, dim: int | str | None) -> int:
        """The number of a dimension. RuntimeError where it has to be named and is not; KeyError for other names."""
        if dim is None:
            if self.mesh.ndim > 1:
                raise RuntimeError("Optional kwarg `mesh_dim` needs to be specified when device_mesh.ndim > 1.")
            return 0
        if isinstance(dim, int):
            return dim
        if dim not in (self.mesh_dim_names or ()):
            raise KeyError(f"Invalid mesh_dim_name {dim}: this mesh has {self.mesh_dim_names}.")
        return list(self.mesh_dim_names or ()).index(dim)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self.mesh.ndim

    @property
    def shape(self) -> tuple[int, ...]:
        """How many processes there are along each dimension."""
        return self.mesh.shape

    def size(self, mesh_dim: int | None = None) -> int:
        """How many processes there are, in all or along a dimension."""
        return self.mesh.size if mesh_dim is None else self.mesh.shape[mesh_dim]

    def get_group(self, mesh_dim: int | str | None = None) -> ProcessGroup:
        """The group of this process along a dimension."""
        return self._groups[self._number(mesh_dim)]

    def get_all_groups(self) -> list[ProcessGroup]:
        """The groups of this process along all dimensions."""
        return list(self._groups)

    def get_local_rank(self, mesh_dim: int | str | None = None) -> int:
        """The rank of this process in its group along a dimension."""
        return self.get_group(mesh_dim).rank()

    def get_rank(self) -> int:
        """The rank of this process among all."""
        return get_rank()

    def get_coordinate(self) -> list[int] | None:
        """Where this process is in the mesh; None if it is not."""
        found = np.argwhere(self.mesh == get_rank())
        return found[0].tolist() if len(found) else None

    def __getitem__(self, name: str) -> "DeviceMesh":
        dim = self._number(name)
        group = self._groups[dim]
        return DeviceMesh(self.device_type, group.ranks, mesh_dim_names=(name,), groups=[group])

    def __repr__(self):
        names = "" if self.mesh_dim_names is None else f", mesh_dim_names={self.mesh_dim_names}"
        return f"DeviceMesh({self.device_type!r}, {self.mesh.tolist()}{names})"


def init_device_mesh(
    device_type: str, mesh_shape: tuple[int, ...], *, mesh_dim_names: tuple[str, ...] | None = None
) -> DeviceMesh:
    """Lays all processes out in a mesh, row by row. RuntimeError for another number of places than processes.

    >>> import rushlight.distributed as dist
    >>> mesh = dist.init_device_mesh("cpu", (1,), mesh_dim_names=("data",))
    >>> mesh.size()
    1
    """
    if not is_initialized():
        init_process_group()
    if int(np.prod(mesh_shape)) != get_world_size():
        raise RuntimeError(
            f"Mesh should not be bigger than default world size {get_world_size()}, but found {mesh_shape}"
        )
    if mesh_dim_names is not None and len(mesh_dim_names) != len(mesh_shape):
        raise RuntimeError("mesh_shape and mesh_dim_names should have same length!")
    return DeviceMesh(device_type, np.arange(get_world_size()).reshape(mesh_shape), mesh_dim_names=mesh_dim_names)
