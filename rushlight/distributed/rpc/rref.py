"""`RRef`: a reference to a value in some worker."""

from collections.abc import Callable
from concurrent.futures import TimeoutError as NotInTime
from functools import partial
from typing import Any, Generic, TypeVar

from rushlight.distributed.rpc.agent import Agent, Passed, Reference, current
from rushlight.distributed.rpc.failures import Failure, failure_of, timed_out
from rushlight.distributed.rpc.functions import async_execution, awaited
from rushlight.distributed.rpc.options import UNSET_TIMEOUT, WorkerInfo
from rushlight.distributed.rpc.passes import backward
from rushlight.distributed.rpc.references import Mark
from rushlight.futures import Future
from rushlight.tensors import Tensor

__all__ = ["RRef", "create", "reference_to"]

T = TypeVar("T")


class RRef(Reference, Generic[T]):
    """A reference to a value that one worker, its owner, holds as long as any worker has a reference to it.

    `RRef(value)` refers to a value of this worker; `remote` returns references to results in others. References can be
    passed in the arguments and results of calls only: pickle raises RuntimeError.

    >>> from rushlight.distributed import rpc
    >>> rpc.init_rpc("worker", rank=0, world_size=1)
    >>> reference = rpc.RRef([1, 2])
    >>> reference.to_here(), reference.owner_name(), reference.rpc_sync().index(2)
    ([1, 2], 'worker', 1)
    >>> del reference
    >>> rpc.shutdown()
    """

    _agent: Agent | None = None
    _mark: Mark
    _creation: Future[Any] | None

    def __init__(self, value: T, type_hint: Any = None):
        agent = current()
        self._refer(agent, Passed(agent.references.mark(), agent.me.id, agent.references.mark()))
        agent.tell(Passed(self._number, self._owner, self._mark))
        agent.references.find(self._number).value.set_result(value)

    def _refer(self, agent: Agent, passed: Passed, creation: Future[Any] | None = None) -> None:
        self._agent, self._creation = agent, creation
        self._number, self._owner, self._mark = passed

    def __del__(self) -> None:
        if self._agent is not None:
            self._agent.references.ended.append((self._owner, self._number, self._mark))

    def is_owner(self) -> bool:
        """Whether this worker holds the value."""
        return self._owner == self._of().me.id

    def owner(self) -> WorkerInfo:
        """The worker that holds the value."""
        return self._of().workers[self._owner]

    def owner_name(self) -> str:
        """The name of the worker that holds the value."""
        return self.owner().name

    def confirmed_by_owner(self) -> bool:
        """Whether the owner is known to hold the value; true for references received from another worker."""
        return self._creation is None or (self._creation.done() and self._failed() is None)

    def to_here(self, timeout: float = UNSET_TIMEOUT) -> T:
        """The value if this worker holds it, else a copy. Waits for it; raises the exception of making it.

        RuntimeError after `timeout` seconds, by default those of `init_rpc`; 0 is no limit.
        """
        agent = self._of()
        failed = self._failed()
        if failed is not None:
            raise failed
        if self.is_owner():
            seconds = agent.timeout if timeout == UNSET_TIMEOUT else timeout
            return self._held(seconds or None)
        return agent.call(self._owner, held_value, (self._number,), timeout=timeout).wait()

    def local_value(self) -> T:
        """The value, if this worker is its owner; else RuntimeError."""
        agent = self._of()
        if not self.is_owner():
            raise RuntimeError(
                f"For UserRRef(rref_id={self._number}, fork_id={self._mark}), can't call localValue() on user "
                f"{agent.me}. Call it on owner {self.owner()}, or take to_here(), which copies the value."
            )
        return self._held(None)

    def _held(self, seconds: float | None) -> Any:
        future = self._of().references.find(self._number).value
        try:
            error = future._future.exception(seconds)
        except NotInTime:
            raise timed_out(seconds or 0) from None
        if error is not None:
            raise failure_of(error, self._of().me).error() from error
        return future._future.result()

    def _failed(self) -> BaseException | None:
        """The exception if the call that makes the value failed to reach its worker."""
        creation = self._creation
        return creation._future.exception() if creation is not None and creation.done() else None

    def _of(self) -> Agent:
        """The agent that the reference belongs to. RuntimeError after `shutdown`."""
        agent = current()
        if self._agent is not agent:
            raise RuntimeError("This RRef belongs to workers that rpc.shutdown() has ended.")
        return agent

    def rpc_sync(self, timeout: float = UNSET_TIMEOUT) -> Any:
        """The value's methods, called in its worker, returning results."""
        return Methods(self, timeout, lambda future: future.wait())

    def rpc_async(self, timeout: float = UNSET_TIMEOUT) -> Any:
        """The value's methods, called in its worker, returning futures."""
        return Methods(self, timeout, lambda future: future)

    def remote(self, timeout: float = UNSET_TIMEOUT) -> Any:
        """The value's methods, called in its worker, returning references."""
        return Methods(self, timeout, None)

    def backward(self, dist_autograd_ctx_id: int = -1, retain_graph: bool = False) -> None:
        """Runs backward from the tensor that this refers to, in a distributed autograd context.

        Without a context it is an ordinary backward, which only the owner can run. RuntimeError for other values.
        """
        if not self.is_owner():
            if dist_autograd_ctx_id == -1:
                raise RuntimeError("User RRefs require 'dist_autograd_ctx_id' to be specified")
            self._of().call(self._owner, run_backward, (self, dist_autograd_ctx_id, retain_graph), timeout=0).wait()
            return
        run_backward(self, dist_autograd_ctx_id, retain_graph)

    def __repr__(self) -> str:
        agent = self._agent
        if agent is not None and agent.me.id == self._owner:
            return f"OwnerRRef({self._number})"
        return f"UserRRef(RRefId = {self._number}, ForkId = {self._mark})"

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise RuntimeError("Can not pickle rref in python pickler, rref can only be pickled when using RPC")


