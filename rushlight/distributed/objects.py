"""Communication of Python objects: by pickle, so only between processes that trust each other."""

import pickle
from typing import Any

import numpy as np

from rushlight.core.graph import new_tensor
from rushlight.distributed.arguments import root_of
from rushlight.distributed.collectives import all_gather, broadcast, gather, scatter
from rushlight.distributed.groups import ProcessGroup, member
from rushlight.distributed.point_to_point import recv, send
from rushlight.tensors import Tensor

__all__ = [
    "all_gather_object",
    "broadcast_object_list",
    "gather_object",
    "recv_object_list",
    "scatter_object_list",
    "send_object_list",
]

Group = ProcessGroup | None


def to_tensor(item: Any) -> Tensor:
    """An object pickled as a tensor of bytes."""
    return new_tensor(np.frombuffer(pickle.dumps(item), np.uint8).copy())


def from_tensor(data: Tensor) -> Any:
    """The object pickled in a tensor of bytes."""
    return pickle.loads(data._array.tobytes())


def zeros(*shape: int) -> Tensor:
    """An int64 tensor of zeros to receive numbers."""
    return new_tensor(np.zeros(shape, np.int64))


def buffer_for(size: Tensor) -> Tensor:
    """A tensor for as many bytes as a one-element tensor says."""
    return new_tensor(np.empty(size._array.item(), np.uint8))


def sizes_of(parts: list[Tensor]) -> Tensor:
    """The sizes of several pickled objects."""
    return new_tensor(np.array([part.numel() for part in parts], np.int64))


def all_gather_object(object_list: list[Any], obj: Any, group: Group = None) -> None:
    """Gathers `obj` of every process into `object_list` on all processes.

    >>> import rushlight.distributed as dist
    >>> found = [None] * dist.get_world_size()
    >>> dist.all_gather_object(found, {"rank": dist.get_rank()})
    >>> found
    [{'rank': 0}]
    """
    members = member(group)
    if members is None:
        return
    data = to_tensor(obj)
    sizes = [zeros(1) for _ in members.ranks]
    all_gather(sizes, sizes_of([data]), members)
    parts = [buffer_for(size) for size in sizes]
    all_gather(parts, data, members)
    if len(object_list) < len(parts):
        raise IndexError(f"list assignment index out of range: object_list has to have {len(parts)} places")
    object_list[:] = [from_tensor(part) for part in parts]


def gather_object(
    obj: Any,
    object_gather_list: list[Any] | None = None,
    dst: int | None = None,
    group: Group = None,
    group_dst: int | None = None,
) -> None:
    """Gathers `obj` of every process into `object_gather_list` on process `dst`; the others pass no list.

    >>> import rushlight.distributed as dist
    >>> found = [None] * dist.get_world_size() if dist.get_rank() == 0 else None
    >>> dist.gather_object("a result", found, dst=0)
    >>> found
    ['a result']
    """
    members = member(group)
    if members is None:
        return
    root = root_of(members, dst, group_dst, "dst")
    here = members.rank() == root
    if here != (object_gather_list is not None):
        raise ValueError(
            "Argument ``gather_list`` must be specified on destination rank, and must NOT be specified on others."
        )
    data = to_tensor(obj)
    sizes = [zeros(1) for _ in members.ranks] if here else None
    gather(sizes_of([data]), sizes, group=members, group_dst=root)
    parts = [buffer_for(size) for size in sizes] if sizes else None
    gather(data, parts, group=members, group_dst=root)
    if object_gather_list is not None and parts is not None:
        object_gather_list[:] = [from_tensor(part) for part in parts]


def broadcast_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: Group = None,
    device: Any = None,
    group_src: int | None = None,
) -> None:
    """Sends the objects in the list of process `src` to all others. Lists must have the same length.

    >>> import rushlight.distributed as dist
    >>> settings = [{"lr": 0.1}] if dist.get_rank() == 0 else [None]
    >>> dist.broadcast_object_list(settings, src=0)
    >>> settings
    [{'lr': 0.1}]
    """
    members = member(group)
    if members is None:
        return
    root = root_of(members, src, group_src, "src")
    here = members.rank() == root
    parts = [to_tensor(item) for item in object_list] if here else []
    sizes = sizes_of(parts) if here else zeros(len(object_list))
    broadcast(sizes, group=members, group_src=root)
    if not here:
        parts = [buffer_for(size) for size in sizes]
    for part in parts:
        broadcast(part, group=members, group_src=root)
    if not here:
        object_list[:] = [from_tensor(part) for part in parts]


def scatter_object_list(
    scatter_object_output_list: list[Any],
    scatter_object_input_list: list[Any] | None = None,
    src: int | None = None,
    group: Group = None,
    group_src: int | None = None,
) -> None:
    """Sends each process its object of the input list of process `src`, to the first place of its output list.

    >>> import rushlight.distributed as dist
    >>> mine = [None]
    >>> dist.scatter_object_list(mine, ["a task"] if dist.get_rank() == 0 else None, src=0)
    >>> mine
    ['a task']
    """
    members = member(group)
    if members is None:
        return
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise ValueError("Expected argument scatter_object_output_list to be a list of size at least 1.")
    root = root_of(members, src, group_src, "src")
    here = members.rank() == root
    if here and not scatter_object_input_list:
        raise ValueError("source rank must provide non-None scatter_object_input_list")
    parts = [to_tensor(item) for item in scatter_object_input_list or []] if here else []
    size = zeros(1)
    scatter(size, [sizes_of([part]) for part in parts] if here else None, group=members, group_src=root)
    data = buffer_for(size)
    scatter(data, parts if here else None, group=members, group_src=root)
    scatter_object_output_list[0] = from_tensor(data)


def send_object_list(
    object_list: list[Any],
    dst: int | None = None,
    group: Group = None,
    device: Any = None,
    group_dst: int | None = None,
    use_batch: bool = False,
) -> None:
    """Sends the objects of a list to a process.

    >>> import rushlight.distributed as dist
    >>> def share(value):  # with process 1
    ...     values = [value]
    ...     if dist.get_rank() == 0:
    ...         dist.send_object_list(values, dst=1)
    ...     elif dist.get_rank() == 1:
    ...         dist.recv_object_list(values, src=0)
    ...     return values[0]
    >>> if dist.get_world_size() > 1:
    ...     print(share({"lr": 0.1}))
    """
    parts = [to_tensor(item) for item in object_list]
    send(sizes_of(parts), dst, group, group_dst=group_dst)
    for part in parts:
        send(part, dst, group, group_dst=group_dst)


def recv_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: Group = None,
    device: Any = None,
    group_src: int | None = None,
    use_batch: bool = False,
) -> int:
    """Receives objects into a list, as many as its length; returns the sender's rank, -1 outside the group.

    >>> import rushlight.distributed as dist
    >>> def share(value):  # with process 1
    ...     values = [value]
    ...     if dist.get_rank() == 0:
    ...         dist.send_object_list(values, dst=1)
    ...     elif dist.get_rank() == 1:
    ...         dist.recv_object_list(values, src=0)
    ...     return values[0]
    >>> if dist.get_world_size() > 1:
    ...     print(share({"lr": 0.1}))
    """
    sizes = zeros(len(object_list))
    source = recv(sizes, src, group, group_src=group_src)
    for i, size in enumerate(sizes):
        data = buffer_for(size)
        recv(data, source, group)
        object_list[i] = from_tensor(data)
    return source
