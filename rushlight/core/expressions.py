"""Expressions: steps of a formula that one loop computes together, without memory for what is between them.

The expression of a value is what it needs of simple steps, back to the operands, the numbers and the results of other
steps. Steps that two expressions need are in both: computing them again costs less than storing their results.
Exponentials are steps of an expression where there is a loop for the whole of it.

An expression is written as text, the same for all formulas that compute the same: `an: greater 0 1, multiply 0 1,
where 2 0 3`. First comes a letter for each input: `a` for an array of numbers, `?` for an array of booleans, `n` for a
number. Then come the steps, with the places of their operands: the inputs are counted first, then the steps.
"""

from collections.abc import Container, Set
from typing import Any

import numpy as np

from rushlight.core.tracing import Step, Tape
from rushlight.kernels.codes import MOST_INPUTS

NUMERIC = {
    np.add,
    np.subtract,
    np.multiply,
    np.divide,
    np.negative,
    np.positive,
    np.reciprocal,
    np.square,
    np.sqrt,
    np.absolute,
    np.sign,
    np.trunc,
    np.rint,
    np.copysign,
    np.maximum,
    np.minimum,
    np.greater,
    np.greater_equal,
    np.less,
    np.less_equal,
    np.equal,
    np.not_equal,
    np.isnan,
    np.where,
}
EXPONENTIAL = NUMERIC | {np.exp}
LOGICAL = {
    np.logical_and,
    np.logical_or,
    np.logical_xor,
    np.logical_not,
    np.bitwise_and,
    np.bitwise_or,
    np.bitwise_xor,
    np.invert,
}


def expressed(tape: Tape, loops: Container[str]) -> Tape:
    """The tape with expressions in place of their steps, where `loops` has them."""
    return Writer(tape, loops).written()


class Writer:
    """Writes a tape anew, beginning with its result."""

    def __init__(self, tape: Tape, loops: Container[str]) -> None:
        self.tape, self.loops = tape, loops
        self.first = tape.operands + len(tape.constants)  # the place of the first step's result
        self.precision = "d" if any("d" in step.types for step in tape.steps) else "f"
        self.steps: list[Step] = []
        self.places = {place: place for place in range(self.first)}  # where values are in the new tape

    def written(self) -> Tape:
        """The new tape."""
        return self.tape._replace(result=self.place(self.tape.result), steps=self.steps)

    def place(self, value: int) -> int:
        """The place of a value in the new tape, which gets the steps that it needs."""
        if value not in self.places:
            step = self.joined(value, EXPONENTIAL) or self.joined(value, NUMERIC) or self.tape.steps[value - self.first]
            places = tuple([self.place(operand) for operand in step.places])
            self.places[value] = self.first + len(self.steps)
            self.steps.append(step._replace(places=places))
        return self.places[value]

    def joined(self, value: int, simple: Set[Any]) -> Step | None:
        """One step that computes the expression of a value, made of simple functions; None without a loop for it."""
        inputs: list[int] = []
        expression = self.expression(value, inputs, simple)
        types = self.tape.steps[value - self.first].types
        return Step(expression, f"{self.precision}->{types[-1]}", tuple(inputs)) if expression in self.loops else None

    def expression(self, value: int, inputs: list[int], simple: Set[Any]) -> str:
        """The expression of a value, and its inputs; empty where its last step is not simple, or it has too many."""
        if not self.is_simple(value, simple):
            return ""
        order = self.simple_steps(value, simple)
        needed = [place for i in order for place in self.tape.steps[i - self.first].places]
        inputs += dict.fromkeys([place for place in needed if place not in order])
        if len(inputs) > MOST_INPUTS:
            return ""
        local = {place: i for i, place in enumerate([*inputs, *order])}
        steps = [self.tape.steps[i - self.first] for i in order]
        texts = [" ".join([step.function.__name__, *[str(local[place]) for place in step.places]]) for step in steps]
        return f"{''.join([self.kind(place) for place in inputs])}: {', '.join(texts)}"

    def is_simple(self, place: int, simple: Set[Any]) -> bool:
        """Whether a place has the result of a simple step."""
        if place < self.first:
            return False
        step = self.tape.steps[place - self.first]
        return step.function in (LOGICAL if step.types.startswith("?") and step.types.endswith("?") else simple)

    def simple_steps(self, value: int, simple: Set[Any]) -> list[int]:
        """The simple steps that a value needs, in order; the last is its own."""
        found, ahead = {value}, [value]
        while ahead:
            places = self.tape.steps[ahead.pop() - self.first].places
            new = [p for p in places if self.is_simple(p, simple) and p not in found]
            found.update(new)
            ahead += new
        return sorted(found)

    def kind(self, place: int) -> str:
        """The letter for an input."""
        if place < self.first:
            return self.tape.kinds[place] if place < self.tape.operands else "n"
        return "?" if self.tape.steps[place - self.first].types.endswith("?") else "a"
