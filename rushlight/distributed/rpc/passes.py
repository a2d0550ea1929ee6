"""Distributed backward passes through several workers, within a context.

First the workers find out what takes part: the worker that starts a pass follows the graph from its roots, and if that
came from another worker, asks that one to continue. So each worker knows which of the tensors that it sent will get a
gradient, and a node that leads to several of them waits for all. (PyTorch assumes that everything that was sent takes
part, and waits forever if it does not.) Then gradients are sent, each as soon as it is known.
"""

from collections.abc import Sequence
from itertools import count
from typing import Any

from rushlight.autograd.function_node import FunctionNode
from rushlight.autograd.roots import target_of
from rushlight.core.engine import Backward
from rushlight.core.locks import reentrant_lock
from rushlight.core.modes import in_grad_mode
from rushlight.distributed.rpc.agent import current
from rushlight.distributed.rpc.contexts import PASS, Context, Origin, RecvRpc, entered
from rushlight.distributed.rpc.failures import failed_pass
from rushlight.distributed.rpc.functions import async_execution
from rushlight.futures import Future, collect_all
from rushlight.ops.making.creation import ones_like
from rushlight.tensors import Tensor

__all__ = ["Pass", "backward", "get_gradients"]

NUMBERS = count()


class Pass:
    """A backward pass in one worker: a run of the engine that waits for gradients from others."""

    def __init__(self, context: Context, number: tuple[int, int], keep_graph: bool):
        self.context, self.number, self.keep_graph = context, number, keep_graph
        self.run = Backward(keep_graph, False)
        self.lock: Any = reentrant_lock()
        self.awaited: set[int] = set()  # the numbers of sent tensors that will get gradients
        self.under_way: list[Future[Any]] = []
        self.shown: dict[Tensor, Any] = {}  # leaves with the context's `.grad` during the pass: the former one

    def await_roots(self, vertices: list[Any]) -> Future[Any]:
        """Registers roots; returns a future that is done when all workers behind them know what takes part."""
        with self.lock:
            reached = self.run.hold(vertices)
        origins = [vertex.ctx.origin for vertex in reached if is_arrival(vertex)]
        return together([self.ask(worker, origins) for worker in sorted({origin.worker for origin in origins})])

    def ask(self, worker: int, origins: list[Origin]) -> Future[Any]:
        """Asks a worker to take part with what it sent."""
        numbers = [origin.number for origin in origins if origin.worker == worker]
        told = (self.context.number, self.number, self.keep_graph, numbers)
        return current().call(worker, take_part, told, timeout=0)

    def await_sent(self, numbers: list[int]) -> Future[Any]:
        """Takes part with tensors that this worker sent."""
        self.awaited.update(numbers)
        return self.await_roots([target_of(tensor)[0] for number in numbers for tensor in self.context.sent[number]])

    def feed(self, tensors: Sequence[Tensor], grads: Sequence[Tensor]) -> Future[Any]:
        """Propagates gradients; returns a future that is done when all that follows from them has arrived."""
        roots = [(*target_of(tensor), grad._array) for tensor, grad in zip(tensors, grads, strict=True)]
        with self.lock, entered(PASS, self), in_grad_mode(False):
            try:
                for leaf, grad in self.run.feed(roots).items():
                    self.arrive(leaf, grad)
            except Exception as error:
                raise failed_pass(error, current().me) from error
            under_way, self.under_way = self.under_way, []
        return together(under_way)

    def arrive(self, leaf: Tensor, grad: Any) -> None:
        """Accumulates a leaf's gradient; post-accumulate hooks, such as those of replicas, may change it in `.grad`."""
        self.context.add(leaf, grad)
        if leaf.hooks is None or not leaf.hooks.post_accumulate:
            return
        self.shown.setdefault(leaf, leaf.grad)
        leaf.grad = self.context.gradients[leaf]
        leaf.hooks.accumulated(leaf)

    def feed_sent(self, number: int, grads: Sequence[Tensor]) -> Future[Any]:
        """Propagates the gradients of what this worker sent; after the last of them its part is done."""
        done = self.feed(self.context.sent[number], grads)
        with self.lock:
            self.awaited.discard(number)
            if not self.awaited and self.number[0] != current().me.id:
                self.end()
        return done

    def send_back(self, origin: Origin, grads: Sequence[Tensor]) -> None:
        """Sends gradients back to the worker that the tensors came from."""
        told = (self.context.number, self.number, origin.number, list(grads))
        self.under_way.append(current().call(origin.worker, take_gradients, told, timeout=0))

    def end(self) -> None:
        """Releases the graph, and takes over changes of gradients by hooks."""
        self.run.let_go()
        for leaf, before in self.shown.items():
            found, leaf.grad = leaf.grad, before
            if found is None:
                self.context.gradients.pop(leaf, None)
            else:
                self.context.gradients[leaf] = found
        self.shown.clear()
        self.context.passes.pop(self.number, None)


