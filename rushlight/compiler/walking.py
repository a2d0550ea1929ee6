"""Executes plans with NumPy, instruction by instruction: the Python version of the walker (`walker.pyx`)."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from time import perf_counter
from types import ModuleType
from typing import Any

import numpy as np

from rushlight.compiler.graph import Operand
from rushlight.compiler.native import Native, with_native_loops
from rushlight.compiler.planning import ARENA, Area, Group, Invoke, Plan, Product
from rushlight.compiler.program import CHECK, WRITE, Mismatch, copies_of, results_listed
from rushlight.kernels.compiled import load

AXES = {"down": 0, "along": -1}


fast: ModuleType | None = load("walker")


def executor(plan: Plan, native: bool = False) -> Callable[[Sequence[Any]], list[np.ndarray]]:
    """The executor of a plan: the walker, optionally with native loops, or its Python version."""
    plan = replace(plan, made_of=[])  # the graph need not be kept
    if fast is None:
        return Executor(plan)
    if native:
        plan = with_native_loops(plan)
    return fast.Walker(plan, partial(Run, plan))


class Executor:
    """A plan that can be executed repeatedly."""

    def __init__(self, plan: Plan):
        self.plan = plan
        self.memory: list[Any] = [None] * plan.slots
        for slot, array in plan.constants:
            self.memory[slot] = array

    def __call__(self, inputs: Sequence[Any]) -> list[np.ndarray]:
        """The outputs for some inputs: arrays of the planned shapes, and numbers.

        Raises Mismatch for a check that fails, before any input is written to.
        """
        return Run(self.plan, list(self.memory), inputs).alone()

    def times(self, inputs: Sequence[Any]) -> list[float]:
        """The time of each instruction in seconds. Inputs must be copies, as they may be overwritten."""
        run = Run(self.plan, list(self.memory), inputs)
        run.begin()
        clock = [perf_counter()]
        for i in range(len(self.plan.code)):
            run.carry_out(i)
            clock.append(perf_counter())
        return [end - start for start, end in pairwise(clock)]


class Run:
    """One run of a plan, on the arrays of its slots."""

    plan: Plan
    memory: list[Any]
    inputs: Sequence[Any]

    def __init__(self, plan: Plan, memory: list[Any], inputs: Sequence[Any]):
        self.plan, self.memory, self.inputs = plan, memory, inputs

    def alone(self) -> list[np.ndarray]:
        """The outputs, computed with a separate arena."""
        self.begin()
        for i, slots in enumerate(self.plan.done_with):
            self.carry_out(i)
            for slot in slots:
                self.memory[slot] = None
        self.supply(len(self.plan.code))
        outputs = [self.handed_out(area) for area in self.plan.outputs]
        self.write()
        return outputs

    def begin(self) -> None:
        """Sets the slots that are filled before the first instruction."""
        plan, memory, inputs = self.plan, self.memory, self.inputs
        memory[ARENA] = np.empty(plan.size, np.uint8)
        for area, array in zip(plan.inputs, inputs, strict=True):
            memory[area.slot] = array if area.shape == () or array.flags.c_contiguous else np.ascontiguousarray(array)
        for slot, number, dtype in plan.numbers:
            memory[slot] = np.array(inputs[number], dtype)

    def supply(self, number: int) -> None:
        """Sets the slots of the outputs that an instruction is the first to need."""
        for slot, shape, dtype in self.plan.fresh[number]:
            self.memory[slot] = np.empty(shape, dtype)

    def look(self, area: Area) -> Any:
        """The array of an area."""
        found = self.memory[area.slot]
        if not isinstance(found, np.ndarray):
            return found  # a number
        if found.dtype == area.dtype and (found.shape, found.strides, 0) == (area.shape, area.strides, area.offset):
            return found
        return np.ndarray(area.shape, area.dtype, found, area.offset, area.strides)

    def carry_out(self, number: int) -> None:
        """Executes one instruction, after the memory that it needs has been allocated."""
        self.supply(number)
        for slot, size, _ in self.plan.blocks[number]:
            self.memory[slot] = np.empty(size, np.uint8)
        self.execute(self.plan.code[number])

    def execute(self, instruction: Any) -> None:
        """Executes an instruction."""
        if isinstance(instruction, Group):
            self.group(instruction)
        elif isinstance(instruction, Native):
            self.group(instruction.group)
        elif isinstance(instruction, Product):
            self.product(instruction)
        elif isinstance(instruction, Invoke):
            self.invoke(instruction)
        else:
            self.look(instruction.out)[...] = instruction.function(*map(self.look, instruction.reads))

    def group(self, group: Group) -> None:
        """Executes elementwise steps."""
        values = [self.look(area) for area in group.reads]
        for function, _, operands in group.steps:
            values.append(function(*[values[k] for k in operands]))
        for number, area in group.writes:
            self.look(area)[...] = values[number]
        for number, way, area in group.sums:
            value, out = values[number], self.look(area)
            rows = {"all": (1, -1), "down": (-1, max(out.size, 1)), "along": (max(out.size, 1), -1)}[way]
            out[...] = np.add.reduce(value.reshape(rows), 0 if way == "down" else 1).reshape(out.shape)

    def product(self, product: Product) -> None:
        """Executes a product of matrices."""
        made = np.matmul(self.look(product.a), self.look(product.b))
        if product.addend is not None:
            made += self.look(product.addend)
        self.look(product.out)[...] = made

    def invoke(self, call: Invoke) -> None:
        """Executes a call of a function of the recorded program."""
        given = [self.look(area) for area in call.reads]
        if call.step.kind == WRITE and not call.writes:
            self.write_to_copies(call, given)
            return
        made = call.function(*(with_arrays(call.args, given) if given else call.args))
        if call.step.kind == CHECK and not made:
            raise Mismatch(call.step)
        if call.step.kind not in (CHECK, WRITE):
            self.keep(call, results_listed(made))

    def write_to_copies(self, call: Invoke, given: list[Any]) -> None:
        """Executes a call that changes its arguments on copies, which become its results."""
        args = list(with_arrays(call.args, given))
        for position in call.step.changes:
            args[position] = copies_of(args[position])
        call.function(*args)
        changed = [array for position in call.step.changes for array in results_listed(args[position])]
        self.keep(call, changed)

    def keep(self, call: Invoke, made: Sequence[Any]) -> None:
        """Stores the results of a call in its slots: contiguous, and outside of the arena."""
        for area, array in zip(call.results, made, strict=True):
            if area is None:
                continue
            array = np.asarray(array)
            if array.shape != area.shape or array.dtype != area.dtype:
                raise Mismatch(call.step)  # a shape that depends on values, such as that of a mask's selection
            is_view = array.base is not None
            if not array.flags.c_contiguous or (is_view and np.may_share_memory(array, self.memory[ARENA])):
                array = np.array(array, order="C")
            self.memory[area.slot] = array

    def handed_out(self, area: Area) -> np.ndarray:
        """An output, copied if it would share memory with constants."""
        array = self.look(area)
        return array if array.flags.writeable else array.copy()

    def write(self) -> None:
        """Writes the final values of inputs."""
        if not self.plan.copies:
            return
        given = {area.slot for area in self.plan.inputs}
        final = [
            (self.inputs[number], self.look(value).copy() if value.slot in given else self.look(value))
            for number, value in self.plan.copies
        ]
        for array, value in final:
            np.copyto(array, value)


def with_arrays(args: Any, given: list[Any]) -> Any:
    """Arguments with operands replaced by arrays."""
    if type(args) is Operand:
        return given[args.number]
    if type(args) in (tuple, list):
        return type(args)([with_arrays(arg, given) for arg in args])
    return args
