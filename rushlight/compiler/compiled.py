"""Compiled functions: calls are recorded, recordings checked, and replayed when a call is like the recorded one."""

import warnings
from collections.abc import Callable
from copy import deepcopy
from functools import partial, update_wrapper
from time import perf_counter
from types import CodeType, FunctionType, MethodType
from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.compiler.arguments import call_with, flattened, floats_in
from rushlight.compiler.checking import compare
from rushlight.compiler.codes import GRAD
from rushlight.compiler.containers import check_containers, containers_in, places_in
from rushlight.compiler.execution import execution
from rushlight.compiler.guards import Guard, pattern_of
from rushlight.compiler.memories import Unrecordable
from rushlight.compiler.numbers import joined
from rushlight.compiler.program import Mismatch
from rushlight.compiler.recorder import Aside, Recorder
from rushlight.compiler.recording import Given, Recording
from rushlight.compiler.replaying import Prepared, Replayer, owners_of
from rushlight.compiler.splitting import Pieces, code_of
from rushlight.compiler.states import State
from rushlight.compiler.surroundings import Surroundings
from rushlight.compiler.switches import INSIDE, STANCE
from rushlight.compiler.watching import line_of_change, may_watch, watched
from rushlight.core.graph import TensorBase
from rushlight.core.interpreters import STACK
from rushlight.core.lines import warn
from rushlight.core.locks import lock
from rushlight.core.modes import CURRENT
from rushlight.machine.memory import blocks_returned
from rushlight.starting import WithoutCollections

MOST = 8  # the most recordings of a function
LONG = 1500  # steps from which on a function is recorded only if it is called again
AUDITS = (10, 100, 1000)  # the replays at which a recording is checked again
FOR_EVER = 1 << 60
STRANGE = 64  # calls unlike any recording, from which on they are compared in number with replays
TRIALS = 3  # replays and eager calls that are timed
DOUBTS = 12  # timings of each if replays seem slower, which may be due to a busy machine
RECORDING = lock()  # held while recording


class Variant:
    """A recording with its guards (`prepared`), and its statistics."""

    granted: int

    def __init__(self, recording: Recording, arguments: list[Any], surroundings: Surroundings, compiled: "Compiled"):
        self.recording = recording
        self.others: list[TensorBase] = list(surroundings.tensors.values())
        self.looked_after = 0
        self.granted = 0
        self.misses = 0  # replays that failed a check
        self.times: tuple[list[float], list[float]] = ([], [])  # of eager calls, of replays
        self.judged: bool = False  # whether it is known which is faster
        for stretch in recording.stretches:
            stretch.prepare(execution(stretch.program, compiled.backend))
        for backward in recording.backwards:
            backward.execute = execution(backward.program, compiled.backend)
        guard = Guard(
            recording.structure,
            surroundings.places,
            self.others,
            recording.grads,
            pattern_of(arguments, self.others),
            layouts_of(recording),
        )
        arrays = recording.given_to_first([*arguments, *recording.numbers])
        self.prepared: Prepared = Prepared(
            guard,
            CURRENT.get(),
            dtypes.get_default_dtype(),
            owners_of(arrays) if recording.writes else None,
            recording,
        )

    def differs_in_numbers(self, structure: Any, arguments: list[Any]) -> bool:
        """Whether a call would be like the recorded one if it had the same floats."""
        floats = list(floats_in(self.recording.structure))
        if not floats or len(floats) != len(list(floats_in(structure))) or self.prepared.modes is not CURRENT.get():
            return False
        return self.prepared.match(*call_with(structure, arguments, floats)) is not None

    @property
    def replays(self) -> int:
        """The number of replays so far."""
        return self.looked_after + self.granted - self.prepared.left

    def grant(self, number: int) -> None:
        """Lets a number of replays run without supervision."""
        self.granted += number - self.prepared.left
        self.prepared.left = number

    def judge(self) -> None:
        """Decides from the times so far whether replays are slower: then calls run normally."""
        eager, replayed = self.times
        slow = min(replayed) > min(eager)
        self.judged = len(eager) >= (DOUBTS if slow else TRIALS)
        self.prepared.slow = slow and self.judged


