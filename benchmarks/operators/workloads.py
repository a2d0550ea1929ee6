"""The workloads of operators: each call of table.txt at each size, in each dtype and layout, forward and backward."""

import re
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path

from benchmarks.operators.inputs import MAKERS, arrays_of
from benchmarks.workload import Arrays, Step, Workload

TABLE = Path(__file__).with_name("table.txt")
SIZES = (100, 10_000, 1_000_000)
LIBRARIES = ("rushlight", "torch")
DIRECTIONS = ("forward", "backward")
CONSTANT = ("signs", "ones", "hann", "ordered", "edges", "listed", "grid")  # that no gradient is asked for


@cache
def calls() -> list[tuple[str, tuple[str, ...]]]:
    """The calls of the table, each with the layouts that its section names."""
    found, layouts = [], ()
    for line in TABLE.read_text().splitlines():
        if line.startswith("["):
            layouts = tuple(re.findall(r"[\w]+", line.partition(":")[2]))
        elif line and not line.startswith("#"):
            found.append((line, layouts))
    return found


def letters(call: str) -> list[str]:
    """The inputs that a call takes."""
    return sorted(set(re.findall(r"(?<![\w.'])[a-z]\w*", call)) & set(MAKERS))


def arrays(names: list[str], n: int, dtype: str, layout: str) -> tuple[Arrays, Arrays]:
    """The inputs of a call, as `Workload.data` gives them; what differs in layout is the first."""
    taken = {"row": {"y": "row"}, "column": {"y": "column"}}.get(layout, {})
    made = [arrays_of(taken.get(name, name), n, dtype) for name in names]
    if layout == "transposed":
        made[names.index("x")] = made[names.index("x")].T
    return made, []


def tensor(library, name: str, value):
    """An input as a tensor that lies as the array does; leaves that require grad where it is a float one."""
    if type(value) is list:
        return value if name == "listed" else [tensor(library, name, part) for part in value]
    made = library.from_numpy(value.copy(order="K"))
    return made.requires_grad_(value.dtype.kind == "f" and name not in CONSTANT)


def made(call: str, names: list[str], library, inputs: Arrays) -> tuple[Step, dict]:
    """A call as a function without arguments, and the names that it knows."""
    known = {name: tensor(library, name, value) for name, value in zip(names, inputs, strict=True)}
    known |= {"torch": library, "F": library.nn.functional}
    return eval(f"lambda: {call}", known), known


def forward(call: str, names: list[str], library, inputs: Arrays, _: Arrays) -> Step:
    """The call, with nothing recorded."""
    library.set_grad_enabled(False)
    return made(call, names, library, inputs)[0]


def backward(call: str, names: list[str], library, inputs: Arrays, _: Arrays) -> Step:
    """The gradients of what the call gives, over a graph that is kept."""
    library.set_grad_enabled(True)
    function, known = made(call, names, library, inputs)
    results = function()
    results = results if isinstance(results, (tuple, list)) else (results,)
    results = [result for result in results if result.requires_grad]
    flat = [part for value in known.values() for part in (value if type(value) is list else [value])]
    leaves = [part for part in flat if getattr(part, "requires_grad", False) and part.is_leaf]
    if not results:
        raise TypeError("there is nothing to differentiate")
    cotangents = [library.ones_like(result) * 0.5 for result in results]
    return lambda: library.autograd.grad(results, leaves, cotangents, retain_graph=True, allow_unused=True)


FORMS = {"forward": forward, "backward": backward}


def kinds(call: str, layouts: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """In what dtypes and layouts a call is timed."""
    yield from (("float32", "contiguous"), ("float64", "contiguous"))
    names = letters(call)
    for layout in layouts:
        if ("x" if layout == "transposed" else "y") in names:
            yield "float32", layout


def workloads(only: str = "", quick: bool = False) -> list[Workload]:
    """All of them, or those whose call contains some text; with `quick` float32 and contiguous at two sizes."""
    found = []
    for call, layouts in calls():
        if only not in call:
            continue
        names = letters(call)
        for dtype, layout in list(kinds(call, layouts))[: 1 if quick else None]:
            for n in SIZES[:: 2 if quick else 1]:
                data = partial(arrays, names, n, dtype, layout)
                for direction in DIRECTIONS:
                    forms = dict.fromkeys(LIBRARIES, partial(FORMS[direction], call, names))
                    found.append(Workload(f"{call} | {direction} | {n} | {dtype} | {layout}", forms, data))
    return found
