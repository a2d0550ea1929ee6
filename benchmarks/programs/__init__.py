"""Typical programs, each written once for both libraries and timed at three sizes."""

from functools import partial

from benchmarks.programs import inference, learning, networks, sequences, simulation
from benchmarks.workload import Arrays, Step, Workload

THEMES = (learning, networks, sequences, inference, simulation)
SIZES = ("tiny", "small", "medium")
LIBRARIES = ("rushlight", "torch")
SEED = 0


def data() -> tuple[Arrays, Arrays]:
    """Nothing: programs draw their own numbers, which are the same in both libraries."""
    return [], []


def prepared(program, size: int, library, _inputs: Arrays, _weights: Arrays) -> Step:
    """A program's step in a library, from one seed."""
    library.set_grad_enabled(True)
    library.manual_seed(SEED)
    return program(library, size)


def workloads(only: str = "", quick: bool = False) -> list[Workload]:
    """All of them, or those whose name contains some text; with `quick` the smallest and the largest."""
    found = []
    for theme in THEMES:
        for program, sizes in theme.PROGRAMS.items():
            name = program.__name__.replace("_", " ")
            for title, size in list(zip(SIZES, sizes, strict=True))[:: 2 if quick else 1]:
                if only in name:
                    forms = dict.fromkeys(LIBRARIES, partial(prepared, program, size))
                    found.append(Workload(f"{name} | {title}", forms, data))
    return found
