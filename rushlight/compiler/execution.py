"""What runs a program: the reference, or what the chosen backend makes of it."""

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
    """A function that runs a program on inputs."""
    if backend == REFERENCE:
        return partial(run, program)
    try:
        graph = lowered(program)
    except Unsuitable:
        return partial(run, program)
    return executor(planned(improved(graph)), native=backend == NATIVE)
