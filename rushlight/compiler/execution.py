"""What runs a program: the reference, or what the chosen backend makes of it."""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

from rushlight.compiler.lowering import Unsuitable, lowered
from rushlight.compiler.passes import improved
from rushlight.compiler.planning import planned
from rushlight.compiler.program import Program, run
from rushlight.compiler.walking import executor

REFERENCE = "eager"  # the backend that runs programs step by step
NATIVE = "llvm"  # the one with native loops


def execution(program: Program, backend: str) -> Callable[[list], list[Any]]:
    """A function that runs a program on inputs.

    A program that cannot be made faster runs step by step; so does, with a warning, one of which that is not known.
    """
    if backend == REFERENCE:
        return partial(run, program)
    try:
        return executor(planned(improved(lowered(program))), native=backend == NATIVE)
    except Unsuitable:
        return partial(run, program)
    except Exception as error:
        why = f"torch.compile: a program runs step by step, because making it faster failed: {error!r}."
        warnings.warn(why, stacklevel=2)
        return partial(run, program)
