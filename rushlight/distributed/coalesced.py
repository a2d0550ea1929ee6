"""Sending many tensors as one message: each message has a fixed cost, whatever its size."""

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from rushlight.core.graph import new_tensor
from rushlight.distributed.collectives import broadcast
from rushlight.distributed.groups import ProcessGroup
from rushlight.distributed.memory import Incoming, outgoing, parts_of
from rushlight.tensors import Tensor

__all__ = ["broadcast_all"]


def broadcast_all(tensors: Iterable[Tensor], group: ProcessGroup, root: int = 0) -> None:
    """Broadcasts tensors from the process `root` of a group: one message for each dtype."""
    by_dtype: dict[np.dtype, list[Tensor]] = defaultdict(list)
    for tensor in tensors:
        by_dtype[tensor._array.dtype].append(tensor)
    for same in by_dtype.values():
        if len(same) == 1:
            broadcast(same[0], group=group, group_src=root)
            continue
        flat = np.concatenate([outgoing(tensor).reshape(-1) for tensor in same])
        broadcast(new_tensor(flat), group=group, group_src=root)
        if group.rank() == root:
            continue
        for tensor, part in zip(same, parts_of(flat, same), strict=True):
            Incoming(tensor, keep=False).put(part)
