"""`CommDebugMode`: counts communication by operator."""

from collections import defaultdict
from typing import Any, Self

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.distributed.agreement import Setting
from rushlight.ops.collective_names import NAMESPACES

__all__ = ["CommDebugMode"]

C10D = {  # the names of public functions in PyTorch's dispatcher
    "all_reduce": "allreduce_",
    "all_reduce_coalesced": "allreduce_coalesced_",
    "reduce": "reduce_",
    "broadcast": "broadcast_",
    "all_gather": "allgather_",
    "all_gather_coalesced": "allgather_coalesced_",
    "all_gather_into_tensor": "_allgather_base_",
    "gather": "gather_",
    "scatter": "scatter_",
    "reduce_scatter": "reduce_scatter_",
    "reduce_scatter_tensor": "_reduce_scatter_base_",
    "all_to_all": "alltoall_",
    "all_to_all_single": "alltoall_base_",
}


class CommDebugMode:
    """A context that counts the collectives of this process, by PyTorch's operators.

    Calls of DTensors are counted as `torch.ops.c10d_functional`, those of programs and FSDP as `torch.ops.c10d`.
    Tables by module (`generate_comm_debug_tracing_table`) are not supported.

    >>> import rushlight as torch
    >>> import rushlight.distributed as dist
    >>> from rushlight.distributed.tensor.debug import CommDebugMode
    >>> comm_mode = CommDebugMode()
    >>> with comm_mode:
    ...     dist.all_reduce(torch.ones(1))
    >>> comm_mode.get_total_counts(), dict(comm_mode.get_comm_counts())
    (1, {<OpOverloadPacket(op='c10d.allreduce_')>: 1})
    """

    def __init__(self) -> None:
        self.comm_counts: dict[Any, int] = defaultdict(int)

    def __enter__(self) -> Self:
        self.comm_counts.clear()
        Setting.watchers.append(self._count)
        return self

    def __exit__(self, *error: object) -> None:
        Setting.watchers.remove(self._count)

    def _count(self, namespace: str, name: str) -> None:
        name = C10D.get(name, "") if namespace == "c10d" else name
        packet = getattr(NAMESPACES[namespace], name, None)
        if packet is not None:
            self.comm_counts[packet] += 1

    def get_comm_counts(self) -> dict[Any, int]:
        """The number of calls by operator; 0 for others."""
        return self.comm_counts

    def get_total_counts(self) -> int:
        """The number of all calls."""
        return sum(self.comm_counts.values())

    def __repr__(self) -> str:
        return f"CommDebugMode(get_total_counts()={self.get_total_counts()})"


_explain_misses(globals())
