"""Calls whose saved values are dropped, and computed again by a further call when the backward pass needs them."""

import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import Any
from weakref import WeakKeyDictionary

from rushlight.autograd.grad_mode import enable_grad
from rushlight.autograd.graph import saved_tensors_hooks
from rushlight.core.engine import RUN
from rushlight.core.errors import modified_input
from rushlight.core.graph import Packed, TensorBase
from rushlight.core.lines import line_of_user
from rushlight.core.modes import CURRENT
from rushlight.core.saved import pack, restore
from rushlight.random import fork_rng, get_rng_state, set_rng_state
from rushlight.tensors import Tensor

Again = Callable[[], AbstractContextManager[Any]]  # makes the context for a further call

AROUND: list[Callable[[], Again]] = []  # called at a first call to get such contexts; higher files register here
METADATA: dict[str, Callable[[Any], Any]] = {
    "default": lambda x: {"shape": x.shape, "dtype": x.dtype, "device": x.device},
    "none": lambda x: None,
}


class CheckpointError(RuntimeError):
    """The recomputation of a checkpointed function saved other tensors than the first call.

    >>> import rushlight as torch
    >>> issubclass(torch.utils.checkpoint.CheckpointError, RuntimeError)
    True
    """


CheckpointError.__module__ = "rushlight.utils.checkpoint"  # PyTorch's place for it


def surroundings() -> Callable[[], ExitStack]:
    """A function that enters contexts which restore the present state for a further call."""
    made = [notice() for notice in AROUND]

    def enter() -> ExitStack:
        with ExitStack() as stack:
            for again in made:
                stack.enter_context(again())
            return stack.pop_all()

    return enter


class Holder:
    """What the graph holds in place of the saved tensor of a number."""

    __slots__ = ("__weakref__", "number")

    def __init__(self, number: int):
        self.number: int = number


class StopRecomputation(Exception):
    """Raised when everything needed has been recomputed."""


class Frame:
    """One call of a checkpointed function: its arguments, and the tensors that the calls saved."""

    completed: bool

    def __init__(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        preserve: bool,
        metadata_of: Callable[[Any], Any],
        early_stop: bool,
        debug: bool,
    ):
        self.function, self.kwargs = function, kwargs
        self.args: list[Any] = [Argument(arg) if isinstance(arg, TensorBase) else arg for arg in args]
        self.given: tuple[Any, ...] | None = args  # until the first call has ended
        self.random_state: TensorBase | None = get_rng_state() if preserve else None
        self.surroundings = surroundings()
        self.metadata_of, self.early_stop = metadata_of, early_stop
        self.lines: list[Any] | None = [] if debug else None
        self.holders: list[Any] = []  # weak references: what the graph no longer needs is not recomputed
        self.metadata: list[Any] = []
        self.completed = False
        self.recomputed: WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()  # backward run -> Recomputation

    def run(self, context: AbstractContextManager[Any], context_again: AbstractContextManager[Any]) -> Any:
        """The first call."""
        args, self.given = self.given or (), None
        self.context_again = context_again
        with saved_tensors_hooks(self.hold, self.find), context:
            result = self.function(*args, **self.kwargs)
            self.completed = True
        if not self.completed:
            raise RuntimeError(
                "torch.utils.checkpoint: the forward context provided by context_fn suppressed an exception raised "
                "during the checkpointed forward. This is not supported because checkpoint cannot return a value for a "
                "failed forward."
            )
        return result

    def hold(self, tensor: Tensor) -> Holder:
        """Records a tensor that the first call saves, and drops it."""
        holder = Holder(len(self.holders))
        self.holders.append(weakref.ref(holder))
        self.metadata.append(self.metadata_of(tensor))
        if self.lines is not None:
            self.lines.append(line_of_user())
        return holder

    def find(self, holder: Holder) -> Tensor:
        """The recomputed tensor for a holder; recomputation runs once in each backward pass."""
        run = RUN.get() or Holder(-1)  # outside of a backward pass any object will do
        again = self.recomputed.get(run)
        if again is None:
            again = self.recomputed[run] = Recomputation(self)
            again.run()
        return again.take(holder)