def layouts_of(recording: Recording) -> list[tuple[Any, ...]]:
    """The gradients among the inputs of a recording: their place, shape, strides and dtype."""
    return [
        (*place[1], value.shape, value.layout(), value.dtype)
        for stretch in recording.stretches
        for place, value in zip(stretch.places, stretch.program.inputs, strict=True)
        if place[0] == GRAD
    ]


class Changed(Unrecordable):
    """A call has changed objects outside of the function."""


class Discovered(Unrecordable):
    """A call has run functions that were not known before it: the next one can be recorded."""


class Compiled(Replayer):
    """A function that is recorded and replayed; called like the function."""

    strange: int
    joins: bool
    failures: int
    searches: bool
    prepared: list[Any]

    def __init__(
        self, function: Callable[..., Any], fullgraph: bool = False, backend: str = "walker", timed: bool = True
    ):
        super().__init__(function)
        update_wrapper(self, function)
        self.uncompiled = function
        self.fullgraph = fullgraph
        self.backend = backend
        self.timed = timed
        self.whole: Compiled | None = None  # the function that this one is a piece of
        self.reset()
        self.lock: Any = lock()

    def reset(self) -> None:
        """Deletes all recordings."""
        self.prepared = []
        self.variants: list[Variant] = []
        self.codes: dict[CodeType, dict[Any, Any]] = {}
        self.strange = 0  # calls unlike any recording, when there were as many as allowed
        self.failures = 0
        self.most: int | None = LONG  # steps of a recording; None for any number
        self.searches = self.fullgraph  # whether calls look for the line that changes foreign objects
        self.joins = True  # whether recordings that differ only in numbers may be merged
        self.reasons: list[str] = []  # why recordings failed
        self.given_up: str | None = None
        self.pieces: Pieces = Pieces(self.function, self.piece)

    def piece(self, function: FunctionType) -> "Compiled":
        """Compiles a piece of the function."""
        piece = Compiled(function, False, self.backend, self.timed)
        piece.whole = self
        return piece

    def __deepcopy__(self, memo: dict[Any, Any]) -> "Compiled":
        return Compiled(deepcopy(self.function, memo), self.fullgraph, self.backend, self.timed)

    def __reduce__(self) -> tuple[Any, ...]:
        return Compiled, (self.function, self.fullgraph, self.backend, self.timed)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def look_after(self, args: tuple[Any, ...], kwargs: dict[Any, Any]) -> Any:
        """Replays with timing and audits, or calls and records."""
        if self.given_up is not None:
            return (self.pieces.called or self.function)(*args, **kwargs)
        if not self.lock.acquire(False):
            return self.function(*args, **kwargs)
        inside = INSIDE.set(True)
        try:
            return self.call(args, kwargs)
        finally:
            INSIDE.reset(inside)
            self.lock.release()

    def call(self, args: tuple[Any, ...], kwargs: dict[Any, Any]) -> Any:
        """Replays a recording that fits; else calls and records, if there is only one thread.

        Another thread could see the temporary values of tensors while a recording is checked.
        """
        modes = CURRENT.get()
        for variant in self.variants:
            arguments = variant.prepared.match(args, kwargs) if variant.prepared.modes is modes else None
            if arguments is not None:
                try:
                    return self.replay(variant, arguments, args, kwargs)
                except Mismatch:
                    variant.misses += 1
                    continue
        if len(self.variants) == MOST:
            self.strange += 1
            if self.strange > max(STRANGE, sum(variant.replays - variant.misses for variant in self.variants)):
                self.give_up("it is mostly called in other ways than were recorded", "")
        if STANCE.name == "fail_on_recompile":
            raise RuntimeError("Detected recompile when torch.compile stance is 'fail_on_recompile'.")
        may_record = len(self.variants) < MOST and may_watch() and STANCE.name != "eager_on_recompile"
        if not may_record or not RECORDING.acquire(False):
            return self.function(*args, **kwargs)
        try:
            with blocks_returned(), WithoutCollections():  # collections would visit a long recording again and again
                return self.record(args, kwargs)
        finally:
            RECORDING.release()

    # replays

    def replay(self, variant: Variant, arguments: list[Any], args: tuple[Any, ...], kwargs: dict[Any, Any]) -> Any:
        """Replays a recording: after an audit at some calls, and initially alternating with eager calls."""
        number = variant.replays + 1
        if number in AUDITS and may_watch():
            self.audit(variant, arguments, args, kwargs)
            if variant not in self.variants:
                return self.function(*args, **kwargs)
        variant.looked_after += 1
        call = self.function, args, kwargs
        if not self.timed or variant.judged:
            variant.grant(next((audit - number - 1 for audit in AUDITS if audit > number), FOR_EVER))
            return variant.recording.replay(arguments, *call)
        eager, replayed = variant.times
        start = perf_counter()
        if len(replayed) == len(eager):
            result = variant.recording.replay(arguments, *call)
            replayed.append(perf_counter() - start)
        else:
            result = self.function(*args, **kwargs)
            eager.append(perf_counter() - start)
            variant.judge()
        return result

    def audit(self, variant: Variant, arguments: list[Any], args: tuple[Any, ...], kwargs: dict[Any, Any]) -> None:
        """Compares call and replay on copies; a difference disables the recording."""
        recording = variant.recording.seen_with(arguments)
        try:
            with RECORDING, blocks_returned():
                again = partial(self.recorded, args, kwargs, variant.others)
                call = partial(self.called_aside, args, kwargs)
                compare(recording, again, call, arguments, State(recording.given.tensors, recording.generators), False)
        except Unrecordable as error:
            self.drop(variant)
            self.give_up(f"an audit found that {error}", "")

    # recordings

    def record(self, args: tuple[Any, ...], kwargs: dict[Any, Any]) -> Any:
        """Calls the function, and keeps a recording if it is right."""
        arguments: list[TensorBase] = []
        roots: list[Any] = [self.function]
        try:
            structure = flattened((args, kwargs), arguments, roots)
            before = Surroundings(roots, self.codes)
            check_modes()
            check_tensors([*arguments, *before.tensors.values()])
        except Unrecordable as error:
            self.fail(error)
            return self.function(*args, **kwargs)
        like = [
            variant for variant in self.variants[-1:] if self.joins and variant.differs_in_numbers(structure, arguments)
        ]
        given = Given(arguments, list(before.tensors.values()))
        state = State(given.tensors)
        recorder = Recorder(given.tensors, code=code_of(self.function), most=self.most)
        places = [*before.places, *places_in((args, kwargs))]
        with watched(recorder) as calls, line_of_change(recorder.code, places if self.searches else []) as lines:
            result = run_under(recorder, given, self.function, args, kwargs)
        state.streams += recorder.streams.values()
        unknown = {code: names for code, names in calls.codes.items() if code not in before.known}
        self.codes |= unknown
        if recorder.is_full:  # if it is called again it pays to record it
            self.most = None
            return result
        if recorder.trouble is not None:
            self.give_up(*recorder.trouble)
            return result
        try:
            if unknown:
                raise Discovered("it calls functions that are found only when it runs")
            if not all(place.holds() for place in places):
                raise Changed("it changes objects that it does not own")
            check_containers(result, [*before.seen, *map(id, containers_in((args, kwargs)))])
            recording = Recording(recorder, given, structure, result)
            variant = Variant(recording, arguments, before, self)
            again = partial(self.recorded, args, kwargs, variant.others)
            compare(recording, again, partial(self.called_aside, args, kwargs), arguments, state, True)
            self.keep(variant)
        except Exception as error:  # whatever it is, the call has succeeded
            if recorder.leaving is not None:
                self.give_up(*recorder.leaving)
            elif isinstance(error, Changed) and lines and recorder.code is not None:
                self.give_up(str(error), f"{recorder.code.co_filename}:{lines[0]}", lines[0])
            else:
                self.fail(error)
            return result
        for other in like:
            self.join(other, variant, arguments, state, before)
        recording.let_go()
        return result

    def keep(self, variant: Variant) -> None:
        """Enables a recording for replay."""
        self.variants.append(variant)
        self.prepared.append(variant.prepared)

    def drop(self, variant: Variant) -> None:
        """Disables a recording."""
        self.variants.remove(variant)
        self.prepared.remove(variant.prepared)

    def join(self, other: Variant, variant: Variant, arguments: list[Any], state: State, before: Surroundings) -> None:
        """Replaces two recordings that differ in numbers by one for any numbers, if possible."""
        recording = variant.recording
        after = State(recording.given.tensors, recording.generators)
        record = partial(self.recorded, others=variant.others)
        try:
            state.put_back()
            made = joined(other.recording, recording, record, arguments)
            both = Variant(made, arguments, before, self)
            call = call_with(made.structure, arguments, floats_in(made.structure))
            again, aside = partial(record, *call), partial(self.called_aside, *call)
            compare(made, again, aside, [*arguments, *made.numbers], state, True)
        except Exception:  # code that fails with traced numbers branches on them
            self.joins = False
            return
        finally:
            after.put_back()
        self.drop(other)
        self.drop(variant)
        self.keep(both)
        made.let_go()

    def recorded(self, args: tuple[Any, ...], kwargs: dict[Any, Any], others: list[TensorBase]) -> Recording:
        """Records a call without steps of optimizers, for comparison."""
        arguments: list[TensorBase] = []
        structure = flattened((args, kwargs), arguments, [])
        given = Given(arguments, others)
        recorder = Recorder(given.tensors, steps=False, traces=True)
        with watched(recorder), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = run_under(recorder, given, self.function, args, kwargs)
        if recorder.trouble is not None:
            raise Unrecordable(recorder.trouble[0])
        return Recording(recorder, given, structure, result)

    def called_aside(self, args: tuple[Any, ...], kwargs: dict[Any, Any]) -> Any:
        """The result of a call that is not recorded, and in which optimizers take no steps."""
        aside = Aside()
        STACK.enter(aside)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return self.function(*args, **kwargs)
        finally:
            STACK.leave(aside)

    def fail(self, error: Exception) -> None:
        """Notes that a recording failed: it is tried again at other calls, a limited number of times."""
        self.failures += 1
        self.searches = self.searches or isinstance(error, Changed)
        why = str(error) if isinstance(error, Unrecordable) else f"the compiler failed: {error!r}"
        self.reasons.append(why)
        if self.failures > 2 or (self.fullgraph and not isinstance(error, Discovered)):
            self.give_up(why, "")

    def give_up(self, why: str, where: str, line: int | None = None) -> None:
        """Runs the function normally from now on, if possible in pieces around a line; says why.

        RuntimeError with `fullgraph`.
        """
        whole = self.whole or self
        place = f" at {where}" if where else ""
        name = getattr(self.function, "__qualname__", type(self.function).__name__)
        if self.fullgraph:
            raise RuntimeError(f"torch.compile(fullgraph=True): {name} cannot be compiled{place}: {why}.")
        self.given_up = f"{why}{place}"
        self.prepared = []
        if line is not None and whole.pieces.broke_at(line):
            warn(f"torch.compile: {name} runs in parts, because{place} {why}: that line runs as it is.")
        elif self.whole is None or whole.pieces.called is None:
            warn(f"torch.compile: {name} runs as it is, because{place} {why}.")


def run_under(
    recorder: Recorder, given: Given, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[Any, Any]
) -> Any:
    """Calls a function while a recorder is active, which then records the backward pass of the results."""
    STACK.enter(recorder)
    try:
        result = function(*args, **kwargs)
        tensors: list[TensorBase] = []
        flattened(result, tensors, [])
        made = {id(tensor): tensor for tensor in tensors if tensor.requires_grad and id(tensor) not in given.known}
        outputs = list(made.values())
        if outputs and recorder.trouble is None:
            recorder.pass_of(outputs)
        return result
    finally:
        STACK.leave(recorder)


def check_modes() -> None:
    """Unrecordable in modes that concern single nodes, such as anomaly mode."""
    modes = CURRENT.get()
    if modes.anomaly or modes.packing is not None:
        raise Unrecordable("anomaly mode, or a hook on saved tensors, is on")


def check_tensors(tensors: list[Any]) -> None:
    """Unrecordable for tensors with other relevant state than their elements."""
    for tensor in tensors:
        hooked = tensor.hooks is not None and not tensor.hooks.idle
        if hooked or tensor._tangents is not None or type(tensor._array) is not np.ndarray:
            raise Unrecordable("a tensor has hooks, tangents or no memory of its own")
