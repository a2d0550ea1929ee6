"""Loops from optimizers' rules.

Each rule (`rushlight.optim`) is traced as an elementwise formula is, once for each combination of its options and of
the arrays in its state. What the trace computes for an element becomes the body of a loop.
"""

from collections.abc import Callable
from pathlib import Path
from textwrap import indent
from typing import Any

import numpy as np

import rushlight as torch
from loops.bodies import body, chooser
from rushlight.core.tracing import Recorder, Traced, TracedNumber
from rushlight.kernels.updates import name_of

PATH = Path(torch.__file__).parent / "kernels" / "compiled" / "update_loops.pxi"
EXPRESSIONS = """
SGD(lr=0.1) SGD(lr=0.1,momentum=0.9) SGD(lr=0.1,momentum=0.9,dampening=0.5) SGD(lr=0.1,momentum=0.9,nesterov=True)
Adam() Adam(amsgrad=True) RMSprop() RMSprop(momentum=0.9) RMSprop(centered=True) RMSprop(momentum=0.9,centered=True)
Adagrad() Adadelta() Adamax() NAdam() RAdam() Rprop() ASGD(t0=2)
""".split()
STEPS = 10  # of each optimizer: some rules change after the first steps

HEADER = "# Written by `python -m loops` from the rules in rushlight.optim.\n"
PARAMETERS = "real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers"
LOOP = """
cdef wide {name}({parameters}) noexcept nogil:
    cdef real sign = <real>numbers[0], decay = <real>numbers[1], factor = <real>numbers[2]
{declarations}
    cdef Py_ssize_t i
    for i in range(start, stop):
        x1 = descent(a1[i], a0[i], sign, decay)
        x0 = a0[i] * factor
{body}
"""
Key = tuple[str, tuple[Any, ...], int]


def written() -> dict[Path, str]:
    """The file: the loops, the function that calls one by its number, and the numbers by rule, options and arrays."""
    variants = {key: rule for expression in EXPRESSIONS for key, rule in variants_of(expression).items()}
    names = [f"{rule.__qualname__.partition('.')[0].lower()}_{i}" for i, rule in enumerate(variants.values())]
    loops = [loop(name, rule, *key[1:]) for name, (key, rule) in zip(names, variants.items(), strict=True)]
    calls = [f"{name}(columns, start, stop, numbers)" for name in names]
    table = "\n\nLOOPS = {\n" + "".join([f"    {key!r}: {i},\n" for i, key in enumerate(variants)]) + "}\n"
    return {PATH: HEADER + "\n".join(loops) + chooser(f"run(int which, {PARAMETERS})", calls) + table}


def variants_of(expression: str) -> dict[Key, Callable[..., None]]:
    """The rule of an optimizer by its name, the kinds of its numbers, and its number of arrays, for the first steps."""
    name, _, options = expression.partition("(")
    param = torch.ones(2, requires_grad=True)
    optimizer = eval(f"torch.optim.{name}([param], {options}")
    (group,), found = optimizer.param_groups, {}
    for _ in range(STEPS):
        param.grad = torch.ones(2)
        numbers = optimizer._numbers(group, optimizer._moment(group, dict(optimizer.state[param])))
        kinds = tuple([number if number is None or type(number) is bool else 0.0 for number in numbers])
        found[name_of(optimizer._rule), kinds, 2 + len(optimizer._names(group))] = optimizer._rule
        optimizer.step()
    return found


def loop(name: str, rule: Callable[..., None], kinds: tuple[Any, ...], arrays: int) -> str:
    """A rule as a loop in Cython: `a` are the arrays, `x` their elements, `n` the numbers, `v` further values."""
    recorder = Recorder(np.dtype(np.float32))
    columns = [Traced(recorder, ("x", i), recorder.dtype) for i in range(arrays)]
    numbers, texts = list(kinds), {}
    for k, i in enumerate([i for i, kind in enumerate(kinds) if type(kind) is float]):
        numbers[i] = TracedNumber(recorder, ("n", k), recorder.dtype)
        texts["n", k] = f"n{k}"
    rule(tuple(numbers), *columns)
    texts |= {("x", i): f"x{i}" for i in range(arrays)}
    texts |= {("constant", i): f"<real>{constant}" for i, constant in enumerate(recorder.constants)}
    results = {f"a{i}[i]": column.place for i, column in enumerate(columns) if column.place != ("x", i)}
    steps = [(("step", i), function.__name__, given) for i, (function, _, given) in enumerate(recorder.steps)]
    statements, values = body(steps, texts, results)
    statements = [f"x{i} = a{i}[i]" for i in range(2, arrays)] + statements
    values = [f"x{i}" for i in range(arrays)] + values
    declarations = [f"cdef real* a{i} = columns[{i}]" for i in range(arrays)]
    places = {place for _, _, given in steps for place in given}
    used = [k for kind, k in texts if kind == "n" and (kind, k) in places]
    declarations += [f"cdef real n{k} = <real>numbers[{k + 3}]" for k in used]
    declarations.append(f"cdef real {', '.join(values)}")
    return LOOP.format(
        name=name,
        parameters=PARAMETERS,
        declarations=indent("\n".join(declarations), " " * 4),
        body=indent("\n".join(statements), " " * 8),
    )
