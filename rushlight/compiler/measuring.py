"""Timing of instructions: a program that measures its instructions when it first runs."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from rushlight.compiler.execution import REFERENCE, prepared
from rushlight.compiler.fusion import Instruction
from rushlight.compiler.graph import Graph, described
from rushlight.compiler.planning import Plan
from rushlight.compiler.program import Program
from rushlight.random.generator import Generator


class Told(NamedTuple):
    """An instruction: its description, the dtype and shape of its result, its source lines, and its time in seconds."""

    instruction: Instruction
    what: str
    kind: str
    lines: list[str]
    time: float | None  # None before a run


class Measured:
    """A program run by `execute`; before that, its instructions run on copies, and are timed.

    `inputs` are the names of its inputs. If there is no plan, `plan` and `graph` are None, and `trouble` says why.
    """

    def __init__(
        self,
        name: str,
        program: Program,
        inputs: list[str],
        backend: str,
        execute: Callable[..., list[Any]],
        generators: list[Generator],
    ):
        self.name = name
        self.program = program
        self.inputs = inputs
        self.execute = execute
        self.generators = generators
        self.times: list[float] = []
        self.trouble = "backend='eager' does so" if backend == REFERENCE else ""
        self.graph: Graph | None = None
        self.plan: Plan | None = None
        try:
            if not self.trouble:
                self.graph, self.plan, self.executor = prepared(program, backend)
        except Exception as error:  # an unknown failure was reported by `execution`
            self.trouble = str(error) or repr(error)

    def __call__(self, inputs: list[Any], *spare: Any) -> list[Any]:
        """The outputs for some inputs."""
        if self.plan is not None:
            self.measure(inputs)
        return self.execute(inputs, *spare)

    def measure(self, inputs: list[Any]) -> None:
        """Runs the instructions on copies, and stores the shortest times."""
        states = [(generator, generator.snapshot()) for generator in self.generators]
        times = self.executor.times(
            [np.array(one, order="K") if isinstance(one, np.ndarray) else one for one in inputs]
        )
        for generator, state in states:
            generator.rewind(state)
        self.times = list(map(min, self.times, times)) if self.times else times

    def instructions(self) -> Iterator[Told]:
        """The instructions of the plan in order; one that is executed in several pieces counts as one."""
        if self.plan is None:
            return
        times: dict[Instruction, float] = dict.fromkeys(self.plan.made_of, 0.0)
        for instruction, time in zip(self.plan.made_of, self.times or [0.0] * len(self.plan.code), strict=True):
            times[instruction] += time
        for instruction, time in times.items():
            names = [described(node) for node in instruction.nodes]
            last = instruction.nodes[-1]
            kind = "several" if last.shape is None else f"{last.dtype}{list(last.shape)}"
            lines = list(dict.fromkeys(node.where for node in instruction.nodes if node.where))
            yield Told(instruction, ", ".join(names), kind, lines, time if self.times else None)
