"""The agent of a worker: sends its calls, runs those of others in threads, and handles answers.

There are two kinds of messages: calls and answers; what needs no answer (marks of references) is added to their heads.
"""

import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from typing import Any, NamedTuple

from rushlight.core.locks import lock
from rushlight.distributed.errors import DistNetworkError
from rushlight.distributed.rpc.contexts import CONTEXT, Contexts, Origin, continued, entered
from rushlight.distributed.rpc.failures import Failure, failure_of, timed_out
from rushlight.distributed.rpc.functions import awaited
from rushlight.distributed.rpc.options import UNSET_TIMEOUT, TensorPipeRpcBackendOptions, WorkerInfo
from rushlight.distributed.rpc.packing import Packed, pack, pack_arrays, unpack
from rushlight.distributed.rpc.references import Mark, References
from rushlight.distributed.rpc.transport import Transport
from rushlight.futures import Future
from rushlight.tensors import Tensor

__all__ = ["Agent", "current", "is_current"]


LOOK = 0.01  # seconds between two checks for calls that have timed out


class Passed(NamedTuple):
    """A reference being sent: the value's number, its owner, and the mark of the new reference."""

    number: Mark
    owner: int
    mark: Mark


class Head(NamedTuple):
    """The head of a message. `call` is the caller's number for it; marks are news about references."""

    is_call: bool
    call: int
    marks: list[Passed]
    creates: Passed | None = None  # the receiver keeps the result, and this refers to it
    packed: Packed | None = None
    memory: int = 0  # the number of buffers that belong to `packed`; the others are those of tensors
    arrays: bytes = b""
    context: int | None = None
    sent: int | None = None  # the number under which the sent tensors are noted in the context


class Call(NamedTuple):
    """A received call."""

    function: Callable[..., Any]
    args: Sequence[Any]
    kwargs: dict[str, Any]


class Pending(NamedTuple):
    """An unanswered call of this worker; `deadline` is None without a timeout."""

    future: Future[Any]
    deadline: float | None
    seconds: float
    error: Callable[[Failure], BaseException]  # makes the exception of the future if the call fails


class Reference:
    """The base of `RRef` that the agent knows."""

    _number: Mark
    _owner: int


