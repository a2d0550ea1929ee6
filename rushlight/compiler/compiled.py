"""A compiled function: calls are recorded, recordings checked, and replayed where a call is like the recorded one."""

import warnings
from collections.abc import Callable
from copy import deepcopy
from functools import partial, update_wrapper
from threading import active_count
from time import perf_counter
from types import CodeType, MethodType
from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.compiler.arguments import Leaf, fits, flattened
from rushlight.compiler.checking import compare
from rushlight.compiler.execution import execution
from rushlight.compiler.memories import Unrecordable, owner_of
from rushlight.compiler.program import Mismatch
from rushlight.compiler.recorder import Recorder
from rushlight.compiler.recording import GRAD, Given, Recording, find, tensor_at
from rushlight.compiler.states import State
from rushlight.compiler.surroundings import Surroundings, holds
from rushlight.compiler.switches import DISABLED, INSIDE, Stance
from rushlight.compiler.watching import watched
from rushlight.core.batched import ENTERED
from rushlight.core.graph import TensorBase
from rushlight.core.interpreters import STACK
from rushlight.core.locks import lock
from rushlight.core.modes import CURRENT

MOST = 8  # recordings of one function
AUDITS = frozenset([10, 100, 1000])  # the replays at which a recording is checked again
TRIALS = 3  # replays and eager calls that are timed
RECORDING = lock()  # held by the one that records


class Variant:
    """A recording with its guards."""

    def __init__(self, recording: Recording, surroundings: Surroundings, modes: tuple, backend: str):
        self.recording = recording
        self.modes = modes
        self.places = surroundings.places
        self.held = list(surroundings.tensors.values())
        self.externals = [(one, Leaf(0, one)) for one in self.held]
        self.replays = 0
        self.times: tuple[list[float], list[float]] = ([], [])
        self.slow = False
        for stretch in recording.stretches:
            stretch.execute = execution(stretch.program, backend)
        if recording.backward is not None:
            recording.backward.execute = execution(recording.backward.program, backend)

    def fits(self, modes: tuple, args: tuple, kwargs: dict, arguments: list[TensorBase]) -> bool:
        """Whether a call is like the recorded one; its tensors are put into a list."""
        recording = self.recording
        return (
            modes == self.modes
            and fits(recording.structure, (args, kwargs), arguments)
            and all(holds(place) for place in self.places)
            and all(leaf.fits(tensor) for tensor, leaf in self.externals)
            and all((tensor_at(place, arguments)._grad is None) == none for place, none in recording.grads)
            and self.pattern(arguments) == recording.pattern
            and self.arrays_fit(arguments)
        )

    def pattern(self, arguments: list[TensorBase]) -> list[int]:
        """Which tensors are one and the same."""
        return pattern([*arguments, *self.held])

    def arrays_fit(self, arguments: list[TensorBase]) -> bool:
        """Whether gradients lie as recorded, and memory is shared as it was where it is written to."""
        for stretch in self.recording.stretches:
            for place, value in zip(stretch.places, stretch.program.inputs, strict=True):
                if place[0] == GRAD:
                    array = find(place, arguments, [])
                    if array.shape != value.shape or array.dtype != value.dtype:
                        return False
                    if (None if array.flags.c_contiguous else array.strides) != value.strides:
                        return False
        return not self.recording.writes or self.owners(arguments) == self.recording.owners

    def owners(self, arguments: list[TensorBase]) -> list[int]:
        """Which inputs lie in the same memory."""
        return owners(self.recording, arguments)


def pattern(items: list) -> list[int]:
    """For each object the first place at which it is."""
    first: dict[int, int] = {}
    return [first.setdefault(id(item), i) for i, item in enumerate(items)]


def owners(recording: Recording, arguments: list[TensorBase]) -> list[int]:
    """Which inputs of the first part lie in the same memory."""
    return pattern([owner_of(find(place, arguments, [])) for place in recording.stretches[0].places])


def modes_now() -> tuple:
    """What else decides about the meaning of a call."""
    modes = CURRENT.get()
    return modes.grad, modes.inference, modes.anomaly, modes.packing, dtypes.get_default_dtype()


