"""What a profiler records while it is on: calls, in-place changes and nodes."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from threading import get_native_id, local
from time import perf_counter_ns, time_ns
from typing import Any

from rushlight.autograd.profiler.memory import Ledger, values_within
from rushlight.autograd.profiler.names import events_of_call, shapes_of
from rushlight.autograd.profiler.stacks import stack_here
from rushlight.core.aliases import Array
from rushlight.core.graph import TensorBase
from rushlight.core.interpreters import STACK, Interpreter, observer
from rushlight.core.operators import Operator
from rushlight.tensors import Tensor

FUNCTION, BACKWARD, USER = 0, 1, 7  # PyTorch's numbers of scopes
EVALUATE = "autograd::engine::evaluate_function: "
LEAF = "torch::autograd::AccumulateGrad"


class Record:
    """One event as recorded; times in nanoseconds."""

    __slots__ = ("end", "end_thread", "flops", "name", "scope", "sequence", "shapes", "stack", "start", "thread")

    def __init__(self, name: str, scope: int = FUNCTION, sequence: int = -1) -> None:
        self.name: Any = name
        self.scope: int = scope
        self.sequence: int = sequence
        self.shapes: list[Any] = []
        self.stack: list[Any] = []
        self.flops: int = 0
        self.end: int | None = None
        self.end_thread: int | None = None
        self.thread: int = get_native_id()
        self.start: int = perf_counter_ns()

    def close(self) -> None:
        """Ends the event, if it has not ended yet."""
        if self.end is None:
            self.end = perf_counter_ns()
            self.end_thread = get_native_id()


def name_of(function: Any, args: Sequence[Any]) -> str:
    """The name of an in-place change, without its underscore; in angle brackets if the function has no name."""
    if isinstance(function, Operator):
        return events_of_call(function, args)[0].name
    return f"aten::{getattr(function, '__name__', '<>').strip('_')}"


class Here(local):
    """The name of the in-place change that this thread is about to make."""

    changing = ""


RECORDING: ContextVar["Recording | None"] = ContextVar("rushlight_recording", default=None)


class Recording(Interpreter):
    """Records all events from `start` to `stop`, in the context that started it or in all threads."""

    date: int
    begin: int
    end: int

    def __init__(
        self,
        shapes: bool = False,
        count_flops: bool = False,
        memory: bool = False,
        stacks: bool = False,
        all_threads: bool = False,
    ):
        self.shapes: bool = shapes or count_flops
        self.count_flops = count_flops
        self.stacks = stacks
        self.all_threads = all_threads
        self.ledger: Ledger | None = Ledger() if memory else None
        self.records: list[Record] = []
        self.here: Here = Here()
        self.begin = self.end = 0
        self.date = 0  # of the start, in nanoseconds since 1970

    def start(self) -> None:
        """Starts recording. RuntimeError if another profiler is on."""
        if isinstance(observer(), Recording):
            raise RuntimeError("Profiler is already enabled. Leave its context before another one is entered.")
        if not self.all_threads:
            RECORDING.set(self)
        STACK.enter(self)
        self.date = time_ns()
        self.begin = perf_counter_ns()

    def stop(self) -> None:
        """Stops recording. Events that have not ended end now."""
        self.end = perf_counter_ns()
        STACK.leave(self)
        if not self.all_threads:
            RECORDING.set(None)
        if self.ledger is not None:
            self.ledger.close()
        for record in self.records:
            record.close()

    def open(
        self,
        name: str,
        scope: int = FUNCTION,
        sequence: int = -1,
        args: Any = (),
        flops: Callable[..., Any] | None = None,
    ) -> Record:
        """Starts an event; `flops` counts its operations."""
        record = Record(name, scope, sequence)
        if self.shapes:
            record.shapes = shapes_of(args)
            if self.count_flops and flops is not None:
                record.flops = flops(record.shapes, args)
        if self.stacks:
            record.stack = stack_here()
        self.records.append(record)
        return record

    def looks_on(self) -> bool:
        """Whether it records this context."""
        return self.all_threads or RECORDING.get() is self

    def concerns(self, op: Any, args: Any) -> bool:
        """Whether it records a call: all calls in its context or threads."""
        return self.looks_on()

    def call(self, op: Any, args: Any, below: Callable[..., Any]) -> Array:
        """Calls an operator, and records the call unless it is part of an in-place change."""
        events = events_of_call(op, args)
        if events[0].name.rstrip("_") == self.here.changing:
            events = events[1:]
        if not events:
            return below(op, args)
        records = [self.open(name, args=values, flops=flops) for name, values, flops in events]
        try:
            result = below(op, args)
            self.relate(records, result)
            self.made(result, args)
        finally:
            for record in reversed(records):
                record.close()
        if result is NotImplemented:
            for record in records:
                self.records.remove(record)
        return result

    def relate(self, records: Sequence[Record], result: Sequence[Tensor] | Tensor) -> None:
        """Gives the innermost event of a call the sequence number of the node that recorded it."""
        for out in values_within(result):
            if isinstance(out, TensorBase) and out._node is not None:
                records[-1].sequence = out._node.sequence
                return

    def made(self, results: Sequence[Tensor] | Tensor, sources: Any = ()) -> None:
        """Records the memory of results."""
        if self.ledger is not None:
            self.ledger.allocated(results, sources)

    @contextmanager
    def changing(self, function: Callable[..., Any], tensor: Tensor, args: Sequence[Any]) -> Iterator[Any]:
        """A context that records an in-place change as an event, if its function has a name."""
        here, name = self.here, name_of(function, (tensor, *args))
        if "<" in name:
            yield
            return
        outer, here.changing = here.changing, name.rstrip("_")
        record = self.open(here.changing + "_", args=(tensor, *args))
        try:
            yield
            self.relate([record], tensor)
        finally:
            record.close()
            here.changing = outer

    @contextmanager
    def region(self, name: str, scope: int = USER, sequence: int = -1, args: Sequence[Any] = ()) -> Iterator[Any]:
        """A context that records a region as an event."""
        record = self.open(name, scope, sequence, args)
        try:
            yield self
        finally:
            record.close()

    def begin_pass(self, run: Any, roots: Sequence[Sequence[Array]]) -> None:
        """Does nothing: the nodes of the pass are recorded one by one."""

    def end_pass(self, run: Any) -> None:
        """Does nothing: the nodes of the pass are already recorded."""

    def changer(self) -> None:
        """Nothing to record with a change of memory."""

    def evaluating(self, vertex: Any) -> Any:
        """The event for a node in the backward pass (hooks, formula, delivery), or for a leaf."""
        if isinstance(vertex, TensorBase):
            return self.region(EVALUATE + LEAF, FUNCTION)
        return self.region(EVALUATE + vertex.name(), FUNCTION, vertex.sequence)

    def applying(self, node: Any, grad: Any) -> Any:
        """The event for a node's formula alone."""
        return self.region(node.name(), BACKWARD, node.sequence, grad if isinstance(grad, list) else (grad,))

    @contextmanager
    def accumulating(self, leaf: Tensor) -> Iterator[Any]:
        """The event for adding a gradient to a leaf's `.grad`."""
        with self.region(LEAF, BACKWARD, args=(leaf,)):
            yield
            if leaf._grad is not None:
                self.made(leaf._grad)
