"""What executes a program: the reference, or the chosen backend."""

from collections.abc import Callable
from functools import partial
from typing import Any

from rushlight.compiler.drawing import Unsuitable
from rushlight.compiler.graph import Graph
from rushlight.compiler.lowering import lowered
from rushlight.compiler.native import MOST_OPERATIONS, is_available
from rushlight.compiler.passes import improved
from rushlight.compiler.planning import Plan, planned
from rushlight.compiler.program import Program, run
from rushlight.compiler.replaying import Execution
from rushlight.compiler.walking import executor
from rushlight.core.lines import warn

REFERENCE = "eager"  # the backend that executes programs step by step
NATIVE = "llvm"  # the backend with native loops


def prepared(program: Program, backend: str) -> tuple[Graph, Plan, Any]:
    """The graph of a program after all passes, its plan, and its executor. Unsuitable for a program without a plan."""
    graph = improved(lowered(program))
    native = backend == NATIVE and is_available()
    plan = planned(graph, MOST_OPERATIONS if native else None)
    return graph, plan, executor(plan, native)


def execution(program: Program, backend: str) -> Callable[[list[Any]], list[Any]]:
    """A function that executes a program on inputs.

    A program that cannot be made faster is executed step by step; an unexpected failure is also reported by a warning.
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
