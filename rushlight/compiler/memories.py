"""Tracks which value of a program each array holds while a call is recorded.

Arrays are identified by id, and hold their values until their memory is written to. Then the memory has a new value,
and arrays in it are views of that, made when they are next used.
"""

from typing import Any

import numpy as np

from rushlight.compiler.program import VIEW, Program, Step, Value
from rushlight.core.windows import address, outermost


class Unrecordable(Exception):
    """Something was done that a replay could not repeat."""


class Memory:
    """A piece of memory: the array that owns it, its value, and how often it was written to."""

    __slots__ = ("given", "owner", "value", "version", "whole")

    def __init__(self, owner: np.ndarray, whole: np.ndarray, value: Value, given: bool):
        self.owner: np.ndarray = owner
        self.whole: np.ndarray = whole
        self.value: Value = value
        self.given: bool = given  # whether it existed before the call
        self.version: int = 0


class Memories:
    """The values of arrays. Inputs and constants that are found are added to `program`."""

    def __init__(self, program: Program):
        self.program = program
        self.memories: dict[int, Memory] = {}  # by the id of the owning array
        self.known: dict[
            int, tuple[Any, ...]
        ] = {}  # by identity: the array, its value, its memory, the version of that
        self.inputs: list[np.ndarray] = []
        self.born: set[int] = set()  # owners of memory that was not made by a step

    def value_of(self, array: np.ndarray) -> Value:
        """The present value of an array: made by a step, an input, or a constant."""
        found = self.known.get(id(array))
        if found is not None and found[2].version == found[3]:
            return found[1]
        owner = outermost(array)
        memory = self.memories.get(id(owner))
        if memory is None:
            return self.input(array, owner)
        if same_place(array, memory.whole):
            return self.know(array, memory.value, memory)
        if memory.given and not memory.version:
            return self.input_beside(array, memory)
        window = window_of(array, memory.whole)
        value = Value.like(array)
        self.program.steps.append(Step(look, (memory.value, *window), (value,), VIEW, name="look"))
        return self.know(array, value, memory)

    def know(self, array: np.ndarray, value: Value, memory: Memory) -> Value:
        """Records the value of an array."""
        self.known[id(array)] = array, value, memory, memory.version
        return value

    def input(self, array: np.ndarray, owner: np.ndarray) -> Value:
        """A new input of the program."""
        value = Value.like(array)
        self.memories[id(owner)] = Memory(owner, array, value, True)
        self.program.inputs.append(value)
        self.inputs.append(array)
        return self.know(array, value, self.memories[id(owner)])

    def input_beside(self, array: np.ndarray, memory: Memory) -> Value:
        """A new input in memory that is an input already: neither may be written to."""
        value = Value.like(array)
        self.program.inputs.append(value)
        self.inputs.append(array)
        return self.know(array, value, memory)

    def made(self, array: np.ndarray, given: Any) -> tuple[Value, bool]:
        """The value of an array that a step returned, and whether it shares memory with the step's arguments.

        `given` are those arguments, bare arrays.
        """
        owner = outermost(array)
        memory = self.memories.get(id(owner))
        looks = memory is not None and any(outermost(one) is owner for one in given)
        value = Value.like(array)
        if looks and memory is not None:
            return self.know(array, value, memory), True
        memory = self.memories[id(owner)] = Memory(owner, array, value, False)
        return self.know(array, value, memory), False

    def wrote(self, array: np.ndarray, value: Value) -> None:
        """Records that an array was overwritten with a value of the same shape and dtype."""
        self.value_of(array)  # registers its memory
        memory = self.memories[id(outermost(array))]
        if memory.given and sum(1 for one in self.inputs if outermost(one) is memory.owner) > 1:
            raise Unrecordable("memory that two inputs share is written to")
        if same_place(array, memory.whole):
            after = value
            if value.strides != Value.like(array).strides:
                after = Value.like(array)
                self.program.steps.append(Step(np.array, (value,), (after,), name="copy"))
        else:
            after = Value.like(memory.whole)
            window = window_of(array, memory.whole)
            self.program.steps.append(Step(with_part_replaced, (memory.value, value, *window), (after,)))
        memory.value = after
        memory.version += 1
        self.know(memory.whole, after, memory)
        if array is not memory.whole and same_place(array, memory.whole):
            self.know(array, after, memory)

    def writes(self) -> list[tuple[Value, Value]]:
        """The inputs whose memory was written to, with their final values."""
        found = []
        for value, array in zip(self.program.inputs, self.inputs, strict=True):
            memory = self.memories[id(outermost(array))]
            if memory.version:
                found.append((value, memory.value))
        return found


def same_place(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays show the same elements in the same order."""
    return a is b or (a.shape == b.shape and a.strides == b.strides and a.dtype == b.dtype and address(a) == address(b))


def window_of(array: np.ndarray, whole: np.ndarray) -> tuple[Any, ...]:
    """The place of an array in another: offset in bytes, shape, strides, dtype. Unrecordable if it is not inside."""
    low, high = np.lib.array_utils.byte_bounds(whole)
    first, last = np.lib.array_utils.byte_bounds(array) if array.size else (low, low)
    if first < low or last > high or whole.dtype.hasobject:
        raise Unrecordable("a view reaches beyond the part of its memory that is known")
    return address(array) - address(whole), array.shape, array.strides, array.dtype


def look(
    whole: np.ndarray, offset: int, shape: tuple[Any, ...], strides: tuple[Any, ...], dtype: np.dtype
) -> np.ndarray:
    """The view of an array's memory, starting `offset` bytes after its first element."""
    low = np.lib.array_utils.byte_bounds(whole)[0]
    span = np.lib.array_utils.byte_bounds(whole)[1] - low
    first: Any = (*(slice(0, 1),) * whole.ndim, ...)  # with the dots it is an array, also where there is no dimension
    flat = np.lib.stride_tricks.as_strided(whole[first], (1,) * whole.ndim).reshape(-1)
    memory = np.lib.stride_tricks.as_strided(flat.view(np.uint8)[:1], (span,), (1,))
    return np.ndarray(shape, dtype, memory, offset + address(whole) - low, strides)


def with_part_replaced(
    whole: np.ndarray, value: np.ndarray, offset: int, shape: tuple[Any, ...], strides: tuple[Any, ...], dtype: np.dtype
) -> np.ndarray:
    """A copy of an array in which the part that `look` shows is replaced."""
    copy = whole.copy("K")
    look(copy, offset, shape, strides, dtype)[...] = value
    return copy
