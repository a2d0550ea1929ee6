"""Sums of sparse tensors over processes: elements are gathered, and coalesced."""

from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.graph import new_tensor
from rushlight.distributed.groups import ProcessGroup
from rushlight.distributed.reduce_ops import ReduceOp
from rushlight.distributed.work import Work
from rushlight.sparse.elementwise import put_result
from rushlight.sparse.tensor import merged, sparse_of
from rushlight.tensors import Tensor

__all__ = ["sum_sparse"]


def sum_sparse(tensor: Any, op: ReduceOp, group: ProcessGroup) -> Work:
    """Starts to sum a sparse tensor over all processes, which all get the result.

    Each process sends its elements as (index, value) rows; they are summed when all have arrived. RuntimeError for
    other operations than the sum.
    """
    if op is not ReduceOp.SUM:
        raise RuntimeError(
            "unsupported reduction operation (allreduce of sparse tensors only works with ReduceOp.SUM). Divide the "
            "sum by the number of processes for an average; use to_dense() for the others."
        )
    own = merged(tensor)
    counts = group.comm.allgather(own._places.shape[1])
    places, places_request = gathered(group, own._places.T.astype(np.int64), counts)
    stored, stored_request = gathered(group, own._stored._array, counts)

    def finish() -> None:
        put_result(tensor, merged(sparse_of(places.T, new_tensor(stored), tensor._sizes)))

    result: list[Tensor] = [tensor]
    return Work(group, "all_reduce", [places_request, stored_request], finish, result)


def gathered(group: ProcessGroup, rows: Array, counts: list[int]) -> tuple[Array, Any]:
    """The array for the rows of all processes, concatenated, of so many each; and MPI's request."""
    arrived = np.empty((sum(counts), *rows.shape[1:]), rows.dtype)
    size = arrived[:1].nbytes if len(arrived) else 0
    data = arrived.reshape(-1).view(np.uint8)
    own = np.ascontiguousarray(rows).reshape(-1).view(np.uint8)
    return arrived, group.comm.Iallgatherv(own, [data, [count * size for count in counts]])