class Compiled:
    """A function that is recorded and replayed; called like the function."""

    def __init__(self, function: Callable, fullgraph: bool = False, backend: str = "walker", timed: bool = True):
        update_wrapper(self, function)
        self.function = self.uncompiled = function
        self.fullgraph = fullgraph
        self.backend = backend
        self.timed = timed
        self.reset()
        self.lock = lock()

    def reset(self) -> None:
        """Forgets all recordings."""
        self.variants: list[Variant] = []
        self.codes: dict[CodeType, dict] = {}
        self.failures = 0
        self.reasons: list[str] = []  # why recordings failed
        self.given_up: str | None = None

    def __deepcopy__(self, memo: dict) -> "Compiled":
        return Compiled(deepcopy(self.function, memo), self.fullgraph, self.backend, self.timed)

    def __reduce__(self) -> tuple:
        return Compiled, (self.function, self.fullgraph, self.backend, self.timed)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function, or replays what it did."""
        if self.given_up is not None or STACK.depth or self.is_left_out() or not self.lock.acquire(False):
            return self.function(*args, **kwargs)
        inside = INSIDE.set(True)
        try:
            return self.call(args, kwargs)
        finally:
            INSIDE.reset(inside)
            self.lock.release()

    def is_left_out(self) -> bool:
        """Whether nothing is replayed or recorded here and now: inside `vmap`, and where the user wants it so."""
        return bool(ENTERED.get()) or DISABLED.get() or Stance.name == "force_eager"

    def call(self, args: tuple, kwargs: dict) -> Any:
        """Replays a recording that fits; else calls and records, while there is one thread.

        Another one could see the values that tensors have while a recording is checked.
        """
        modes = modes_now()
        for variant in self.variants:
            arguments: list[TensorBase] = []
            if variant.fits(modes, args, kwargs, arguments):
                if variant.slow:
                    return self.function(*args, **kwargs)
                try:
                    return self.replay(variant, arguments, args, kwargs)
                except Mismatch:
                    continue
        if Stance.name == "fail_on_recompile":
            raise RuntimeError("Detected recompile when torch.compile stance is 'fail_on_recompile'.")
        if (
            len(self.variants) >= MOST
            or active_count() > 1
            or Stance.name == "eager_on_recompile"
            or not RECORDING.acquire(False)
        ):
            return self.function(*args, **kwargs)
        try:
            return self.record(modes, args, kwargs)
        finally:
            RECORDING.release()

    # replays

    def replay(self, variant: Variant, arguments: list[TensorBase], args: tuple, kwargs: dict) -> Any:
        """Replays a recording: at some calls after an audit, and in the beginning in turn with eager calls."""
        variant.replays += 1
        if variant.replays in AUDITS and active_count() == 1:
            self.audit(variant, arguments, args, kwargs)
            if variant not in self.variants:
                return self.function(*args, **kwargs)
        call = self.function, args, kwargs
        if not self.timed or variant.replays > 2 * TRIALS:
            return variant.recording.replay(arguments, call)
        eager, replayed = variant.times
        start = perf_counter()
        if variant.replays % 2:
            result = variant.recording.replay(arguments, call)
            replayed.append(perf_counter() - start)
        else:
            result = self.function(*args, **kwargs)
            eager.append(perf_counter() - start)
        if variant.replays == 2 * TRIALS:
            variant.slow = min(replayed) > min(eager)
        return result

    def audit(self, variant: Variant, arguments: list[TensorBase], args: tuple, kwargs: dict) -> None:
        """Compares call and replay on copies; a difference switches the recording off."""
        recording = variant.recording.seen_with(arguments)
        try:
            with RECORDING:
                again = partial(self.recorded, args, kwargs, variant.held, False)
                compare(recording, again, arguments, State(recording.given.tensors), False)
        except Unrecordable as error:
            self.variants.remove(variant)
            self.give_up(f"an audit found that {error}", "")

    # recordings

    def record(self, modes: tuple, args: tuple, kwargs: dict) -> Any:
        """Calls the function, and keeps a recording where it is right."""
        arguments: list[TensorBase] = []
        roots: list = [self.function]
        try:
            structure = flattened((args, kwargs), arguments, roots)
            before = Surroundings(roots, self.codes)
            check_modes(modes)
            check_tensors([*arguments, *before.tensors.values()])
        except Unrecordable as error:
            self.fail(error, "")
            return self.function(*args, **kwargs)
        given = Given(arguments, list(before.tensors.values()))
        state = State(given.tensors)
        recorder = Recorder(given.tensors)
        with watched(recorder) as calls:
            result = run_under(recorder, given, self.function, args, kwargs)
        if recorder.trouble is not None:
            self.give_up(*recorder.trouble)
            return result
        try:
            if unknown := {code: names for code, names in calls.codes.items() if code not in before.known}:
                self.codes |= unknown
                raise Unrecordable("it calls functions that are found only when it runs")
            if not all(holds(place) for place in before.places):
                raise Unrecordable("it changes objects that it does not own")
            recording = Recording(recorder, given, structure, result)
            recording.pattern = pattern([*arguments, *before.tensors.values()])
            recording.owners = owners(recording, arguments)
            variant = Variant(recording, before, modes, self.backend)
            again = partial(self.recorded, args, kwargs, variant.held, True)
            compare(recording, again, arguments, state, True)
            recording.let_go()
            self.variants.append(variant)
        except Unrecordable as error:
            self.fail(error, "")
        return result

    def recorded(self, args: tuple, kwargs: dict, others: list[TensorBase], hidden: bool) -> Recording:
        """A recording of a call without steps of optimizers, for comparison."""
        arguments: list[TensorBase] = []
        structure = flattened((args, kwargs), arguments, [])
        given = Given(arguments, others)
        recorder = Recorder(given.tensors, steps=False)
        with watched(recorder), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = run_under(recorder, given, self.function, args, kwargs)
        if recorder.trouble is not None:
            raise Unrecordable(recorder.trouble[0])
        return Recording(recorder, given, structure, result)

    def fail(self, error: Unrecordable, where: str) -> None:
        """Notes that a recording failed: it is tried again at another call, but not for ever."""
        self.failures += 1
        self.reasons.append(str(error))
        if self.failures > 2 or self.fullgraph:
            self.give_up(str(error), where)

    def give_up(self, why: str, where: str) -> None:
        """Has the function run as it is from now on, and says why. RuntimeError with `fullgraph`."""
        place = f" at {where}" if where else ""
        name = getattr(self.function, "__qualname__", type(self.function).__name__)
        if self.fullgraph:
            raise RuntimeError(f"torch.compile(fullgraph=True): {name} cannot be compiled{place}: {why}.")
        self.given_up = f"{why}{place}"
        warnings.warn(f"torch.compile: {name} runs as it is, because{place} {why}.", stacklevel=5)


def run_under(recorder: Recorder, given: Given, function: Callable, args: tuple, kwargs: dict) -> Any:
    """Calls a function while a recorder looks on, which then writes down the backward pass of the results."""
    STACK.enter(recorder)
    try:
        result = function(*args, **kwargs)
        tensors: list[TensorBase] = []
        flattened(result, tensors, [])
        outputs = [tensor for tensor in tensors if tensor.requires_grad and id(tensor) not in given.known]
        if outputs and recorder.trouble is None:
            recorder.pass_of(outputs)
        return result
    finally:
        STACK.leave(recorder)


def check_modes(modes: tuple) -> None:
    """Unrecordable in modes that look at single nodes."""
    if modes[2] or modes[3] is not None:
        raise Unrecordable("anomaly mode, or a hook on saved tensors, is on")


def check_tensors(tensors: list) -> None:
    """Unrecordable for tensors of which more than the elements counts."""
    for tensor in tensors:
        if tensor._tangents is not None or tensor.hooks is not None or type(tensor._array) is not np.ndarray:
            raise Unrecordable("a tensor has hooks, tangents or no memory of its own")
