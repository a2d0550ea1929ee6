"""`torch.ops.c10d` and `torch.ops.c10d_functional`: the names of collectives, by which `CommDebugMode` counts them."""

from types import SimpleNamespace

from rushlight.ops.overloads import OpOverloadPacket

__all__ = ["NAMESPACES"]

NAMES = {
    "c10d": """
        allreduce_ allreduce_coalesced_ reduce_ broadcast_ allgather_ allgather_coalesced_ _allgather_base_ gather_
        scatter_ reduce_scatter_ _reduce_scatter_base_ alltoall_ alltoall_base_
    """,
    "c10d_functional": "all_reduce all_gather_into_tensor reduce_scatter_tensor",
}
NAMESPACES: dict[str, SimpleNamespace] = {
    namespace: SimpleNamespace(**{name: OpOverloadPacket(namespace, name, None, ["default"]) for name in names.split()})
    for namespace, names in NAMES.items()
}
