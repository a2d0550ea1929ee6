"""What runs a program: the reference, or what the chosen backend makes of it."""

from collections.abc import Callable
from functools import partial
from typing import Any

from rushlight.compiler.graph import Graph
from rushlight.compiler.lowering import Unsuitable, lowered
from rushlight.compiler.passes import improved
from rushlight.compiler.planning import Plan, planned
from rushlight.compiler.program import Program, run
from rushlight.compiler.replaying import Execution
from rushlight.compiler.walking import executor
from rushlight.core.lines import warn

REFERENCE = "eager"  # the backend that runs programs step by step
NATIVE = "llvm"  # the one with native loops


def prepared(program: Program, backend: str) -> tuple[Graph, Plan, Any]:
    """The graph of a program after all passes, its plan, and what runs that. Unsuitable for one that has none."""
    graph = improved(lowered(program))
    plan = planned(graph)
    return graph, plan, executor(plan, native=backend == NATIVE)


def execution(program: Program, backend: str) -> Callable[[list[Any]], list[Any]]:
    """A function that runs a program on inputs.

    A program that cannot be made faster runs step by step; so does, with a warning, one of which that is not known.
    """
    if backend == REFERENCE:
        return partial(run, program)
    try:
        _, _, execute = prepared(program, backend)
        return Execution(execute, program.outputs)
    except Unsuitable:
        return partial(run, program)
    except Exception as error:
        why = f"torch.compile: a program runs step by step, because making it faster failed: {error!r}."
        warn(why)
        return partial(run, program)