class Argument:
    """A tensor argument, saved as an operation would do it: with its version, or packed by the surrounding hooks."""

    def __init__(self, tensor: Any):
        packing = CURRENT.get().packing
        self.kept = tensor if packing is None else pack(tensor, packing, -1)
        self.version = 0 if tensor._inference else tensor._version

    def tensor(self) -> Tensor:
        """The argument. RuntimeError if it was changed in place since."""
        if isinstance(self.kept, Packed):
            return restore(self.kept, None, True)
        if not self.kept._inference and self.kept._version != self.version:
            raise modified_input(self.kept, self.version)
        return self.kept


class Recomputation:
    """A further call of a checkpointed function, for one backward pass."""

    beyond: bool

    def __init__(self, frame: Frame):
        self.frame = frame
        self.tensors: list[Any] = []  # by number; None for those that nobody needs, or that were taken
        self.lines: list[Any] = []
        self.beyond = False

    def run(self) -> None:
        """Calls the function again, and compares what it saves."""
        frame = self.frame
        args = [arg.tensor() if isinstance(arg, Argument) else arg for arg in frame.args]
        with frame.surroundings(), fork_rng(enabled=frame.random_state is not None):
            if frame.random_state is not None:
                set_rng_state(frame.random_state)
            try:
                with saved_tensors_hooks(self.keep, lambda tensor: tensor), enable_grad(), frame.context_again:
                    frame.function(*args, **frame.kwargs)
            except StopRecomputation:
                pass
        self.check()

    def keep(self, tensor: Tensor) -> Tensor:
        """Keeps a tensor that the further call saves, if the graph needs it."""
        frame, number = self.frame, len(self.tensors)
        tensor = tensor.detach()
        if frame.lines is not None:
            self.lines.append(line_of_user())
        if number >= len(frame.holders):
            if not frame.completed:  # a backward pass inside the function's first call
                self.beyond = True
                return tensor
            raise self.error("trying to save more tensors during recomputation than during the original forward pass.")
        self.tensors.append(tensor if frame.holders[number]() is not None else None)
        if frame.early_stop and len(self.tensors) == len(frame.holders):
            raise StopRecomputation
        return tensor

    def take(self, holder: Holder) -> Tensor:
        """Hands out the tensor for a holder."""
        tensor = self.tensors[holder.number] if holder.number < len(self.tensors) else None
        if tensor is None:
            raise CheckpointError(
                "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. If you "
                "are calling ctx.saved_tensors in backward, make sure to do so only once."
            )
        self.tensors[holder.number] = None
        return tensor

    def check(self) -> None:
        """Raises CheckpointError if the calls saved different tensors."""
        frame = self.frame
        if self.beyond:
            return
        if len(self.tensors) != len(frame.holders):
            raise self.error(
                "A different number of tensors was saved during the original forward and recomputation.\n"
                f"Number of tensors saved during forward: {len(frame.holders)}\n"
                f"Number of tensors saved during recomputation: {len(self.tensors)}."
            )
        differences = "".join(
            f"tensor at position {i}:\nsaved metadata: {first}\nrecomputed metadata: {frame.metadata_of(tensor)}\n"
            for i, (first, tensor) in enumerate(zip(frame.metadata, self.tensors, strict=True))
            if tensor is not None and frame.metadata_of(tensor) != first
        )
        if differences:
            raise self.error(
                "Recomputed values for the following tensors have different metadata than during the forward pass.\n"
                + differences
            )

    def error(self, message: str) -> CheckpointError:
        """The error for calls that differ; with `debug` it shows the lines that saved."""
        if self.frame.lines is None:
            tip = (
                "Tip: To see a more detailed error message, pass `debug=True` to "
                "`torch.utils.checkpoint.checkpoint(...)`."
            )
        else:
            tip = (
                "You are seeing this error because you passed `debug=True` to checkpoint.\n"
                f"Saved during forward:\n{''.join(self.frame.lines)}Saved during recomputation:\n{''.join(self.lines)}"
            )
        return CheckpointError(f"torch.utils.checkpoint: {message}\n{tip}")


def recomputed(function: Callable[..., Any], *args: Any) -> Any:
    """Calls a function without random numbers; what it saves is computed again in each backward pass."""
    if not CURRENT.get().grad:
        return function(*args)
    frame = Frame(function, args, {}, False, METADATA["default"], True, False)
    return frame.run(nullcontext(), nullcontext())
