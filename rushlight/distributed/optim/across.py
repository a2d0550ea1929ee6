"""`DistributedOptimizer`: an optimizer in each worker that holds parameters."""

from collections import defaultdict
from typing import Any

from rushlight.core.locks import lock
from rushlight.distributed.rpc import RRef, WorkerInfo, rpc_async
from rushlight.distributed.rpc.passes import get_gradients
from rushlight.futures import wait_all
from rushlight.optim import Optimizer

__all__ = ["DistributedOptimizer"]

STEPS = lock()  # steps in one worker are serialized: optimizers may share parameters


class Local:
    """The optimizer of one worker, for its parameters."""

    def __init__(self, optimizer_class: type[Optimizer], params: list[RRef[Any]], args: Any, kwargs: Any):
        self.optimizer: Any = optimizer_class([param.local_value() for param in params], *args, **kwargs)

    def step(self, context_id: int) -> None:
        """Takes a step with the gradients of the context in this worker."""
        with STEPS:
            for param, grad in get_gradients(context_id).items():
                param.grad = grad
            self.optimizer.step()


def make(optimizer_class: type[Optimizer], params: list[RRef[Any]], args: Any, kwargs: Any) -> RRef[Local]:
    """Makes the optimizer of this worker; returns a reference to it."""
    return RRef(Local(optimizer_class, params, args, kwargs))


class DistributedOptimizer:
    """Optimizes parameters of several workers: each of them has an optimizer that takes the steps.

    `params_rref` are references to parameters; `args` and `kwargs` go to the optimizers. Gradients are those of a
    distributed autograd context. Steps in one worker are taken one after another.

    >>> import rushlight as torch
    >>> from rushlight.distributed import autograd, rpc
    >>> from rushlight.distributed.optim import DistributedOptimizer
    >>> rpc.init_rpc("worker", rank=0, world_size=1)
    >>> weight = torch.ones(2, requires_grad=True)
    >>> optimizer = DistributedOptimizer(torch.optim.SGD, [rpc.RRef(weight)], lr=0.5)
    >>> with autograd.context() as context_id:
    ...     loss = rpc.rpc_sync("worker", torch.mul, (weight, weight)).sum()
    ...     autograd.backward(context_id, [loss])
    ...     optimizer.step(context_id)
    >>> weight.tolist()
    [0.0, 0.0]
    >>> del optimizer
    >>> rpc.shutdown()
    """

    remote_optimizers: list[RRef[Any]]

    def __init__(self, optimizer_class: type[Optimizer], params_rref: list[RRef[Any]], *args: Any, **kwargs: Any):
        held = defaultdict[WorkerInfo, list[RRef[Any]]](list)
        for param in params_rref:
            held[param.owner()].append(param)
        calls = [rpc_async(worker, make, (optimizer_class, params, args, kwargs)) for worker, params in held.items()]
        self.remote_optimizers = wait_all(calls)

    def step(self, context_id: int) -> None:
        """Takes a step in each worker, with the context's gradients there. RuntimeError for an unknown context."""
        get_gradients(context_id)
        wait_all([optimizer.rpc_async().step(context_id) for optimizer in self.remote_optimizers])
