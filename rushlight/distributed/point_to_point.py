"""Messages from one process to another, and a barrier that names missing processes."""

import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import numpy as np

from rushlight.distributed import mpi
from rushlight.distributed.arguments import check_tag, check_tensor, named_root
from rushlight.distributed.errors import DistBackendError
from rushlight.distributed.groups import ProcessGroup, check_timeout, member
from rushlight.distributed.memory import Incoming, packed
from rushlight.distributed.work import PAUSE, ROLL_CALL, UNLIKE, Work
from rushlight.tensors import Tensor

__all__ = ["P2POp", "batch_isend_irecv", "irecv", "isend", "monitored_barrier", "recv", "send"]

Group = ProcessGroup | None


def isend(
    tensor: Tensor, dst: int | None = None, group: Group = None, tag: int = 0, group_dst: int | None = None
) -> Work | None:
    """Starts to send a tensor to a process, which receives it with the same `tag`.

    The tensor must not change before the work is done. ValueError if the receiver is this process.

    >>> import rushlight as torch
    >>> import rushlight.distributed as dist
    >>> def pass_on(x):  # from each process to the next, around the ring
    ...     rank, size = dist.get_rank(), dist.get_world_size()
    ...     received = torch.empty_like(x)
    ...     works = [dist.isend(x, (rank + 1) % size), dist.irecv(received, (rank - 1) % size)]
    ...     for work in works:
    ...         work.wait()
    ...     return received
    >>> if dist.get_world_size() > 1:
    ...     print(pass_on(torch.ones(2)))
    """
    check_tensor(tensor, "tensor")
    members = member(group)
    if members is None:
        return None
    to = named_root(members, dst, group_dst, "dst")
    if to == members.rank():
        raise ValueError(
            "Invalid destination rank: destination rank should not be the same as the rank of the current process."
        )
    return Work(members, "isend", [members.comm.Isend(packed([tensor]), to, check_tag(tag))], result=[tensor])


def irecv(
    tensor: Tensor, src: int | None = None, group: Group = None, tag: int = 0, group_src: int | None = None
) -> Work | None:
    """Starts to receive a tensor of the same size and dtype as the one sent; from any process if none is named.

    Waiting raises DistBackendError if a tensor of another size arrives.

    >>> import rushlight as torch
    >>> import rushlight.distributed as dist
    >>> def pass_on(x):  # from each process to the next, around the ring
    ...     rank, size = dist.get_rank(), dist.get_world_size()
    ...     received = torch.empty_like(x)
    ...     works = [dist.isend(x, (rank + 1) % size), dist.irecv(received, (rank - 1) % size)]
    ...     for work in works:
    ...         work.wait()
    ...     return received
    >>> if dist.get_world_size() > 1:
    ...     print(pass_on(torch.ones(2)))
    """
    check_tensor(tensor, "tensor")
    members = member(group)
    if members is None:
        return None
    anyone = src is None and group_src is None
    source = mpi.load().ANY_SOURCE if anyone else named_root(members, src, group_src, "src")
    if source == members.rank():
        raise RuntimeError(
            "Invalid source rank: source rank should not be the same as the rank of the current process."
        )
    incoming = Incoming(tensor, keep=False)

    def finish() -> None:
        if work.received() != incoming.array.nbytes:
            raise DistBackendError(
                f"irecv: {work.received()} bytes came from rank {work.source_rank()} for a tensor of "
                f"{incoming.array.nbytes} bytes. {UNLIKE}"
            )
        incoming.put()

    work = Work(members, "irecv", [members.comm.Irecv(incoming.bytes(), source, check_tag(tag))], finish, [tensor])
    return work


def send(
    tensor: Tensor, dst: int | None = None, group: Group = None, tag: int = 0, group_dst: int | None = None
) -> None:
    """Sends a tensor to a process, and returns when the tensor may be changed again.

    >>> import rushlight as torch
    >>> import rushlight.distributed as dist
    >>> def share(value):  # with process 1
    ...     values = [value]
    ...     if dist.get_rank() == 0:
    ...         dist.send(values[0], dst=1)
    ...     elif dist.get_rank() == 1:
    ...         dist.recv(values[0], src=0)
    ...     return values[0]
    >>> if dist.get_world_size() > 1:
    ...     print(share(torch.ones(2)))
    """
    work = isend(tensor, dst, group, tag, group_dst)
    if work is not None:
        work.wait()


def recv(
    tensor: Tensor, src: int | None = None, group: Group = None, tag: int = 0, group_src: int | None = None
) -> int:
    """Receives a tensor, from any process if none is named; returns the sender's rank, -1 outside the group.

    >>> import rushlight as torch
    >>> import rushlight.distributed as dist
    >>> def share(value):  # with process 1
    ...     values = [value]
    ...     if dist.get_rank() == 0:
    ...         dist.send(values[0], dst=1)
    ...     elif dist.get_rank() == 1:
    ...         dist.recv(values[0], src=0)
    ...     return values[0]
    >>> if dist.get_world_size() > 1:
    ...     print(share(torch.ones(2)))
    """
    work = irecv(tensor, src, group, tag, group_src)
    if work is None:
        return -1
    work.wait()
    return work.source_rank()


