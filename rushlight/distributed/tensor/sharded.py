"""`DTensor`: the rows of a tensor that one process holds, the others being held by the other processes of a group."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from rushlight.core.graph import new_tensor
from rushlight.distributed.coalesced import broadcast_all
from rushlight.distributed.collectives import all_gather_into_tensor, all_reduce
from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.groups import ProcessGroup, here
from rushlight.distributed.reduce_ops import ReduceOp
from rushlight.distributed.tensor.placements import Placement, Shard
from rushlight.nn.parameter import Parameter
from rushlight.tensors import Tensor, disabled_torch_function

__all__ = ["DTensor", "ShardedParameter", "distribute_tensor", "rows_of"]


def rows_of(length: int, size: int, rank: int) -> tuple[int, int]:
    """The first and last row, exclusively, that a process holds of a tensor with so many rows: as `chunk` cuts it."""
    most = -(-length // size)
    return min(rank * most, length), min((rank + 1) * most, length)


class DTensor(Tensor):
    """Some rows of a tensor: those that this process holds. What operations see is these rows.

    `full_shape` is the shape of the whole, which `full_tensor()` brings together. Parameters of modules that
    `fully_shard` was called on, their gradients, and the state of their optimizers are of this class.
    """

    __torch_function__ = disabled_torch_function
    full_shape: tuple[int, ...]
    group: ProcessGroup
    parameter_class: ClassVar[type]  # what `nn.Parameter` makes of it

    @classmethod
    def of_rows(
        cls, rows: np.ndarray, full_shape: tuple[int, ...], group: ProcessGroup, requires_grad: bool = False
    ) -> Any:
        """This process's rows of a tensor as a DTensor."""
        made = cls.__new__(cls)
        made._array, made._needs = rows, requires_grad
        made.full_shape, made.group = full_shape, group
        return made

    @classmethod
    def from_local(cls, local_tensor: Tensor, device_mesh: DeviceMesh, placements: Sequence[Placement]) -> "DTensor":
        """A DTensor of rows that each process has, equally many in each."""
        group = rows_group(device_mesh, placements)
        length, *rest = local_tensor.shape
        return DTensor.of_rows(local_tensor._array, (length * group.size(), *rest), group, local_tensor.requires_grad)

    def alike(self, rows: np.ndarray) -> "DTensor":
        """Other rows of the same numbers, such as those of a gradient, as a DTensor."""
        return DTensor.of_rows(rows, self.full_shape, self.group)

    @property
    def device_mesh(self) -> DeviceMesh:
        """The processes that hold the rows, in a line."""
        return DeviceMesh("cpu", self.group.ranks, groups=[self.group])

    @property
    def placements(self) -> tuple[Placement, ...]:
        """How the tensor is cut: along its first dimension."""
        return (Shard(0),)

    def detach(self) -> "DTensor":
        """The same rows, without history."""
        return self.alike(self._array)

    @property
    def first_row(self) -> int:
        """The number, in the whole, of the first row that this process holds."""
        return rows_of(self.full_shape[0], self.group.size(), self.group.rank())[0]

    def to_local(self) -> Tensor:
        """The rows that this process holds, as an ordinary tensor that shares their memory."""
        return new_tensor(self._array)

    def full_tensor(self) -> Tensor:
        """The whole tensor. All processes of the group have to call it."""
        size, (length, *rest) = self.group.size(), self.full_shape
        most = -(-length // size)
        padded = np.zeros((most, *rest), self._array.dtype)
        padded[: len(self._array)] = self._array
        everything = np.empty((size * most, *rest), self._array.dtype)
        all_gather_into_tensor(new_tensor(everything), new_tensor(padded), self.group)
        return new_tensor(everything[:length])

    def combine_norms(self, norm: float, order: float) -> float:
        """The norm of the whole from the norm of the rows of each process. All processes have to call it."""
        if np.isinf(order):
            total = new_tensor(np.array([norm]))
            all_reduce(total, ReduceOp.MAX if order > 0 else ReduceOp.MIN, self.group)
            return total.item()
        total = new_tensor(np.array([norm**order]))
        all_reduce(total, group=self.group)
        return total.item() ** (1 / order)

    def __deepcopy__(self, memo: Any) -> Any:
        if id(self) not in memo:
            memo[id(self)] = self.of_rows(self._array.copy(), self.full_shape, self.group, self._needs)
        return memo[id(self)]

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return f"DTensor(rows of {self.full_shape}, local_tensor={self.to_local()!r})"


class ShardedParameter(DTensor, Parameter):  # type: ignore[misc]  # the copies of each are its own
    """The rows of a parameter: a DTensor that modules take for a Parameter."""

    def __init__(self, data: DTensor, requires_grad: bool = True):
        super().__init__(data, requires_grad)
        self.full_shape, self.group = data.full_shape, data.group


DTensor.parameter_class = ShardedParameter


def rows_group(device_mesh: DeviceMesh, placements: Sequence[Placement] | None) -> ProcessGroup:
    """The group that shares the rows of a tensor. NotImplementedError for other ways to place it than Shard(0)."""
    if device_mesh.ndim != 1 or tuple(placements or ()) != (Shard(0),):
        raise NotImplementedError(
            f"placements {placements} on a mesh of {device_mesh.ndim} dimensions are not supported: a DTensor is cut "
            "along its first dimension, (Shard(0),), on a mesh of one. A whole tensor is an ordinary one."
        )
    return device_mesh.get_group()


def distribute_tensor(
    tensor: Tensor,
    device_mesh: DeviceMesh | None = None,
    placements: Sequence[Placement] | None = None,
    *,
    src_data_rank: int | None = 0,
) -> DTensor:
    """Leaves each process some rows of a tensor: of that which the process `src_data_rank` of the group has.

    With None for it each takes its rows of its own tensor, which have to be equal. All processes have to call it.
    NotImplementedError for other placements than `(Shard(0),)`.
    """
    group = here(None) if device_mesh is None else rows_group(device_mesh, placements)
    whole = tensor._array.copy()
    if src_data_rank is not None:
        broadcast_all([new_tensor(whole)], group, src_data_rank)
    first, last = rows_of(len(whole), group.size(), group.rank())
    return DTensor.of_rows(whole[first:last].copy(), whole.shape, group, tensor.requires_grad)
