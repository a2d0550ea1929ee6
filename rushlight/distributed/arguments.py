"""What communication asks of its arguments, before anything is sent."""

from collections.abc import Sequence

from rushlight.core.graph import TensorBase
from rushlight.distributed import mpi
from rushlight.distributed.groups import ProcessGroup, get_global_rank, get_group_rank
from rushlight.tensors import Tensor

__all__ = ["check_count", "check_own", "check_tag", "check_tensor", "check_tensors", "root_of"]


def check_tensor(tensor: Tensor, name: str) -> None:
    """TypeError for anything but a tensor."""
    if not isinstance(tensor, TensorBase):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type torch.Tensor but got {type(tensor)} "
            "instead."
        )


def check_tensors(tensors: list[Tensor], name: str) -> None:
    """TypeError for anything but a list of tensors, and for tensors of several types."""
    if not isinstance(tensors, (list, tuple)) or not all(isinstance(tensor, TensorBase) for tensor in tensors):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor] but got "
            f"{type(tensors)} with elements of type {sorted({type(t).__name__ for t in tensors})} instead."
        )
    if len({tensor.dtype for tensor in tensors}) > 1:
        raise ValueError(f"Invalid usage of tensors with different dtypes: {name} has {[t.dtype for t in tensors]}")


def check_count(tensors: Sequence[Tensor], group: ProcessGroup, name: str) -> None:
    """ValueError where a list does not have a tensor for each process."""
    if len(tensors) != group.size():
        raise ValueError(f"{name} has {len(tensors)} tensors, but the group has {group.size()} processes")


def check_own(tensor: Tensor, other: Tensor, name: str) -> None:
    """ValueError where what this process sends to itself has another dtype there, RuntimeError for another size."""
    if tensor.dtype != other.dtype:
        raise ValueError(f"Invalid usage of tensors with different dtypes: {other.dtype} and {tensor.dtype}")
    if tensor.numel() != other.numel():
        raise RuntimeError(
            f"{name}: invalid tensor size: this process's own has {tensor.numel()} elements in one place and "
            f"{other.numel()} in the other"
        )


def root_of(group: ProcessGroup, rank: int | None, group_rank: int | None, name: str) -> int:
    """The rank in the group of the process that a call names by its rank among all, or in the group; 0 by default."""
    if rank is not None and group_rank is not None:
        raise ValueError(f"Can't specify both group_{name} and {name}")
    if rank is not None:
        return get_group_rank(group, rank)
    found = group_rank or 0
    get_global_rank(group, found)
    return found


def check_tag(tag: int) -> int:
    """A tag. ValueError for one that messages of users cannot have."""
    if not 0 <= tag < min(mpi.tags()):
        raise ValueError(f"tag has to be 0 to {min(mpi.tags()) - 1}, but got {tag}")
    return tag
