"""`DTensor`: the rows of a tensor that one process holds, the others being held by the other processes of a group."""

from typing import Any

import numpy as np

from rushlight.core.graph import new_tensor
from rushlight.distributed.collectives import all_gather_into_tensor, all_reduce
from rushlight.distributed.groups import ProcessGroup
from rushlight.distributed.reduce_ops import ReduceOp
from rushlight.tensors import Tensor, disabled_torch_function

__all__ = ["DTensor", "rows_of"]


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

    @classmethod
    def of_rows(cls, rows: np.ndarray, full_shape: tuple[int, ...], group: ProcessGroup, requires_grad: bool = False):
        """This process's rows of a tensor as a DTensor."""
        made = cls.__new__(cls)
        made._array, made._needs = rows, requires_grad
        made.full_shape, made.group = full_shape, group
        return made

    def detach(self) -> "DTensor":
        """The same rows, without history."""
        return self.of_rows(self._array, self.full_shape, self.group)

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

    def __repr__(self, *, tensor_contents: Any = None):
        return f"DTensor(rows of {self.full_shape}, local_tensor={self.to_local()!r})"
