"""Sums of sparse tensors over processes: what all of them have, one after the other, with each place once."""

from typing import Any

import numpy as np

from rushlight.core.graph import new_tensor
from rushlight.distributed.groups import ProcessGroup
from rushlight.distributed.memory import packed, unpack
from rushlight.distributed.reduce_ops import ReduceOp
from rushlight.distributed.work import Work
from rushlight.sparse.elementwise import put_result
from rushlight.sparse.tensor import make, merged, sparse_dims
from rushlight.tensors import Tensor

__all__ = ["sum_sparse"]


def sum_sparse(tensor: Any, op: ReduceOp, group: ProcessGroup) -> Work:
    """Begins to make a sparse tensor on every process the sum of those of all.

    Each process sends the elements that it has, as (index, value) rows; they are added up where all have come.
    RuntimeError for another operation than the sum.
    """
    if op is not ReduceOp.SUM:
        raise RuntimeError(
            "unsupported reduction operation (allreduce of sparse tensors only works with ReduceOp.SUM). Divide the "
            "sum by the number of processes for an average; use to_dense() for the others."
        )
    own = merged(tensor)
    index, values = new_tensor(own._places.T.astype(np.int64)), own._stored.detach()
    counts = group.comm.allgather(len(values._array))
    arrived = [
        new_tensor(np.empty((count, *part._array.shape[1:]), part._array.dtype))
        for count in counts
        for part in (index, values)
    ]
    data = np.empty(sum(part._array.nbytes for part in arrived), np.uint8)
    sizes = [a._array.nbytes + b._array.nbytes for a, b in zip(arrived[::2], arrived[1::2], strict=True)]
    request = group.comm.Iallgatherv(packed([index, values]), [data, sizes])

    def finish() -> None:
        unpack(data, arrived)
        places = np.concatenate([part._array for part in arrived[::2]]).reshape(-1, sparse_dims(tensor)).T
        stored = np.concatenate([part._array for part in arrived[1::2]])
        put_result(tensor, merged(make(places, new_tensor(stored), tensor._sizes)))

    result: list[Tensor] = [tensor]
    return Work(group, "all_reduce", [request], finish, result)
