"""Emits a group of elementwise steps as a function in LLVM IR.

The function is `void NAME(char** places, i64 start, i64 stop)`: the addresses of reads, writes and sums, and the range
of the outermost dimension. Dimensions that are contiguous in all arrays are merged; the innermost one is vectorized,
with a masked vector for the remainder. Sums along it are computed in double precision.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from rushlight.compiler.native.functions import OF_NUMBERS, OF_TRUTHS
from rushlight.compiler.native.vectors import Vectors
from rushlight.compiler.planning import Group

TRUTH = np.dtype(bool)
FLOATS: set[Any] = {np.dtype(np.float32), np.dtype(np.float64)}


class Unwritable(Exception):
    """Raised for a group that cannot be emitted: with two float dtypes, or with an unsupported function."""


class Array(NamedTuple):
    """How an array is traversed: its type, and its strides in bytes."""

    dtype: Any
    strides: tuple[int, ...]


class Form(NamedTuple):
    """Everything that the code of a group depends on: groups of the same form share it."""

    shape: tuple[int, ...]
    dtype: Any
    reads: tuple[Array, ...]
    steps: tuple[tuple[Any, ...], ...]
    writes: tuple[tuple[int, Array], ...]
    sums: tuple[tuple[int, Array], ...]

    def text(self) -> str:
        """The form as text, the same in every process."""
        steps = [(function.__name__, types, places) for function, types, places in self.steps]
        return repr((self.shape, str(self.dtype), self.reads, steps, self.writes, self.sums))


def form_of(group: Group) -> Form:
    """The form of a group. Raises Unwritable if it has none."""
    types = {types[-1] for _, types, _ in group.steps} | {area.dtype.char for area in group.reads}
    found: set[Any] = {dtype for dtype in FLOATS if dtype.char in types}
    if len(found) != 1 or not types <= {"f", "d", "?"}:
        raise Unwritable
    for function, types, _ in group.steps:
        if function not in (OF_TRUTHS if types[0] == "?" and function is not np.where else OF_NUMBERS):
            raise Unwritable
    arrays = [Array(area.dtype, broadcast_strides(area.strides, area.shape, group.shape)) for area in group.reads]
    arrays += [Array(area.dtype, broadcast_strides(area.strides, area.shape, group.shape)) for _, area in group.writes]
    arrays += [Array(area.dtype, sum_strides(area, way, group.shape)) for _, way, area in group.sums]
    shape, arrays = joined(group.shape, arrays)
    reads, rest = arrays[: len(group.reads)], arrays[len(group.reads) :]
    writes, sums = rest[: len(group.writes)], rest[len(group.writes) :]
    if any(array.strides[-1] not in (0, array.dtype.itemsize) for array in arrays):
        raise Unwritable
    return Form(
        shape,
        found.pop(),
        tuple(reads),
        group.steps,
        tuple([(number, array) for (number, _), array in zip(group.writes, writes, strict=True)]),
        tuple([(number, array) for (number, _, _), array in zip(group.sums, sums, strict=True)]),
    )


def broadcast_strides(strides: tuple[int, ...], own: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of an array broadcast to a shape."""
    return (0,) * (len(shape) - len(own)) + tuple([0 if n == 1 else s for n, s in zip(own, strides, strict=True)])


