"""Remote calls and references over MPI: PyTorch's `torch.distributed.rpc`.

    rpc.init_rpc(f"worker{rank}", rank=rank, world_size=2)
    if rank == 0:
        total = rpc.rpc_sync("worker1", torch.add, args=(torch.ones(2), 3))
        model = rpc.remote("worker1", Model)
        model.rpc_sync().forward(total)
    rpc.shutdown()

Gradients flow through calls in a context of `torch.distributed.autograd`.
"""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.distributed.rpc import functions as functions
from rushlight.distributed.rpc.agent import is_current as _is_current_rpc_agent_set
from rushlight.distributed.rpc.api import *
from rushlight.distributed.rpc.options import *
from rushlight.distributed.rpc.rref import RRef as RRef


def is_available() -> bool:
    """Whether remote calls are available: True.

    >>> from rushlight.distributed import rpc
    >>> rpc.is_available()
    True
    """
    return True


_explain_misses(globals())
