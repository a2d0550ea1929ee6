"""The recorder: an interpreter that records a call as a program, while it runs normally.

Each operator call becomes a step on bare arrays, in forward and backward passes alike: while recording, the formulas of
a backward pass compute with tensors, so that their steps are recorded too. Other operations on arrays report themselves
(`core.interpreters.noted`): in-place changes, random numbers, gradients, optimizers.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from threading import get_ident
from types import CodeType
from typing import Any

import numpy as np

from rushlight.compiler.calls import Apart, Wrapped, bare, levels_in, prepared, unwrapped
from rushlight.compiler.differentiable import Cut, Ends, cotangents, sent_back
from rushlight.compiler.guards import Formula
from rushlight.compiler.memories import Memories, Unrecordable
from rushlight.compiler.program import CHECK, PURE, RANDOM, VIEW, WRITE, Program, Step, Value, values_in
from rushlight.compiler.traced import Plain, Traced
from rushlight.compiler.watching import Calls
from rushlight.core.aliases import Array
from rushlight.core.arrays import as_array, is_array
from rushlight.core.context import last_number
from rushlight.core.engine import mixes_layouts
from rushlight.core.graph import TensorBase, fit, new_tensor
from rushlight.core.interpreters import Interpreter, levels
from rushlight.core.lines import line_in, place_of_user
from rushlight.core.modes import RUN
from rushlight.core.recording import recording
from rushlight.core.windows import outermost
from rushlight.random import default_generator
from rushlight.random.generator import Generator


class Part:
    """A part of a recording: a program, the gradients that were set, and the optimizer's step that follows.

    `tensors` are those that existed before the call: at the end it is recorded which gradients they have (`changed`),
    and how often they were changed (`bumps`).
    """

    finished: bool

    def __init__(self, tensors: list[TensorBase]) -> None:
        self.program: Program = Program()
        self.memories: Memories = Memories(self.program)
        self.tensors = tensors
        self.cleared: set[int] = set()  # leaves whose gradient was set before it was read
        self.looked: set[int] = set()
        self.finished = False
        self.call: Any = None  # a step of an optimizer: the function and its arguments
        self.grads: list[Any] = [tensor._grad for tensor in tensors]
        self.versions: list[int] = [version_of(tensor) for tensor in tensors]
        self.grad_versions: list[int] = [version_of(grad) for grad in self.grads]
        self.changed: list[tuple[TensorBase, Any, Any]] = []
        self.bumps: list[tuple[TensorBase, int]] = []
        self.grad_bumps: list[tuple[TensorBase, int]] = []

    def finish(self) -> None:
        """Records the final state of tensors."""
        if self.finished:
            return
        self.finished = True
        counted: set[int] = set()  # version counters, each shared by all tensors of one memory
        before = zip(self.tensors, self.grads, self.versions, self.grad_versions, strict=True)
        for tensor, grad, version, grad_version in before:
            if tensor._grad is not grad or (grad is None and id(tensor) in self.cleared):
                self.changed.append((tensor, tensor._grad, None if tensor._grad is None else tensor._grad._array))
            elif grad is not None and version_of(grad) != grad_version:
                self.grad_bumps.append((tensor, version_of(grad) - grad_version))
            if version_of(tensor) != version and id(tensor._counter) not in counted:
                counted.add(id(tensor._counter))
                self.bumps.append((tensor, version_of(tensor) - version))


def version_of(tensor: Any) -> int:
    """The version of a tensor."""
    return 0 if tensor is None or tensor._counter is None else tensor._counter.value


class Recorder(Interpreter):
    """Records what happens in one thread.

    `trouble` says why the recording cannot be replayed, and where that was found.
    """

    drew: bool
    spent: bool

    inside: bool
    stepping: bool

    writes_down = True

    def __init__(
        self,
        tensors: list[TensorBase],
        steps: bool = True,
        traces: bool = False,
        code: CodeType | None = None,
        most: int | None = None,
    ) -> None:
        self.thread: int = get_ident()
        self.code = code  # of the called function
        self.room: int | None = most  # how many more steps may be recorded; None for any number
        self.tensors = tensors
        self.steps = steps  # whether optimizers take their steps
        self.parts: list[Part] = [Part(tensors)]
        self.plain: Plain = Plain()
        self.traces = traces  # whether numbers that leave the program are traced
        self.items: list[tuple[int, Value]] = []  # values that left as numbers: the part, and the value
        self.numbers: list[float] = []  # the numbers that left
        self.leaving: tuple[str, str, int | None] | None = None  # the first of them, for messages
        self.inside = False
        self.stepping = False  # an optimizer is taking a step: it is called again at each replay
        self.drew = False
        self.trouble: tuple[str, str, int | None] | None = None  # why, where, and the line in the function itself
        self.streams: dict[int, tuple[Generator, Any]] = {}  # generators that were drawn from, and their states before
        self.start: int = last_number()
        self.used_up: list[Ends] = []  # ends of results whose graph was freed within the call
        self.sent: list[Any] = []  # backward passes of the results: the part, its ends, cotangents, gradients

    @property
    def part(self) -> Part:
        """The part that is being recorded."""
        return self.parts[-1]

    @property
    def takes_steps(self) -> bool:  # type: ignore[override]
        """Whether it is recording."""
        return self.looks_on()

    @property
    def is_full(self) -> bool:
        """Whether the recording ended because it has as many steps as it may have."""
        return self.room is not None and self.room < 0

    def looks_on(self) -> bool:
        """True in its own thread, until something cannot be replayed."""
        return self.trouble is None and get_ident() == self.thread

    def concerns(self, op: Any, args: Sequence[Any]) -> bool:
        """True for every call that is not inside another."""
        return not self.inside and self.looks_on()

    def give_up(self, why: str) -> None:
        """Ends the recording: the call continues normally."""
        if self.trouble is None:
            self.trouble = why, place_of_user(), line_in(self.code)

    # calls of operators

    def call(self, op: Any, args: Any, below: Any) -> Any:
        """Calls an operator, and records the step."""
        args = self.plain.of(args)
        with Noting(self):
            self.drew = False
            arrays, function = prepared(op, args, below.args[1])
            self.cast(arrays, args)
        self.inside = True
        try:
            result = below(op, args)
        finally:
            self.inside = False
        if result is not NotImplemented and self.trouble is None:
            with Noting(self):
                results = [result] if not isinstance(result, (tuple, list)) else list(result)
                self.note(function, arrays, [array_of(one) for one in results], op)
        return result

    def cast(self, arrays: Sequence[Array], args: Any) -> None:
        """Records the casts of arguments by promotion."""
        for array, arg in zip(arrays, args, strict=True):
            given = array_of(arg)
            if array is given or not isinstance(unwrapped(given), np.ndarray):
                continue
            array, given = unwrapped(array), unwrapped(given)
            value = self.part.memories.value_of(given)
            made, looks = self.part.memories.made(array, [given])
            kind = VIEW if looks else PURE
            self.part.program.steps.append(Step(cast, (value, array.dtype), (made,), kind, where=place_of_user()))

    def note(self, function: Callable[..., Any], args: Any, results: Sequence[Any], op: Any = None) -> None:
        """Records a step with its resulting arrays."""
        levels = levels_in(args)
        if any(one is not None for one in levels) or any(type(one) is not np.ndarray for one in results):
            if not all(isinstance(unwrapped(one), np.ndarray) for one in results):
                self.lifted(results)  # refuses other kinds of arrays: these are numbers, or None
                return
            function = Wrapped(function, levels)
        self.add(function, [self.lifted(unwrapped(arg)) for arg in args], [unwrapped(one) for one in results], args, op)

    def add(self, function: Callable[..., Any], args: Any, results: Sequence[Any], given: Any, op: Any = None) -> None:
        """Records a step: arguments with values in place of arrays, and results as arrays."""
        memories = self.part.memories
        made = [memories.made(array, list(arrays_in(given))) for array in results]
        looks = any(looks for _, looks in made)
        if looks and len(list(values_in(args))) > 1:  # a view must be a function of one array
            function, looks = Apart(function), False
        if self.room is not None:
            self.room -= 1
            if self.is_full:
                self.give_up("it has many steps")
        kind = RANDOM if self.drew else VIEW if looks else PURE
        name = getattr(op, "name", "")
        if len(self.parts) > 1 and has_shape_of_values(op, given):
            raise Unrecordable("a shape that depends on values after an optimizer's step")
        self.part.program.steps.append(
            Step(function, tuple(args), tuple(value for value, _ in made), kind, op, name, place_of_user())
        )

    def lifted(self, arg: Any) -> Any:
        """An argument with its arrays replaced by values."""
        if isinstance(arg, TensorBase):
            return self.lifted(unwrapped(arg._array))
        if isinstance(arg, np.ndarray):
            return self.part.memories.value_of(arg)
        if is_array(arg):
            raise Unrecordable("an array of another kind than NumPy's, such as a conjugate that is a view")
        if type(arg) in (tuple, list):
            return type(arg)([self.lifted(unwrapped(item)) for item in arg])
        return self.plain.traced(arg)

    # operations on arrays other than operators

    def step(self, function: Callable[..., Any], args: Any, changes: Any = (), draws: bool = False) -> Any:
        """Calls a function of bare arrays, and records the step."""
        args = self.plain.of(args)
        if draws:
            generator = next((arg for arg in args if isinstance(arg, Generator)), default_generator)
            self.streams.setdefault(id(generator), (generator, generator.snapshot()))
        if self.inside:
            self.drew = self.drew or draws
            if changes:
                self.give_up(f"{function.__name__} changes an array within an operator")
            return function(*args)
        with Noting(self):
            lifted = [self.lifted(unwrapped(arg)) for arg in args]
        self.inside = True
        try:
            result = function(*args)
        finally:
            self.inside = False
        if self.trouble is None:
            with Noting(self):
                self.drew = draws
                levels = levels_in(args)
                if any(one is not None for one in levels):
                    function = Wrapped(function, levels)
                if changes:
                    self.changed(function, lifted, args, changes)
                else:
                    results = result if isinstance(result, (tuple, list)) else [result]
                    if any(unwrapped(one) is not one for one in results):
                        function = Wrapped(function, levels)
                    self.add(function, lifted, [unwrapped(one) for one in results], args)
        return result

    def changed(self, function: Callable[..., Any], lifted: Any, args: Any, changes: Any) -> None:
        """Records a step that has changed arguments."""
        targets = [array for position in changes for array in arrays_in([args[position]])]
        results = [Value.like(array) for array in targets]
        self.part.program.steps.append(
            Step(
                function, tuple(lifted), tuple(results), WRITE, None, function.__name__, place_of_user(), tuple(changes)
            )
        )
        for array, value in zip(targets, results, strict=True):
            self.part.memories.wrote(array, value)

    def wrote(self, target: Array, array: Array) -> None:
        """Records that a tensor was overwritten with an array."""
        with Noting(self):
            target, array = unwrapped(target), unwrapped(array)
            value = self.part.memories.value_of(array)
            if array.shape != target.shape or array.dtype != target.dtype:
                after = Value.like(target)
                args = (value, target.shape, target.dtype)
                self.part.program.steps.append(Step(spread, args, (after,)))
                value = after
            self.part.memories.wrote(target, value)

    # backward passes

    def begin_pass(self, run: Any, roots: Any) -> None:
        """Called when a backward pass begins."""

    def end_pass(self, run: Any) -> None:
        """Does nothing when a pass ends."""

    def evaluating(self, vertex: Any) -> Any:
        """A context around the work of a node."""
        return nullcontext()

    accumulating = evaluating

    @contextmanager
    def applying(self, node: Any, grad: Array) -> Iterator[Any]:
        """A context around a node's formula."""
        yield self

    def made(self, *results: Sequence[Any]) -> None:
        """Does nothing with the result of a formula: its steps were recorded."""

    @contextmanager
    def changing(self, function: Callable[..., Any], tensor: Any, args: Any) -> Iterator[Any]:
        """A context around an in-place change: its steps are recorded."""
        yield self

    def changer(self) -> None:
        """Nothing to record with a change of memory."""

    @contextmanager
    def region(self, name: str, *args: Any) -> Iterator[Any]:
        """A context around a named region."""
        yield self

    def apply(self, node: Any, grad: Any, recorded: Any, needs: Any) -> Any:
        """The gradients of a node: as one step on arrays, or on tensors if its steps are recorded or have tangents."""
        if node.hooks is not None and type(node.hooks) is not Cut:
            self.give_up("a hook is called in the backward pass")
        if node.sequence <= self.start:
            self.give_up("a backward pass goes on with a graph from before the call")
            return node.apply(grad, recorded, needs)
        plan = node.plan
        if plan is None or recording() or levels() or node.flags & ~(RESHAPE | CAST) or is_transparent(node.op):
            return node.apply(grad, True, needs)
        if RUN.get().shows and not plan.joint and any(mixes_layouts(node, i, bare(grad)) for i in range(node.arity)):
            return node.apply(grad, True, needs)
        values = [node.look_at(k) for k in range(len(plan.sources))]
        arrays = [bare(value) for value in (grad, *values)]
        if any(one is not None for one in levels_in(arrays)):
            return node.apply(grad, True, needs)
        derivative = Derivative(node, needs)
        self.inside = True
        try:
            results = [as_array(one) if isinstance(one, np.generic) else one for one in derivative.all(*arrays)]
        finally:
            self.inside = False
        derivative.live = tuple([i for i, one in enumerate(results) if isinstance(one, np.ndarray)])
        if self.trouble is None:
            with Noting(self):
                self.drew = False
                made = [results[i] for i in derivative.live]
                self.add(derivative, [self.lifted(value) for value in arrays], made, arrays)
        return [new_tensor(one) if isinstance(one, np.ndarray) else one for one in results]

    def accumulated(self, leaf: Any, held: Any, array: Array) -> None:
        """Records that a gradient was accumulated into a leaf's, which was `held` before."""
        with Noting(self):
            self.grads_of(leaf)
            memories = self.part.memories
            grad = leaf._grad._array
            value = memories.value_of(array)
            if held is None:
                made, _ = memories.made(grad, [])
                self.part.program.steps.append(Step(np.array, (value,), (made,), name="copy"))
            else:
                after = Value.like(grad)
                before = memories.value_of(grad)
                self.part.program.steps.append(Step(np.add, (before, value), (after,), name="add", where=""))
                memories.wrote(grad, after)

    def grads_of(self, leaf: Any, cleared: bool = False) -> None:
        """Records that a leaf's gradient is read, or set regardless of its value (`cleared`)."""
        if cleared and id(leaf) not in self.part.looked:
            self.part.cleared.add(id(leaf))
        self.part.looked.add(id(leaf))

    def pass_of(self, outputs: list[TensorBase]) -> None:
        """Records the backward passes of the results that have a history, as separate parts."""
        with Noting(self, watched=True):
            if any(tensor._node is None for tensor in outputs):
                raise Unrecordable("a leaf that requires grad is returned")
            for output in sorted(outputs, key=lambda one: one._node.sequence):  # a result before its dependents
                ends = Ends(output, self.tensors, self.start, outputs)
                if ends.spent:
                    self.used_up.append(Ends(output, self.tensors, self.start, []))
                    continue
                self.part.finish()
                self.parts.append(Part(self.tensors))
                grads = cotangents(ends.outputs)
                self.sent.append((self.part, ends, grads, sent_back(ends.outputs, ends.inputs, ends.cut, grads)))

    # checks, and what ends a part

    def truth(self, tensor: Any, answer: bool) -> None:
        """Records that the truth of a value was read."""
        with Noting(self):
            if len(self.parts) > 1:
                raise Unrecordable("a condition on a value after an optimizer's step")
            array = unwrapped(tensor._array)
            args = (self.part.memories.value_of(array), answer)
            self.part.program.steps.append(Step(is_truth, args, (), CHECK, where=place_of_user()))

    def relied_on(self, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        """Records that the program is valid only if a function of arrays is True, for all examples of batched ones."""
        if self.inside:  # the operator checks again in a replay
            return
        with Noting(self):
            arrays = list(arrays_in(args))
            part = self.part
            if len(self.parts) > 1:  # if it fails nothing may have been changed
                part = self.parts[0]
                if any(self.was_changed(array) for array in arrays):
                    raise Unrecordable("a condition on a value after an optimizer's step")
            values = tuple([part.memories.value_of(one) if is_array(one) else one for one in map(unwrapped, args)])
            name = function.__name__
            part.program.steps.append(Step(function, values, (), CHECK, name=name, where=place_of_user()))

    def was_changed(self, array: np.ndarray) -> bool:
        """Whether an array was not given to the call, or was written to."""
        owner = outermost(array)
        memories = [part.memories.memories.get(id(owner)) for part in self.parts]
        given = any(outermost(tensor._array) is owner for tensor in self.tensors)
        return not given or any(memory is not None and memory.version for memory in memories)

    def left(self, tensor: Any, number: Any) -> Any:
        """Records that a value leaves as a number, which may only be part of the result."""
        why = "item() takes a value out of the program", place_of_user(), line_in(self.code)
        if type(number) is not float or tensor._array.dtype.char not in "fd":
            self.give_up(why[0])
            return number
        self.leaving = self.leaving or why
        with Noting(self):
            self.items.append((len(self.parts) - 1, self.part.memories.value_of(unwrapped(tensor._array))))
        self.numbers.append(number)
        return Traced(number, Formula(None, [len(self.items) - 1])) if self.traces else number

    def step_of(self, step: Any, args: Any, kwargs: Any) -> Any:
        """A step of an optimizer: ends a part, and is called again at each replay."""
        if len(args) > 1 or kwargs or any(group.get("differentiable") for group in args[0].param_groups):
            self.give_up("an optimizer's step is given a closure, or is differentiable")
            return step(*args, **kwargs)
        part = self.part
        part.finish()
        part.call = step, args
        outside, self.inside, self.stepping = self.inside, True, True
        try:
            return step(*args) if self.steps else None
        finally:
            self.inside, self.stepping = outside, False
            self.parts.append(Part(self.tensors))


class Noting:
    """A context for the recorder's own work: an error in it ends the recording, not the call.

    Code in it is not watched (`compiler.watching`), unless it is `watched`, as it may run the user's code.
    """

    calls: Calls | None = None

    def __init__(self, recorder: Recorder, watched: bool = False):
        self.recorder, self.watched = recorder, watched

    def __enter__(self) -> None:
        watches = sys.getprofile()
        if not self.watched and isinstance(watches, Calls):
            self.calls = watches
            sys.setprofile(None)

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> bool:
        if self.calls is not None:
            sys.setprofile(self.calls)
        if isinstance(error, Exception):
            self.recorder.give_up(str(error) if isinstance(error, Unrecordable) else f"the recorder failed: {error!r}")
        return isinstance(error, Exception)


class Aside(Interpreter):
    """Passes all calls on, but optimizers take no steps: to see the result of a call without them."""

    takes_steps = True

    def concerns(self, op: Any, args: tuple[Any, ...]) -> bool:
        """False for every call."""
        return False

    def step_of(self, step: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[Any, Any]) -> None:
        """Takes no step."""


class Derivative:
    """The gradients of a node's inputs as a function of arrays: those that arrive, and the saved ones."""

    name: str
    __name__: str

    def __init__(self, node: Any, needs: tuple[bool, ...]):
        self.plan: Any = node.plan
        self.needs = needs
        self.inputs = node.inputs if node.flags else None
        self.live: tuple[int, ...] = ()
        self.op: Any = node.op
        self.name = self.__name__ = f"derivative of {node.op.name}"

    def all(self, grad: Array, *values: Array) -> Any:
        """A gradient for each input, None for those not needed."""
        plan = self.plan
        if plan.joint:
            options = (self.needs,) if plan.asks_needs else ()
            results = plan.formulas[0](grad, *[values[k] for k in plan.picks[0]], *options)
        else:
            results = [
                formula(grad, *[values[k] for k in picks]) if need else None
                for formula, picks, need in zip(plan.formulas, plan.picks, self.needs, strict=True)
            ]
        if self.inputs is None:
            return list(results)
        return [
            one if one is None or meta is None else fit(one, meta[0], meta[1])
            for one, meta in zip(results, self.inputs, strict=True)
        ]

    def __call__(self, *args: Any) -> Any:
        """The gradients that are arrays."""
        results = self.all(*args)
        return results[self.live[0]] if len(self.live) == 1 else tuple([results[i] for i in self.live])


RESHAPE, CAST = 1, 2  # flags of nodes, as in `core.graph`


def has_shape_of_values(op: Any, given: Any) -> bool:
    """Whether the shape of an operator's result depends on values."""
    found = getattr(op, "shape_of_values", False)
    return found(list(arrays_in(given))) if callable(found) else found


def is_transparent(op: Any) -> bool:
    """Whether an operator's formula is recorded as separate steps instead of a single one."""
    return op.view or op.in_steps or (op.compute is not None and not op.kernel)


def is_truth(array: np.ndarray, answer: bool) -> bool:
    """Whether a condition has the recorded truth."""
    return bool(array) is answer


def cast(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """An array in another dtype."""
    return array.astype(dtype, copy=False)


def spread(array: np.ndarray, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An array broadcast to a shape, in another dtype."""
    return np.array(np.broadcast_to(array, shape), dtype)


def array_of(value: Any) -> Any:
    """The array of a tensor; other values are unchanged."""
    return value._array if isinstance(value, TensorBase) else value


def arrays_in(args: Any) -> Iterator[Any]:
    """The bare arrays among arguments."""
    for arg in args:
        arg = unwrapped(array_of(arg))
        if isinstance(arg, np.ndarray):
            yield arg
        elif type(arg) in (tuple, list):
            yield from arrays_in(arg)
