"""Records what a model computes from example inputs, as a program, with the recorder of compiled calls."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from rushlight.autograd.grad_mode import no_grad
from rushlight.compiler.program import RANDOM, Program, Step, Value
from rushlight.compiler.recorder import Recorder, is_truth
from rushlight.compiler.watching import told_of_values
from rushlight.core.interpreters import STACK
from rushlight.core.windows import outermost
from rushlight.onnx.errors import OnnxExporterError
from rushlight.tensors import Tensor
from rushlight.utils.pytree import tree_leaves

__all__ = ["Recorded", "record"]

REFUSED = "The model cannot be exported"


@dataclass
class Recorded:
    """A recorded program, with the values of a call's inputs and outputs, and the arrays of its other constants."""

    program: Program
    inputs: list[Value]
    outputs: list[Value]
    constants: dict[Value, np.ndarray]


def record(call: Callable[[], Any], inputs: Sequence[Tensor], state: Sequence[Tensor]) -> Recorded:
    """Calls a function of inputs and state, and records what it computes.

    OnnxExporterError if it is not a pure function of the inputs: if it draws random numbers, changes the state, or
    depends on the inputs' values in Python.
    """
    recorder = Recorder(list(inputs), steps=False)
    memories = recorder.part.memories
    given = [memories.value_of(tensor._settled()) for tensor in inputs]
    with no_grad(), told_of_values(recorder), entered(recorder):
        results = tree_leaves(call())
    if recorder.trouble is not None:
        raise OnnxExporterError(f"{REFUSED}: {recorder.trouble[0]}, at {recorder.trouble[1]}.")
    if recorder.items:
        raise OnnxExporterError(f"{REFUSED}: item() takes a value out of it. Compute with the tensor itself.")
    if strange := [one for one in results if not isinstance(one, Tensor)]:
        raise OnnxExporterError(
            f"{REFUSED}: it returns a value of type {type(strange[0]).__name__}. Return tensors alone."
        )
    outputs = [memories.value_of(tensor._settled()) for tensor in results]
    program = recorder.part.program
    arrays = dict(zip(program.inputs, memories.inputs, strict=True))
    own = {id(outermost(tensor._array)) for tensor in state}
    if any(id(outermost(arrays[value])) in own for value, _ in memories.writes()):
        raise OnnxExporterError(f"{REFUSED}: it changes its own state. Call model.eval() first.")
    check_steps(program.steps)
    return Recorded(program, given, outputs, {value: array for value, array in arrays.items() if value not in given})


@contextmanager
def entered(recorder: Recorder) -> Iterator[None]:
    """A context in which a recorder is active."""
    STACK.enter(recorder)
    try:
        yield
    finally:
        STACK.leave(recorder)


def check_steps(steps: list[Step]) -> None:
    """OnnxExporterError for random steps, and for conditions on values; checks of indices are left out."""
    for step in steps:
        if step.kind == RANDOM:
            raise OnnxExporterError(f"{REFUSED}: it draws random numbers at {step.where}. Call model.eval() first.")
        if step.function is is_truth:
            raise OnnxExporterError(
                f"{REFUSED}: it goes by the value of a tensor at {step.where}. Use torch.where in place of a condition."
            )
