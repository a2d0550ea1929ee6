"""Checks of the arguments of communication, before anything is sent."""

from collections.abc import Sequence
from typing import Any

from rushlight.core.graph import TensorBase
from rushlight.distributed import mpi
from rushlight.distributed.groups import ProcessGroup, get_group_rank, here
from rushlight.tensors import Tensor

__all__ = [
    "check_count",
    "check_own",
    "check_some",
    "check_tag",
    "check_tensor",
    "check_tensors",
    "named_root",
    "root_of",
]


def check_tensor(tensor: Tensor, name: str) -> None:
    """TypeError for anything but a tensor, NotImplementedError for a sparse one."""
    if not isinstance(tensor, TensorBase):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type torch.Tensor but got {type(tensor)} "
            "instead."
        )
    refuse_sparse([tensor])


def check_tensors(tensors: list[Tensor], name: str) -> None:
    """TypeError for anything but a list of tensors, and for tensors of several types."""
    if not isinstance(tensors, (list, tuple)) or not all(isinstance(tensor, TensorBase) for tensor in tensors):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor] but got "
            f"{type(tensors)} with elements of type {sorted({type(t).__name__ for t in tensors})} instead."
        )
    refuse_sparse(tensors)
    if len({tensor.dtype for tensor in tensors}) > 1:
        raise ValueError(f"Invalid usage of tensors with different dtypes: {name} has {[t.dtype for t in tensors]}")


def check_some(tensors: list[Tensor]) -> None:
    """NotImplementedError for an empty list."""
    if not tensors:
        raise NotImplementedError(
            "There were no tensor arguments to this function (e.g., you passed an empty list of Tensors): every "
            "process has to pass the same number of tensors, at least one."
        )


def refuse_sparse(tensors: Sequence[Tensor]) -> None:
    """NotImplementedError for a sparse tensor."""
    if any(tensor.is_sparse for tensor in tensors):
        raise NotImplementedError(
            "Could not run a communication with arguments from the 'SparseCPU' backend: of sparse tensors there are "
            "sums alone, all_reduce(tensor). Use to_dense() for others."
        )


def check_count(tensors: Sequence[Tensor], group: ProcessGroup, name: str) -> None:
    """RuntimeError if a list does not have a tensor for each process."""
    if len(tensors) != group.size():
        raise RuntimeError(
            f"invalid tensor list size, must be world size: {name} has {len(tensors)} tensors, but the group has "
            f"{group.size()} processes"
        )


def check_own(tensor: Tensor, other: Tensor, name: str) -> None:
    """For what this process sends to itself: ValueError for different dtypes, RuntimeError for different sizes."""
    if tensor.dtype != other.dtype:
        raise ValueError(f"Invalid usage of tensors with different dtypes: {other.dtype} and {tensor.dtype}")
    if tensor.numel() != other.numel():
        raise RuntimeError(
            f"{name}: invalid tensor size: this process's own has {tensor.numel()} elements in one place and "
            f"{other.numel()} in the other"
        )


def named_root(group: ProcessGroup, rank: int | None, group_rank: int | None, name: str) -> int:
    """The rank in the group of a process named by its global rank or by its rank in the group.

    ValueError if neither or both are given, or if the process is not in the group; TypeError for a rank that is not an
    integer; RuntimeError for a rank that does not exist.
    """
    if rank is None and group_rank is None:
        raise ValueError(f"Must specify global_rank or group_rank: pass `{name}`, or `group_{name}`.")
    if rank is not None and group_rank is not None:
        raise ValueError(f"Can't specify both group_{name} and {name}")
    number: Any
    among, number = (here(None), rank) if rank is not None else (group, group_rank)
    if not hasattr(number, "__index__"):
        raise TypeError(f"{name}: a rank is an int, but got {type(number).__name__}")
    if not 0 <= number < among.size():
        raise RuntimeError(f"invalid root rank: {number}. `{name}` has to be 0 to {among.size() - 1}.")
    return number if rank is None else get_group_rank(group, number)


def root_of(group: ProcessGroup, rank: int | None, group_rank: int | None, name: str) -> int:
    """As `named_root`; by default the first process of the group."""
    return named_root(group, rank, 0 if rank is None and group_rank is None else group_rank, name)


def check_tag(tag: int) -> int:
    """A tag. ValueError for one that is not available to users."""
    if not 0 <= tag < min(mpi.tags()):
        raise ValueError(f"tag has to be 0 to {min(mpi.tags()) - 1}, but got {tag}")
    return tag
