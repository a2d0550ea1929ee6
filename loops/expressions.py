"""Loops from the expressions of operators' formulas.

The formulas are those that run in the calls of the operators' benchmark, forward and backward. They are only traced
where the core is compiled.
"""

import warnings
from contextlib import suppress
from pathlib import Path
from textwrap import indent
from typing import Any
from unittest.mock import patch

import rushlight as torch
from benchmarks.operators.workloads import arrays, backward, calls, forward, letters
from loops.bodies import TRUTHS, body, chooser
from rushlight.core import formulas
from rushlight.core.expressions import expressed
from rushlight.core.tracing import Tape, trace

CORE = Path(torch.__file__).parent / "core"
EXPONENTIAL = "exp "  # what is written in expressions whose loops are in a file of their own
ELEMENTS = 100
FEWEST = 2  # steps of an expression that gets a loop

HEADER = "# Written by `python -m loops` from the formulas of operators.\n"
LOOP = """
cdef wide loop_{number}(char** args, char* result, npy_intp n, real* like) noexcept nogil:
{declarations}
    cdef npy_intp i
    for i in range(n):
{body}
"""


def written() -> dict[Path, str]:
    """The files: of expressions with exponentials, and of others."""
    expressions = sorted(found())
    exponential = [expression for expression in expressions if EXPONENTIAL in expression]
    others = [expression for expression in expressions if EXPONENTIAL not in expression]
    return {
        CORE / "expression_loops.pxi": file(others),
        CORE / "exponential_expressions.pxi": file(exponential),
    }


def file(expressions: list[str]) -> str:
    """A file: the loops, the function that calls one by its number, and the numbers by expression."""
    loops = [loop(i, expression) for i, expression in enumerate(expressions)]
    arguments = "(args, result, n, like)"
    calls = [f"loop_{i}{arguments}" for i in range(len(loops))]
    choice = chooser("run_loop(int which, char** args, char* result, npy_intp n, real* like)", calls)
    table = "".join([f"    {expression!r}: {i},\n" for i, expression in enumerate(expressions)])
    count = f"\ncdef enum:\n    COUNT = {len(loops)}\n"
    return f"{HEADER}{''.join(loops)}{choice}{count}\nLOOPS = {{\n{table}}}\n"


class Noted(set[str]):
    """Expressions that were looked for, and take enough steps."""

    def __contains__(self, expression: object) -> bool:
        if str(expression).count(",") + 1 < FEWEST:
            return False
        self.add(str(expression))
        return True


def found() -> set[str]:
    """The expressions of the formulas that run in the calls."""
    noted = Noted()

    def note(function: Any, operands: Any, dtype: Any) -> Tape | None:
        tape = trace(function, operands, dtype)
        if tape is not None:
            expressed(tape, noted)
        return tape

    with patch.object(formulas, "trace", note), warnings.catch_warnings(action="ignore"):
        for call, _ in calls():
            names = letters(call)
            for run in (forward, backward):
                with suppress(Exception):  # a call that has no derivative, for one
                    run(call, names, torch, *arrays(names, ELEMENTS, "float32", "contiguous"))()
    return set(noted)


def loop(number: int, expression: str) -> str:
    """A loop in Cython: `x` are inputs, `v` values that are used more than once."""
    kinds, _, written_steps = expression.partition(": ")
    steps = []
    for i, text in enumerate(written_steps.split(", "), len(kinds)):
        name, *given = text.split()
        steps.append((i, name, [int(place) for place in given]))
    last = len(kinds) + len(steps) - 1
    statements, variables = body(steps, {i: f"x{i}" for i in range(len(kinds))}, {"out[i]": last})
    out = "char" if steps[-1][1] in TRUTHS else "real"
    declarations, loads = [f"cdef {out}* out = <{out}*>result"], []
    for i, kind in enumerate(kinds):
        if kind == "n":
            declarations.append(f"cdef real x{i} = (<const real*>args[{i}])[0]")
            continue
        element = "char" if kind == "?" else "real"
        declarations.append(f"cdef const {element}* a{i} = <const {element}*>args[{i}]")
        declarations.append(f"cdef {element} x{i}")
        loads.append(f"x{i} = a{i}[i]")
    if variables:
        declarations.append(f"cdef real {', '.join(variables)}")
    return LOOP.format(
        number=number,
        declarations=indent("\n".join(declarations), " " * 4),
        body=indent("\n".join(loads + statements), " " * 8),
    )