def is_arrival(vertex: Any) -> bool:
    """Whether a vertex is where tensors from another worker were received."""
    return isinstance(vertex, FunctionNode) and vertex._forward_cls is RecvRpc


def together(futures: list[Future[Any]]) -> Future[Any]:
    """A future that is done when all are done; it has the first exception of any."""
    all_done: Future[Any] = Future()

    def settle(done: Future[list[Future[Any]]]) -> None:
        try:
            all_done.set_result([future.value() for future in done.value()])
        except Exception as error:
            all_done.set_exception(error)

    collect_all(futures).add_done_callback(settle)
    return all_done


def pass_of(context: Context, number: tuple[int, int], keep_graph: bool) -> Pass:
    """The pass of a number, which this worker joins if it is new."""
    with context.lock:
        if number not in context.passes:
            context.passes[number] = Pass(context, number, keep_graph)
        return context.passes[number]


@async_execution
def take_part(context: int, number: tuple[int, int], keep_graph: bool, sent: list[int]) -> Future[Any]:
    """Called remotely first: follows the graph from some of what this worker sent."""
    return pass_of(current().contexts.find(context), number, keep_graph).await_sent(sent)


@async_execution
def take_gradients(context: int, number: tuple[int, int], sent: int, grads: list[Tensor]) -> Future[Any]:
    """Called remotely afterwards: continues with gradients."""
    return current().contexts.find(context).passes[number].feed_sent(sent, grads)


def backward(context_id: int, roots: list[Tensor], retain_graph: bool = False) -> None:
    """Runs backward from scalar tensors through all workers that they depend on.

    Gradients of leaves are accumulated in the context, in the leaf's worker, not in `.grad`; `get_gradients` returns
    them. Sent tensors that `roots` do not depend on take no part. RuntimeError for an unknown context, for roots that
    are not scalars or do not require grad, and for any failure in another worker's part of the pass.

    >>> import rushlight as torch
    >>> from rushlight.distributed import autograd, rpc
    >>> rpc.init_rpc("worker", rank=0, world_size=1)
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> with autograd.context() as context_id:
    ...     y = rpc.rpc_sync("worker", torch.mul, (x, x))
    ...     autograd.backward(context_id, [y])
    ...     print(autograd.get_gradients(context_id)[x])
    tensor(6.)
    >>> rpc.shutdown()
    """
    agent = current()
    check_roots(context_id, roots)
    context = agent.contexts.find(context_id)
    begun = pass_of(context, (agent.me.id, next(NUMBERS)), retain_graph)
    try:
        begun.await_roots([target_of(root)[0] for root in roots]).wait()
        begun.feed(roots, [ones_like(root.detach()) for root in roots]).wait()
    finally:
        begun.end()


def check_roots(context_id: Any, roots: Any) -> None:
    """Raises for invalid contexts or roots."""
    are_tensors = isinstance(roots, (list, tuple)) and all(isinstance(root, Tensor) for root in roots)
    if not isinstance(context_id, int) or not are_tensors:
        raise TypeError(
            "backward(): incompatible function arguments. Give the number of a context and a list of tensors: "
            "backward(context_id, [loss])."
        )
    if not roots:
        raise RuntimeError("No tensors provided for gradient computation.")
    for root in roots:
        if not root.requires_grad:
            raise RuntimeError("requires_grad not set on root")
        if root.numel() != 1:
            raise RuntimeError(f"Root of shape {tuple(root.shape)} is not a scalar, all roots need to be scalar")
        if root.grad_fn is None:
            raise RuntimeError("root does not have a valid gradient function: it is a leaf.")


def get_gradients(context_id: int) -> dict[Tensor, Tensor]:
    """The gradients of this worker's leaves in a context, by leaf. RuntimeError for an unknown context.

    >>> from rushlight.distributed import autograd, rpc
    >>> rpc.init_rpc("worker", rank=0, world_size=1)
    >>> with autograd.context() as context_id:
    ...     autograd.get_gradients(context_id)
    {}
    >>> rpc.shutdown()
    """
    return dict(current().contexts.find(context_id).gradients)
