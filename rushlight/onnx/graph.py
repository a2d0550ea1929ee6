"""Builds the graph of an ONNX model, node by node."""

from collections import Counter
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from rushlight.compiler.program import Value
from rushlight.onnx.errors import OnnxExporterError, UnsupportedOperatorError
from rushlight.onnx.recording import REFUSED
from rushlight.onnx.sizes import Dimension, Size, Sizes

__all__ = ["Graph", "element_type"]


class Graph:
    """Nodes and constants. Operands are values of the recording, names in the graph, arrays, or None if absent."""

    def __init__(self, sizes: Sizes, names: dict[int, str]):
        self.sizes = sizes
        self.given_names = names  # of parameters and buffers, by the ids of their arrays
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: dict[str, onnx.TensorProto] = {}
        self.names: dict[Value, str] = {}
        self.constants: dict[Value, np.ndarray] = {}  # values that do not depend on the inputs
        self.named: dict[Any, tuple[str, np.ndarray]] = {}  # constants by their elements, large ones by id
        self.read: dict[Dimension, str] = {}
        self.counts: Counter[str] = Counter()

    def fresh(self, stem: str) -> str:
        """A new unique name."""
        self.counts[stem] += 1
        return f"{stem}_{self.counts[stem]}"

    def node(self, kind: str, *operands: Any, outputs: int = 1, **attributes: Any) -> Any:
        """Adds a node, and returns the name of its output, or names of its outputs."""
        names = [self.operand(one) for one in operands]
        while names and not names[-1]:
            names.pop()
        made = [self.fresh(kind.lower()) for _ in range(outputs)]
        for name, value in attributes.items():
            if holds_size(value):
                raise OnnxExporterError(
                    f"{REFUSED}: {name} of {kind} would go with the size of an input. Fix that size."
                )
        self.nodes.append(helper.make_node(kind, names, made, **attributes))
        return made[0] if outputs == 1 else tuple(made)

    def operand(self, one: Any) -> str:
        """The name of an operand."""
        if one is None:
            return ""
        if isinstance(one, Value):
            return self.name(one)
        return one if isinstance(one, str) else self.constant(np.asarray(one))

    def name(self, value: Value) -> str:
        """The name of a value: an input, the result of a node, or a constant."""
        if value not in self.names:
            array = self.known(value)
            self.names[value] = self.varying(value) if array is None else self.constant(array)
        return self.names[value]

    def known(self, value: Any) -> np.ndarray | None:
        """The array of a value that does not depend on the inputs; None for others."""
        if value in self.constants:
            return self.constants[value]
        if value in self.names or not isinstance(value, Value):
            return None
        if value not in self.sizes.base.constants:
            raise UnsupportedOperatorError(
                f"{REFUSED}: it uses a result of an operator that has no counterpart in ONNX."
            )
        arrays = self.sizes.arrays(value)
        if any(one is not arrays[0] and not equal(one, arrays[0]) for one in arrays):
            return None
        self.constants[value] = arrays[0]
        return arrays[0]

    def constant(self, array: np.ndarray) -> str:
        """The name of a constant: a parameter's own name, a common name for equal small ones."""
        name = self.given_names.get(id(array))
        if name is None:
            key: Any = (array.dtype.str, array.shape, array.tobytes()) if array.size <= 16 else id(array)
            if key not in self.named:
                self.named[key] = self.fresh("constant"), array
            name = self.named[key][0]
        if name not in self.initializers:
            if array.dtype not in ELEMENTS:
                raise OnnxExporterError(f"{REFUSED}: ONNX has no elements of type {array.dtype}.")
            self.initializers[name] = numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name)
        return name

    def varying(self, value: Value) -> str:
        """A tensor whose size depends on the inputs, and whose elements follow a pattern that all recordings share."""
        arrays, shape = self.sizes.arrays(value), self.shape(self.sizes.shape(value))
        first = arrays[0]
        if all(one.size and (one == first.flat[0]).all() for one in arrays):
            return self.node("Expand", np.asarray(first.flat[0]), shape)
        if first.ndim == 1 and first.dtype.kind in "if" and first.size > 1:
            start, step = first[0], first[1] - first[0]
            if all(equal(one, start + step * np.arange(one.size, dtype=one.dtype)) for one in arrays):
                steps = self.node("Range", np.asarray(0), self.node("Squeeze", shape), np.asarray(1))
                row = self.node("Cast", steps, to=element_type(first.dtype))
                return self.node("Add", self.node("Mul", row, np.asarray(step)), np.asarray(start))
        if first.ndim == 2 and first.shape[1] > 1:
            low, high = np.asarray(first[0, 0]), np.asarray(first[0, 1])
            if all(equal(one, np.where(np.tri(*one.shape) > 0, low, high)) for one in arrays):
                lower = self.node("Trilu", self.node("Expand", np.asarray(1), shape), upper=0)
                return self.node("Where", self.node("Cast", lower, to=element_type(bool)), low, high)
        raise OnnxExporterError(
            f"{REFUSED}: a tensor of shape {list(first.shape)} that it makes goes with the size of an input in a way "
            f"that cannot be written down. Fix that size."
        )

    def shape(self, sizes: Any) -> Any:
        """A shape with fixed and variable sizes as a 1-d integer tensor."""
        if not holds_size(sizes):
            return np.asarray(list(sizes), np.int64)
        parts = [self.size(one) if isinstance(one, Size) else np.asarray([one], np.int64) for one in sizes]
        return parts[0] if len(parts) == 1 else self.node("Concat", *parts, axis=0)

    def size(self, size: Size) -> str:
        """A variable size as an integer tensor of one element."""
        if size.terms is None:
            raise OnnxExporterError(f"{REFUSED}: it computes with sizes of its inputs more than sums. Fix these sizes.")
        total: Any = None
        for dimension, factor in size.terms:
            part = self.dimension(dimension)
            part = part if factor == 1 else self.node("Mul", part, np.asarray([factor], np.int64))
            total = part if total is None else self.node("Add", total, part)
        return self.node("Add", total, np.asarray([size.constant], np.int64)) if size.constant else total

    def dimension(self, dimension: Dimension) -> str:
        """A dimension of an input as an integer tensor of one element."""
        if dimension not in self.read:
            name = self.names[self.sizes.base.inputs[dimension.input]]
            self.read[dimension] = self.node("Shape", name, start=dimension.dim, end=dimension.dim + 1)
        return self.read[dimension]

    def dims(self, value: Any) -> list[int | Size]:
        """The shape of a value, with fixed and variable sizes."""
        return self.sizes.shape(value)


def holds_size(value: Any) -> bool:
    """Whether a value contains a size that depends on the inputs."""
    if isinstance(value, slice):
        value = value.start, value.stop, value.step
    return isinstance(value, Size) or (isinstance(value, (list, tuple)) and any(map(holds_size, value)))


def equal(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two arrays have the same dtype and elements."""
    return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")


ELEMENTS = {np.dtype(kind) for kind in "?bhilBHILefd"}


def element_type(dtype: Any) -> int:
    """ONNX's number for a dtype. OnnxExporterError if there is none."""
    if np.dtype(dtype) not in ELEMENTS:
        raise OnnxExporterError(f"{REFUSED}: ONNX has no elements of type {np.dtype(dtype)}.")
    return helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