class P2POp:
    """One message of `batch_isend_irecv`: `op` is `isend` or `irecv`, `peer` the other process's global rank.

    >>> import rushlight as torch
    >>> import rushlight.distributed as dist
    >>> sent = dist.P2POp(dist.isend, torch.ones(2), peer=1)
    >>> sent.op is dist.isend, sent.peer
    (True, 1)
    """

    op: Callable[..., Any]

    tensor: Tensor
    peer: int | None
    tag: int

    def __init__(
        self,
        op: Callable[..., Any],
        tensor: Tensor,
        peer: int | None = None,
        group: Group = None,
        tag: int = 0,
        group_peer: int | None = None,
    ):
        if op not in (isend, irecv):
            raise ValueError(
                "Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or "
                "``torch.distributed.irecv``."
            )
        check_tensor(tensor, "tensor")
        if peer is None and group_peer is None:
            raise ValueError("Must specify global_rank or group_rank: pass `peer`, or `group_peer`.")
        self.op, self.tensor, self.peer, self.group, self.tag = op, tensor, peer, group, tag
        self.group_peer = group_peer


def batch_isend_irecv(p2p_op_list: list[P2POp]) -> list[Work]:
    """Starts several messages; returns their works.

    ValueError if they are of several groups or not messages, IndexError for an empty list.

    >>> import rushlight as torch
    >>> import rushlight.distributed as dist
    >>> def pass_on(x):  # from each process to the next, around the ring
    ...     rank, size = dist.get_rank(), dist.get_world_size()
    ...     received = torch.empty_like(x)
    ...     sent = dist.P2POp(dist.isend, x, (rank + 1) % size)
    ...     awaited = dist.P2POp(dist.irecv, received, (rank - 1) % size)
    ...     for work in dist.batch_isend_irecv([sent, awaited]):
    ...         work.wait()
    ...     return received
    >>> if dist.get_world_size() > 1:
    ...     print(pass_on(torch.ones(2)))
    """
    if not isinstance(p2p_op_list, list) or not all(isinstance(op, P2POp) for op in p2p_op_list):
        raise ValueError("Invalid ``p2p_op_list``. Each op is expected to be of type ``torch.distributed.P2POp``.")
    if not p2p_op_list:
        raise IndexError("list index out of range: batch_isend_irecv takes one P2POp at least")
    if len({id(op.group) for op in p2p_op_list}) > 1:
        raise ValueError("All ops need to use the same group.")
    works = [op.op(op.tensor, op.peer, op.group, op.tag, op.group_peer) for op in p2p_op_list]
    return [work for work in works if work is not None]


def monitored_barrier(group: Group = None, timeout: timedelta | None = None, wait_all_ranks: bool = False) -> None:
    """A barrier that names missing processes: rank 0 raises RuntimeError with the first missing rank.

    With `wait_all_ranks` it waits for all, and names all missing ranks.

    >>> import rushlight.distributed as dist
    >>> from datetime import timedelta
    >>> dist.monitored_barrier(timeout=timedelta(seconds=10))
    """
    members = member(group)
    if members is None:
        return
    check_timeout(timeout)
    limit = (timeout or members.timeout).total_seconds()
    comm, nothing = members.comm, np.empty(0, np.uint8)
    if members.rank() != 0:
        comm.Isend(nothing, 0, mpi.tags().came).Free()
        if not arrives(comm.Irecv(nothing, 0, mpi.tags().all_came), time.monotonic() + limit + ROLL_CALL):
            raise DistBackendError(
                f"Rank {members.ranks[members.rank()]} reached monitoredBarrier, but rank {members.ranks[0]} did not "
                f"let it pass within {(limit + ROLL_CALL) * 1000:.0f} ms: another rank is missing."
            )
        return
    end = time.monotonic() + limit
    missing = []
    for other in range(1, members.size()):
        if not arrives(comm.Irecv(nothing, other, mpi.tags().came), end):
            missing.append(str(members.ranks[other]))
            if not wait_all_ranks:
                break
    if missing:
        plural = "s" if len(missing) > 1 else ""
        raise DistBackendError(
            f"Rank{plural} {', '.join(missing)} failed to pass monitoredBarrier in {limit * 1000:.0f} ms"
        )
    for other in range(1, members.size()):
        comm.Isend(nothing, other, mpi.tags().all_came).Free()


def arrives(request: Any, end: float) -> bool:
    """Whether a message arrives before a deadline; otherwise it is cancelled."""
    while not request.Test():
        if time.monotonic() > end:
            request.Cancel()
            request.Free()
            return False
        time.sleep(PAUSE)
    return True