class Agent:
    """This process as a worker. `reference` makes the object for a value in some worker."""

    def __init__(
        self,
        comm: Any,
        workers: list[WorkerInfo],
        options: TensorPipeRpcBackendOptions,
        reference: Callable[["Agent", Passed], Reference],
    ):
        self.comm, self.workers, self.reference = comm, workers, reference
        self.names = {worker.name: worker for worker in workers}
        self.me = workers[comm.rank]
        self.timeout: float = options.rpc_timeout
        self.numbers = count()
        self.calls: dict[int, Pending] = {}
        self.looked: float = 0.0  # the time of the last check for timed-out calls
        self.busy = 0  # the number of calls and answers that threads work on
        self.lock: Any = lock()
        self.references = References(self.me.id)
        self.contexts = Contexts(self.me.id)
        self.servers = ThreadPoolExecutor(options.num_worker_threads, "rushlight-rpc-call")
        self.answers = ThreadPoolExecutor(options.num_worker_threads, "rushlight-rpc-answer")
        self.transport = Transport(comm, self.notice, self.receive, self.attend, self.lose)
        self.lost: DistNetworkError | None = None  # why no other worker can be reached

    # calls of this worker

    def call(
        self,
        to: int,
        function: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
        timeout: float = UNSET_TIMEOUT,
        *,
        creates: Passed | None = None,
        of_parameters: bool = False,
        error: Callable[[Failure], BaseException] = Failure.error,
    ) -> Future[Any]:
        """Calls a function in a worker; returns a future. Inside a context tensors keep their history."""
        future: Future[Any] = Future()
        number = next(self.numbers)
        seconds = self.timeout if timeout == UNSET_TIMEOUT else timeout
        head, buffers = self.message(to, True, number, Call(function, args, kwargs or {}), CONTEXT.now, of_parameters)
        head = head._replace(creates=creates)
        with self.lock:
            self.check_reach()
            deadline = time.monotonic() + seconds if seconds > 0 else None
            self.calls[number] = Pending(future, deadline, seconds, error)
        try:
            self.transport.send(to, head, buffers)
        except DistNetworkError as error:
            self.lose(error)
        return future

    def check_reach(self) -> None:
        """DistNetworkError if other workers can no longer be reached."""
        if self.lost is not None:
            raise self.lost

    def message(
        self, to: int, is_call: bool, call: int, value: Any, context: int | None, of_parameters: bool = False
    ) -> tuple[Head, list[Any]]:
        """A message: its head, and the buffers beside it."""
        marks: list[Passed] = []
        packed = pack(value, lambda item: self.refer(item, to, marks), context is not None, of_parameters)
        arrays = pack_arrays(packed.tensors)
        sent = None
        if context is not None:
            joined = self.contexts.join(context)
            if to != self.me.id:
                joined.workers.add(to)
            sent = joined.note(packed.tensors) if packed.tensors else None
        buffers = [*packed.buffers, *arrays.buffers]
        bare = Packed(packed.body, [], [])
        return Head(is_call, call, marks, None, bare, len(packed.buffers), arrays.body, context, sent), buffers

    def refer(self, item: Any, to: int, marks: list[Passed]) -> Passed | None:
        """What stands for a reference in a message to a worker; its owner is told of the new reference."""
        if not isinstance(item, Reference):
            return None
        passed = Passed(item._number, item._owner, self.references.mark())
        if passed.owner == to:
            marks.append(passed)
        else:
            self.tell(passed)
        return passed

    def tell(self, passed: Passed) -> None:
        """Tells the owner of a value about a mark."""
        if passed.owner == self.me.id:
            self.references.told(passed.number, passed.mark)
        else:
            self.transport.send(passed.owner, Head(False, -1, [passed]), [])

    # incoming messages, in the listening thread

    def notice(self, head: Head) -> None:
        """Records the marks of references in the order in which they were sent, and counts the call as running."""
        if head.is_call:
            with self.lock:
                self.busy += 1
        if head.creates is not None:
            self.references.told(head.creates.number, head.creates.number)  # its mark while the value is being made
            self.references.told(head.creates.number, head.creates.mark)
        for passed in head.marks:
            self.references.told(passed.number, passed.mark)

    def receive(self, source: int, head: Head, buffers: list[Any]) -> None:
        """Has a thread run a call, or handle an answer."""
        if head.is_call:
            submit(self.servers, self.serve, source, head, buffers)
        elif head.packed is not None:
            pending = self.take(head.call)
            if pending is not None:
                submit(self.answers, self.settle, pending, source, head, buffers)

    def take(self, call: int) -> Pending | None:
        """The unanswered call of a number, unless already taken: the caller must then complete its future."""
        with self.lock:
            pending = self.calls.pop(call, None)
            if pending is not None:
                self.busy += 1
            return pending

    def done(self) -> None:
        """Counts a call or answer as finished."""
        with self.lock:
            self.busy -= 1

    def attend(self) -> None:
        """Ends calls that have timed out, and tells owners which references were deleted."""
        references = self.references
        while references.ended:
            owner, number, mark = references.ended.popleft()
            self.tell(Passed(number, owner, mark))
        now = time.monotonic()
        if now > self.looked + LOOK:
            self.looked = now
            with self.lock:
                late = [call for call, pending in self.calls.items() if pending.deadline and pending.deadline < now]
            for call in late:
                pending = self.take(call)
                if pending is not None:
                    submit(self.answers, self.give_up, pending)

    def lose(self, error: DistNetworkError) -> None:
        """Ends everything that waits for other workers, which can no longer be reached."""
        with self.lock:
            self.lost = error
        self.end_calls(error)

    def end_calls(self, error: Exception) -> None:
        """Ends all unanswered calls with an error."""
        for number in list(self.calls):
            pending = self.take(number)
            if pending is not None:
                pending.future.set_exception(error)
                self.done()

    # work of the threads

    def open(self, source: int, head: Head, buffers: list[Any]) -> Any:
        """The content of a message."""
        assert head.packed is not None
        tensors: list[Tensor] = []
        if head.context is not None:
            self.contexts.join(head.context)
        if head.sent is not None:
            arrays = unpack(Packed(head.arrays, buffers[head.memory :], []), lambda pid: None)
            tensors = continued(arrays, Origin(source, head.sent))
        packed = Packed(head.packed.body, buffers[: head.memory], tensors)
        unclaimed = {passed.mark: passed for passed in head.marks}

        def resolve(passed: Passed) -> Reference:
            unclaimed.pop(passed.mark, None)
            return self.reference(self, passed)

        try:
            return unpack(packed, resolve)
        except BaseException:
            for passed in unclaimed.values():
                self.tell(passed)
            raise

    def serve(self, source: int, head: Head, buffers: list[Any]) -> None:
        """Runs a call and answers it: at once, or when the future that it returned is done."""
        with entered(CONTEXT, head.context):
            try:
                call = self.open(source, head, buffers)
                done = awaited(call.function, call.function(*call.args, **call.kwargs))
            except BaseException as error:  # also exceptions that end threads are reported to the caller
                done = Future()
                done.set_exception(error)
            done.add_done_callback(lambda done: self.finish(source, head, done))

    def finish(self, source: int, head: Head, done: Future[Any]) -> None:
        """Answers a call with the value of a future, or keeps the value here."""
        error = done._future.exception()
        result = done.value() if error is None else failure_of(error, self.me)
        if head.creates is not None:
            self.keep(head.creates.number, result, error)
            result = None
        self.answer(source, head, result)

    def keep(self, number: Mark, result: Any, error: BaseException | None) -> None:
        """Keeps a call's result, or its exception, for the holders of references."""
        held = self.references.find(number).value
        if error is None:
            held.set_result(result)
        else:
            print(result.text, file=sys.stderr, flush=True)  # the caller may never ask for it
            held.set_exception(error)
        self.references.told(number, number)

    def answer(self, source: int, head: Head, result: Any) -> None:
        """Sends the answer to a call; if that fails, sends the failure."""
        try:
            message = self.message(source, False, head.call, result, head.context)
        except Exception as error:
            message = self.message(source, False, head.call, failure_of(error, self.me), None)
        self.transport.send(source, *message)
        self.done()

    def settle(self, pending: Pending, source: int, head: Head, buffers: list[Any]) -> None:
        """Sets a call's future from its answer."""
        try:
            result = self.open(source, head, buffers)
            error = pending.error(result) if isinstance(result, Failure) else None
        except Exception as unreadable:
            error = unreadable
        if error is None:
            pending.future.set_result(result)
        else:
            pending.future.set_exception(error)
        self.done()

    def give_up(self, pending: Pending) -> None:
        """Ends a call that has timed out."""
        pending.future.set_exception(timed_out(pending.seconds))
        self.done()

    # shutting down

    def is_idle(self) -> bool:
        """Whether no call is running, from or for this worker."""
        with self.lock:
            busy = self.calls or self.busy
        return not busy and not self.references.ended and self.transport.is_idle()

    def stop(self) -> None:
        """Stops receiving; unanswered calls end with an error."""
        self.transport.stop()
        self.servers.shutdown(wait=False, cancel_futures=True)
        self.answers.shutdown(wait=True)
        self.end_calls(RuntimeError("RPC agent is shut down: the call was not answered before."))


def submit(threads: ThreadPoolExecutor, function: Callable[..., None], *args: Any) -> None:
    """Submits a function to a thread pool, unless the process is ending without `shutdown`."""
    with suppress(RuntimeError):
        threads.submit(function, *args)


class State:
    """The agent of this process, from `init_rpc` to `shutdown`."""

    agent: Agent | None = None


def is_current() -> bool:
    """Whether this process is a worker."""
    return State.agent is not None


def current() -> Agent:
    """The agent of this process. RuntimeError before `init_rpc`."""
    if State.agent is None:
        raise RuntimeError("RPC has not been initialized. Call torch.distributed.rpc.init_rpc first.")
    return State.agent
