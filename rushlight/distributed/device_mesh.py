"""`DeviceMesh`: processes arranged in an array, with a group for each row and column."""

import os
from typing import Any

import numpy as np

from rushlight.core.graph import new_tensor
from rushlight.cuda import set_device
from rushlight.distributed.groups import (
    GroupMember,
    ProcessGroup,
    get_rank,
    get_world_size,
    init_process_group,
    is_initialized,
    new_group,
)
from rushlight.tensors import Tensor

__all__ = ["DeviceMesh", "init_device_mesh"]


class DeviceMesh:
    """The ranks of all processes as an array, and this process's group along each of its dimensions.

    >>> import rushlight.distributed as dist
    >>> mesh = dist.DeviceMesh("cpu", [0], mesh_dim_names=("data",))
    >>> mesh.shape, mesh.get_local_rank("data")
    ((1,), 0)
    """

    def __init__(
        self,
        device_type: str,
        mesh: Any,
        *,
        mesh_dim_names: tuple[str, ...] | None = None,
        groups: list[ProcessGroup] | None = None,
    ):
        self.device_type = device_type
        self._ranks = np.asarray(mesh)
        self.mesh_dim_names: tuple[str, ...] | None = None if mesh_dim_names is None else tuple(mesh_dim_names)
        if groups is None:
            _join(device_type, self._ranks.size)
        self._groups = self._make_groups() if groups is None else groups

    def _make_groups(self) -> list[ProcessGroup]:
        """Makes a group of each line of the mesh; returns those of this process, one for each dimension."""
        own = []
        for dim in range(self._ranks.ndim):
            for line in np.moveaxis(self._ranks, dim, -1).reshape(-1, self._ranks.shape[dim]).tolist():
                group = new_group(line, sort_ranks=False)
                if group is not GroupMember.NON_GROUP_MEMBER:
                    own.append(group)
        return own  # type: ignore[return-value]  # the others are NON_GROUP_MEMBER

    def _number(self, dim: int | str | None) -> int:
        """The number of a dimension. RuntimeError if it must be named and is not; KeyError for unknown names."""
        if dim is None:
            if self._ranks.ndim > 1:
                raise RuntimeError("Optional kwarg `mesh_dim` needs to be specified when device_mesh.ndim > 1.")
            return 0
        if isinstance(dim, int):
            return dim
        if dim not in (self.mesh_dim_names or ()):
            raise KeyError(f"Invalid mesh_dim_name {dim}: this mesh has {self.mesh_dim_names}.")
        return list(self.mesh_dim_names or ()).index(dim)

    @staticmethod
    def from_group(
        group: ProcessGroup | list[ProcessGroup],
        device_type: str,
        mesh: Any = None,
        *,
        mesh_dim_names: tuple[str, ...] | None = None,
    ) -> "DeviceMesh":
        """The mesh of a group's processes; for several groups, one per dimension, `mesh` gives the ranks."""
        groups = group if isinstance(group, list) else [group]
        if mesh is None and len(groups) != 1:
            raise ValueError("Must pass mesh if passing multiple ProcessGroups")
        ranks = groups[0].ranks if mesh is None else mesh
        return DeviceMesh(device_type, ranks, mesh_dim_names=mesh_dim_names, groups=groups)

    @property
    def mesh(self) -> Tensor:
        """The ranks as a tensor."""
        return new_tensor(self._ranks.astype(np.int32))

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._ranks.ndim

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of processes along each dimension."""
        return self._ranks.shape

    def size(self, mesh_dim: int | None = None) -> int:
        """The number of processes, in total or along a dimension."""
        return self._ranks.size if mesh_dim is None else self._ranks.shape[mesh_dim]

    def get_group(self, mesh_dim: int | str | None = None) -> ProcessGroup:
        """This process's group along a dimension. IndexError for a process outside the mesh."""
        if not self._groups:
            raise IndexError(f"list index out of range: rank {get_rank()} is in no group of {self}.")
        return self._groups[self._number(mesh_dim)]

    def get_all_groups(self) -> list[ProcessGroup]:
        """This process's groups along all dimensions."""
        return list(self._groups)

    def get_local_rank(self, mesh_dim: int | str | None = None) -> int:
        """The rank of this process in its group along a dimension."""
        return self.get_group(mesh_dim).rank()

    def get_rank(self) -> int:
        """The rank of this process among all."""
        return get_rank()

    def get_coordinate(self) -> tuple[int, ...] | None:
        """The coordinates of this process in the mesh; None if it is outside."""
        found = np.argwhere(self._ranks == get_rank())
        return tuple(found[0].tolist()) if len(found) else None

    def __getitem__(self, names: str | tuple[str, ...]) -> "DeviceMesh":
        """The submesh of the processes that differ from this one only along the named dimensions."""
        names = (names,) if isinstance(names, str) else tuple(names)
        dims = [self._number(name) for name in names]
        places = enumerate(self.get_coordinate() or [0] * self.ndim)
        at = [slice(None) if dim in dims else place for dim, place in places]
        left = sorted(dims)
        ranks = self._ranks[tuple(at)].transpose([left.index(dim) for dim in dims])
        groups = [self._groups[dim] for dim in dims] if self._groups else []
        return DeviceMesh(self.device_type, ranks, mesh_dim_names=names, groups=groups)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DeviceMesh):
            return NotImplemented
        alike = self.device_type == other.device_type and self.mesh_dim_names == other.mesh_dim_names
        return alike and np.array_equal(self._ranks, other._ranks)

    def __hash__(self) -> int:
        return hash((self.device_type, self.mesh_dim_names, self._ranks.tobytes()))

    def __repr__(self) -> str:
        names, shape = self.mesh_dim_names, str(self.shape)
        if names is not None:
            shape = ", ".join(f"{name}={size}" for name, size in zip(names, self.shape, strict=True))
            shape = f"({shape})"
        steps = [np.diff(self._ranks, axis=dim).ravel() for dim in range(self.ndim)]
        strides = tuple(int(step[0]) if step.size else () for step in steps)  # a single process has no stride
        return f"DeviceMesh({shape}, {self.device_type!r}, stride={strides})"


