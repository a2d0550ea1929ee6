"""What runs a program: the reference, or what the chosen backend makes of it."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from rushlight.compiler.lowering import Unsuitable, lowered
from rushlight.compiler.passes import improved
from rushlight.compiler.planning import planned
from rushlight.compiler.program import Program, Value, laid, run
from rushlight.compiler.walking import executor
from rushlight.core.lines import warn

REFERENCE = "eager"  # the backend that runs programs step by step
NATIVE = "llvm"  # the one with native loops


def execution(program: Program, backend: str) -> Callable[[list], list[Any]]:
    """A function that runs a program on inputs.

    A program that cannot be made faster runs step by step; so does, with a warning, one of which that is not known.
    """
    if backend == REFERENCE:
        return partial(run, program)
    try:
        execute = executor(planned(improved(lowered(program))), native=backend == NATIVE)
        return partial(as_recorded, execute, program.outputs)
    except Unsuitable:
        return partial(run, program)
    except Exception as error:
        why = f"torch.compile: a program runs step by step, because making it faster failed: {error!r}."
        warn(why)
        return partial(run, program)


def as_recorded(execute: Callable[[list], list[Any]], values: list[Value], inputs: list) -> list[Any]:
    """The outputs of a program, which lie in memory as they were recorded."""
    outputs = execute(inputs)
    for i, value in enumerate(values):
        array = outputs[i]
        if value.strides is not None:
            outputs[i] = placed(array, value)
        elif not array.flags.c_contiguous:
            outputs[i] = np.ascontiguousarray(array)
    return outputs


def placed(array: Any, value: Value) -> Any:
    """An array that lies as a value says: with other strides, or with elements that are repeated."""
    if array.strides == value.strides:
        return array
    strides = value.strides or ()
    once = array[tuple([slice(0, 1) if step == 0 else slice(None) for step in strides])]
    part = laid(once, Value(once.shape, value.dtype, None if 0 in strides else strides))
    if 0 not in strides:
        return part
    return np.lib.stride_tricks.as_strided(
        part.copy(), value.shape, [0 if step == 0 else own for step, own in zip(strides, part.strides, strict=True)]
    )