def reference_to(agent: Agent, passed: Passed, creation: Future[Any] | None = None) -> RRef[Any]:
    """This worker's reference to a value; `creation` is done when its owner has made the value."""
    made = RRef.__new__(RRef)
    made._refer(agent, passed, creation)
    return made


def create(
    agent: Agent, to: int, function: Callable[..., Any], args: Any, kwargs: Any, timeout: float, of_parameters: bool
) -> RRef[Any]:
    """Has a worker call a function and keep the result; returns a reference."""
    passed = Passed(agent.references.mark(), to, agent.references.mark())
    creation = agent.call(to, function, args, kwargs, timeout, creates=passed, of_parameters=of_parameters)
    return reference_to(agent, passed, creation)


@async_execution
def held_value(number: Mark) -> Future[Any]:
    """Called remotely: the value of a number that this worker holds."""
    return current().references.find(number).value


@async_execution
def call_method(reference: RRef[Any], name: str, args: Any, kwargs: Any) -> Future[Any]:
    """Called remotely: calls a method of the value of a reference."""
    method = getattr(reference.local_value(), name)
    return awaited(method, method(*args, **kwargs))


def run_backward(reference: RRef[Any], context: int, retain_graph: bool) -> None:
    """Called remotely: runs backward from the value of a reference."""
    value = reference.local_value()
    if not isinstance(value, Tensor):
        raise RuntimeError("RRef should contain a tensor for .backward()")
    if context == -1:
        value.backward(retain_graph=retain_graph)
    else:
        backward(context, [value], retain_graph)


class Methods:
    """The methods of a referenced value, called in its worker. `give` handles the future."""

    def __init__(self, reference: RRef[Any], timeout: float, give: Callable[[Future[Any]], Any] | None):
        self._reference, self._timeout, self._give = reference, timeout, give

    def __getattr__(self, name: str) -> Any:
        return partial(self._call, name)

    def _call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        agent, to = self._reference._of(), self._reference._owner
        told = (self._reference, name, args, kwargs)
        if self._give is None:
            return create(agent, to, call_method, told, {}, self._timeout, False)
        return self._give(agent.call(to, call_method, told, timeout=self._timeout, error=Failure.told))