def _join(device_type: str, ranks: int) -> None:
    """Joins the default group. RuntimeError for more ranks in a mesh than processes.

    AttributeError for "cuda" in a launched process, as there is no such device.
    """
    if not is_initialized():
        init_process_group()
    if ranks > get_world_size():
        raise RuntimeError(
            f"Mesh should not be bigger than default world size {get_world_size()}, but found {ranks} ranks!"
        )
    if device_type == "cuda" and "LOCAL_RANK" in os.environ:
        set_device(int(os.environ["LOCAL_RANK"]))  # raises, as in PyTorch's build for CPUs


def init_device_mesh(
    device_type: str, mesh_shape: tuple[int, ...], *, mesh_dim_names: tuple[str, ...] | None = None
) -> DeviceMesh:
    """Makes a mesh of processes, in row-major order: of all, or of the first ones if it has fewer places.

    RuntimeError for a device with an index, for more places than processes, and for names that are not unique or not
    one for each dimension.
    dimension, or not different.

    >>> import rushlight.distributed as dist
    >>> mesh = dist.init_device_mesh("cpu", (1,), mesh_dim_names=("data",))
    >>> mesh.size()
    1
    """
    if not device_type.isalpha():
        raise RuntimeError(f"Device type with index is not supported but got {device_type}: leave out the index.")
    if mesh_dim_names is not None and len(set(mesh_dim_names)) != len(mesh_dim_names):
        raise RuntimeError(
            f"Each mesh_dim_name must be unique. Found repeated mesh_dim_name in mesh_dim_names {mesh_dim_names}"
        )
    if mesh_dim_names is not None and len(mesh_dim_names) != len(mesh_shape):
        raise RuntimeError(
            "mesh_shape and mesh_dim_names should have same length! "
            f"Found len(mesh_dim_names): {len(mesh_dim_names)} and len(mesh_shape):{len(mesh_shape)}."
        )
    ranks = np.arange(int(np.prod(mesh_shape))).reshape(mesh_shape)
    return DeviceMesh(device_type, ranks, mesh_dim_names=mesh_dim_names)