def sum_strides(area: Any, way: str, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of a sum in the shape of its operand: 0 along reduced dimensions."""
    own = broadcast_strides(area.strides, area.shape, area.shape)
    lost = (0,) * (len(shape) - len(own))
    return lost + own if way == "down" else own + lost


def joined(shape: tuple[int, ...], arrays: list[Array]) -> tuple[tuple[int, ...], list[Array]]:
    """The dimensions, with those merged that are contiguous in all arrays; those of size 1 are left out."""
    dims: list[tuple[int, list[int]]] = []
    for axis, n in enumerate(shape):
        steps = [array.strides[axis] for array in arrays]
        if n == 1:
            continue
        if dims and all(before == step * n for before, step in zip(dims[-1][1], steps, strict=True)):
            dims[-1] = (dims[-1][0] * n, steps)
        else:
            dims.append((n, steps))
    dims = dims or [(1, [0 for _ in arrays])]
    steps_of = [tuple([steps[i] for _, steps in dims]) for i in range(len(arrays))]
    found = [Array(array.dtype, steps) for array, steps in zip(arrays, steps_of, strict=True)]
    return tuple([n for n, _ in dims]), found


# code


def function_text(form: Form, name: str) -> tuple[str, set[str]]:
    """A group's function, and the declarations of the functions that it calls."""
    emitter = Emitter(form)
    body = "\n".join(emitter.lines())
    return f"define void @{name}(ptr %places, i64 %start, i64 %stop) #0 {{\n{body}\n}}\n", emitter.vectors.declared


class Emitter:
    """The code of a group being emitted."""

    labels: int
    before: str

    def __init__(self, form: Form):
        self.form = form
        self.vectors: Vectors = Vectors(form.dtype, form.shape[-1])
        self.arrays: list[Array] = [
            *form.reads,
            *[array for _, array in form.writes],
            *[array for _, array in form.sums],
        ]
        self.labels = 0
        self.before = "entry"  # the predecessor of the next block

    def lines(self) -> Iterator[str]:
        """All lines of the function."""
        v = self.vectors
        yield "entry:"
        for i in range(len(self.arrays)):
            yield f"  %place{i} = getelementptr ptr, ptr %places, i64 {i}"
            yield f"  %base{i} = load ptr, ptr %place{i}"
        wide = f"<{v.lanes} x double>"
        for i in range(len(self.form.sums)):
            yield f"  %total{i} = alloca {wide}"
        yield from self.loop(0, [f"%base{i}" for i in range(len(self.arrays))])
        yield "  ret void"

    def loop(self, depth: int, places: list[str]) -> Iterator[str]:
        """The loop over a dimension, with its body."""
        if depth == len(self.form.shape) - 1:
            yield from self.innermost(places, depth)
            return
        first, last = ("%start", "%stop") if depth == 0 else ("0", str(self.form.shape[depth]))
        index, here = f"%i{depth}", self.label()
        yield f"  br label %head{here}"
        yield f"head{here}:"
        yield f"  {index} = phi i64 [ {first}, %{self.before} ], [ {index}.next, %end{here} ]"
        yield f"  {index}.more = icmp slt i64 {index}, {last}"
        yield f"  br i1 {index}.more, label %body{here}, label %done{here}"
        yield f"body{here}:"
        self.before = f"body{here}"
        inner = []
        for i, place in enumerate(places):
            step = self.arrays[i].strides[depth]
            if step == 0:
                inner.append(place)
                continue
            yield f"  %far{here}.{i} = mul i64 {index}, {step}"
            yield f"  %at{here}.{i} = getelementptr i8, ptr {place}, i64 %far{here}.{i}"
            inner.append(f"%at{here}.{i}")
        yield from self.loop(depth + 1, inner)
        yield f"  br label %end{here}"
        yield f"end{here}:"
        yield f"  {index}.next = add i64 {index}, 1"
        yield f"  br label %head{here}"
        yield f"done{here}:"
        self.before = f"done{here}"

    def label(self) -> int:
        """A new number for the labels of a loop."""
        self.labels += 1
        return self.labels

    def innermost(self, places: list[str], depth: int) -> Iterator[str]:
        """The loop over vectors, and the masked remainder."""
        v = self.vectors
        whole = depth == 0
        first, last = ("%start", "%stop") if whole else ("0", str(self.form.shape[depth]))
        for i, (_, array) in enumerate(self.form.sums):
            if array.strides[-1] == 0:
                yield f"  store <{v.lanes} x double> zeroinitializer, ptr %total{i}"
        loaded: dict[int, str] = {}
        for i, array in enumerate(self.form.reads):
            if array.strides[-1] == 0:
                yield from self.splat(i, places[i], loaded)
        if whole or self.form.shape[depth] >= v.lanes:
            yield from self.vector_loop(places, loaded, first, last)
            start = "%rest"
        else:
            start = "0"
        if whole or self.form.shape[depth] % v.lanes:
            yield from self.masked(places, loaded, start, last)
        yield from self.flush(places)

    def vector_loop(self, places: list[str], loaded: dict[int, str], first: str, last: str) -> Iterator[str]:
        """The loop over whole vectors; it ends at `%rest`."""
        lanes = self.vectors.lanes
        body = list(self.steps(places, dict(loaded), "%j", None, "vectors.body"))
        yield "  br label %vectors"
        yield "vectors:"
        yield f"  %j = phi i64 [ {first}, %{self.before} ], [ %j.next, %{self.vectors.block} ]"
        yield f"  %j.next = add i64 %j, {lanes}"
        yield f"  %j.more = icmp sle i64 %j.next, {last}"
        yield "  br i1 %j.more, label %vectors.body, label %vectors.done"
        yield "vectors.body:"
        yield from body
        yield "  br label %vectors"
        yield "vectors.done:"
        yield "  %rest = add i64 %j, 0"
        self.before = "vectors.done"

    def masked(self, places: list[str], loaded: dict[int, str], start: str, last: str) -> Iterator[str]:
        """The remainder, as one masked vector."""
        v = self.vectors
        yield f"  %left = sub i64 {last}, {start}"
        yield "  %some = icmp sgt i64 %left, 0"
        yield "  br i1 %some, label %tail, label %tail.done"
        yield "tail:"
        yield f"  %left.one = insertelement <{v.lanes} x i64> poison, i64 %left, i64 0"
        yield (
            f"  %left.all = shufflevector <{v.lanes} x i64> %left.one, <{v.lanes} x i64> poison, "
            f"<{v.lanes} x i32> zeroinitializer"
        )
        numbers = ", ".join(f"i64 {k}" for k in range(v.lanes))
        yield f"  %mask = icmp slt <{v.lanes} x i64> <{numbers}>, %left.all"
        yield from self.steps(places, dict(loaded), start, "%mask", "tail")
        yield "  br label %tail.done"
        yield "tail.done:"
        self.before = "tail.done"

    def splat(self, i: int, place: str, loaded: dict[int, str]) -> Iterator[str]:
        """A vector filled with the number that an array repeats along the innermost dimension."""
        v, array = self.vectors, self.form.reads[i]
        kind = "i8" if array.dtype == TRUTH else v.element
        several = f"<{v.lanes} x {kind}>"
        yield f"  %one{i} = load {kind}, ptr {place}, align 1"
        yield f"  %first{i} = insertelement {several} poison, {kind} %one{i}, i64 0"
        yield f"  %all{i} = shufflevector {several} %first{i}, {several} poison, <{v.lanes} x i32> zeroinitializer"
        loaded[i] = f"%all{i}"
        if array.dtype == TRUTH:
            yield f"  %true{i} = icmp ne {several} %all{i}, zeroinitializer"
            loaded[i] = f"%true{i}"

    def steps(
        self, places: list[str], values: dict[int, str], index: str, mask: str | None, block: str
    ) -> Iterator[str]:
        """All steps for one vector, as a block."""
        v, form = self.vectors, self.form
        v.begin(block)
        for i in range(len(form.reads)):
            if i not in values:
                values[i] = self.load(i, places[i], index, mask)
        for k, (function, types, operands) in enumerate(form.steps):
            table = OF_TRUTHS if types[0] == "?" and function is not np.where else OF_NUMBERS
            values[len(form.reads) + k] = table[function](v, *[values[x] for x in operands])
        for k, (number, array) in enumerate(form.writes):
            self.store(values[number], array, places[len(form.reads) + k], index, mask)
        for k, (number, array) in enumerate(form.sums):
            self.add(k, values[number], array, places[len(form.reads) + len(form.writes) + k], index, mask)
        yield from v.lines

    def address(self, array: Array, place: str, index: str) -> str:
        """The address of an array's vector."""
        v = self.vectors
        kind = "i8" if array.dtype == TRUTH else v.element
        return v.emit(f"getelementptr {kind}, ptr {place}, i64 {index}")

    def load(self, i: int, place: str, index: str, mask: str | None) -> str:
        """Loads a vector of an array."""
        v, array = self.vectors, self.form.reads[i]
        kind = "i8" if array.dtype == TRUTH else v.element
        found = self.memory_load(kind, self.address(array, place, index), mask)
        if array.dtype == TRUTH:
            return v.emit(f"icmp ne <{v.lanes} x i8> {found}, zeroinitializer")
        return found

    def memory_load(self, kind: str, address: str, mask: str | None) -> str:
        """Loads a vector, masked if there is a mask."""
        v = self.vectors
        several = f"<{v.lanes} x {kind}>"
        if mask is None:
            return v.emit(f"load {several}, ptr {address}, align 1")
        name = f"@llvm.masked.load.v{v.lanes}{short(kind)}.p0"
        v.declared.add(f"declare {several} {name}(ptr, i32, {v.truths}, {several})")
        return v.emit(f"call {several} {name}(ptr {address}, i32 1, {v.truths} {mask}, {several} zeroinitializer)")

    def memory_store(self, kind: str, value: str, address: str, mask: str | None) -> None:
        """Stores a vector, masked if there is a mask."""
        v = self.vectors
        several = f"<{v.lanes} x {kind}>"
        if mask is None:
            v.lines.append(f"  store {several} {value}, ptr {address}, align 1")
            return
        name = f"@llvm.masked.store.v{v.lanes}{short(kind)}.p0"
        v.declared.add(f"declare void {name}({several}, ptr, i32, {v.truths})")
        v.lines.append(f"  call void {name}({several} {value}, ptr {address}, i32 1, {v.truths} {mask})")

    def store(self, value: str, array: Array, place: str, index: str, mask: str | None) -> None:
        """Stores a vector of a result."""
        v = self.vectors
        kind = v.element
        if array.dtype == TRUTH:
            kind = "i8"
            value = v.emit(f"zext {v.truths} {value} to <{v.lanes} x i8>")
        self.memory_store(kind, value, self.address(array, place, index), mask)

    def add(self, k: int, value: str, array: Array, place: str, index: str, mask: str | None) -> None:
        """Adds a vector to a sum."""
        v = self.vectors
        if array.strides[-1]:
            address = self.address(array, place, index)
            total = v.binary("fadd", self.memory_load(v.element, address, mask), value)
            self.memory_store(v.element, total, address, mask)
            return
        if mask is not None:
            value = v.select(mask, value, "zeroinitializer")
        wide = f"<{v.lanes} x double>"
        if v.single:
            value = v.emit(f"fpext {v.type} {value} to {wide}")
        before = v.emit(f"load {wide}, ptr %total{k}")
        after = v.emit(f"fadd {wide} {before}, {value}")
        v.lines.append(f"  store {wide} {after}, ptr %total{k}")

    def flush(self, places: list[str]) -> Iterator[str]:
        """Adds the sums along the innermost dimension to their results."""
        v, form = self.vectors, self.form
        v.lines = []
        name = f"@llvm.vector.reduce.fadd.v{v.lanes}f64"
        for k, (_, array) in enumerate(form.sums):
            if array.strides[-1]:
                continue
            place = places[len(form.reads) + len(form.writes) + k]
            v.declared.add(f"declare double {name}(double, <{v.lanes} x double>)")
            lanes = v.emit(f"load <{v.lanes} x double>, ptr %total{k}")
            total = v.emit(f"call reassoc double {name}(double 0.0, <{v.lanes} x double> {lanes})")
            if v.single:
                total = v.emit(f"fptrunc double {total} to float")
            before = v.emit(f"load {v.element}, ptr {place}, align 1")
            after = v.emit(f"fadd {v.element} {before}, {total}")
            v.lines.append(f"  store {v.element} {after}, ptr {place}, align 1")
        yield from v.lines


def short(kind: str) -> str:
    """A type as written in the names of LLVM's functions."""
    return {"float": "f32", "double": "f64"}.get(kind, kind)
