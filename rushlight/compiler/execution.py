"""What runs a program: the reference, or what the chosen backend makes of it."""

from collections.abc import Callable
from functools import partial
from typing import Any

from rushlight.compiler.program import Program, run


def execution(program: Program, backend: str) -> Callable[[list], list[Any]]:
    """A function that runs a program on inputs."""
    return partial(run, program)
