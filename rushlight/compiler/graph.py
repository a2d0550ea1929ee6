"""A lowered program: nodes of a few kinds, on arrays of known shape and dtype, on which the passes work.

Equal nodes are one node, and nodes that nothing needs are left out: so common subexpressions and dead code are
eliminated by construction. A pass is a function that rebuilds the graph (`rebuilt`) by a rule for each node.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from rushlight.compiler.program import same_places

INPUT = "input"  # detail: the number of the input
CONSTANT = "constant"  # detail: a `Constant`
APPLY = "apply"  # an elementwise function of operands that broadcast; detail: (function, types of its loop)
REDUCE = "reduce"  # detail: (ufunc, axes)
PRODUCT = "product"  # of matrices, or equally many in batches of one shape; a third input is added to it
WINDOW = "window"  # a view of another node's memory; detail: (offset, strides) in bytes
COPY = "copy"  # a contiguous copy of a window; with a number as detail, a copy that must be kept
STACK = "stack"  # arrays of one shape stacked along a new first dimension
CALL = "call"  # any function; detail: a `Call`
ITEM = "item"  # one of the results of a call; detail: its number
COMMUTATIVE: set[np.ufunc] = {np.add, np.multiply}


@dataclass(frozen=True, eq=False, slots=True)
class Call:
    """A function with its arguments: arrays are represented in `args` by `Operand`s. Two calls are never equal."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    results: tuple[Any, ...]  # (shape, dtype) of each
    step: Any  # the step of the recorded program


@dataclass(frozen=True, slots=True)
class Operand:
    """A placeholder for a node's input among the arguments of a call."""

    number: int


class Constant:
    """A constant array; equal ones compare equal."""

    __slots__ = ("array", "key")

    def __init__(self, array: np.ndarray):
        self.array: np.ndarray = np.array(array, order="C")
        self.array.flags.writeable = False
        self.key: tuple[str, tuple[int, ...], bytes | int] = (
            self.array.dtype.str,
            self.array.shape,
            self.array.tobytes() if array.size < 4096 else id(self),
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


@dataclass(eq=False, slots=True)
class Node:
    """A value of a lowered program, and how it is computed."""

    kind: str
    inputs: tuple["Node", ...]
    shape: tuple[int, ...]
    dtype: Any
    detail: Any = None
    serial: int = 0  # the order in which the nodes of a graph were made
    where: str = ""  # the line of the user's program that it comes from

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.shape)

    @property
    def base(self) -> "Node":
        """The node whose memory this one is in."""
        return self.inputs[0] if self.kind == WINDOW else self

    def number(self) -> float | None:
        """The number, if all elements are a constant number."""
        base = self.base
        if base.kind != CONSTANT or base.size != 1:
            return None
        return base.detail.array.item()


@dataclass
class Graph:
    """Nodes in a valid order, without duplicates.

    `owners` has a key for each output: outputs with the same key share memory, others never do, and the number of an
    input is the key of outputs in its memory. `writes` are pairs of an input and the node that its memory must finally
    hold; `effects` are calls that must be made, in order: checks, random numbers, functions that are not known to be
    pure. `where` is the source line for new nodes.
    """

    inputs: list[Node] = field(default_factory=list)
    outputs: list[Node] = field(default_factory=list)
    owners: list[Any] = field(default_factory=list)
    writes: list[tuple[Node, Node]] = field(default_factory=list)
    effects: list[Node] = field(default_factory=list)
    known: dict[Any, Node] = field(default_factory=dict)
    where: str = ""

    def add(self, kind: str, inputs: tuple[Node, ...], shape: tuple[int, ...], dtype: Any, detail: Any = None) -> Node:
        """The node of this kind; made if it does not exist."""
        if kind == APPLY and detail[0] in COMMUTATIVE:
            inputs = tuple(sorted(inputs, key=serial_of))
        key = (kind, inputs, shape, dtype, detail)
        node = self.known.get(key)
        if node is None:
            node = self.known[key] = Node(kind, inputs, shape, dtype, detail, len(self.known), self.where)
        return node

    def constant(self, array: Any) -> Node:
        """The node of a constant."""
        array = np.asarray(array)
        return self.add(CONSTANT, (), array.shape, array.dtype, Constant(array))

    def apply(self, function: Any, types: str, *inputs: Node) -> Node:
        """The node of an elementwise function; operands are broadcast.

        If operands of the result's shape have their dimensions in another memory order, the result has it too.
        """
        shapes = {node.shape for node in inputs} - {()}
        shape = shapes.pop() if len(shapes) == 1 else np.broadcast_shapes(*shapes)
        orders = [order_of(node) for node in inputs if node.shape == shape]
        if orders and orders[0] is not None and None not in orders:
            turned = [self.turn(self.with_dims(node, len(shape)), orders[0]) for node in inputs]
            return self.turn(self.apply(function, types, *turned), inverse(orders[0]))
        return self.add(APPLY, inputs, shape, np.dtype(types[-1]), (function, types))

    def product(self, a: Node, b: Node, *addend: Node) -> Node:
        """A product of matrices, optionally plus another node, which is broadcast."""
        return self.add(PRODUCT, (a, b, *addend), (*a.shape[:-1], b.shape[-1]), a.dtype)

    def reduce(self, ufunc: np.ufunc, node: Node, axes: tuple[int, ...]) -> Node:
        """A ufunc reduction of a node along some dimensions."""
        if not axes:
            return node
        order = order_of(node)
        if order is not None:
            left = [axis for axis in order if axis not in axes]
            total = self.reduce(
                ufunc, self.turn(node, order), tuple([i for i, axis in enumerate(order) if axis in axes])
            )
            return self.turn(total, inverse([sorted(left).index(axis) for axis in left]))
        shape = tuple(n for axis, n in enumerate(node.shape) if axis not in axes)
        return self.add(REDUCE, (node,), shape, node.dtype, (ufunc, axes))

    def stack(self, nodes: list[Node]) -> Node:
        """Nodes of one shape stacked along a new first dimension."""
        return self.add(STACK, tuple(nodes), (len(nodes), *nodes[0].shape), nodes[0].dtype)

    def view(self, node: Node, look: Callable[[np.ndarray], np.ndarray]) -> Node:
        """The result of a view function on a node: a window of the same memory, or of a copy."""
        base, probe = self.seen(node)
        found = look(probe)
        offset = found.__array_interface__["data"][0] - base.__array_interface__["data"][0]
        if found.dtype != node.dtype or not (found.size == 0 or np.may_share_memory(found, base)):
            copy = self.copy(node)
            if copy is node or found.dtype != node.dtype:
                raise ValueError("the function does not give a view")
            return self.view(copy, look)
        return self.window(node.base, offset if found.size else 0, found.shape, found.strides)

    def window(self, base: Node, offset: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Node:
        """A window of a node's memory."""
        if shape == base.shape and offset == 0 and same_places(shape, strides, contiguous(shape, base.dtype)):
            return base
        strides = tuple([0 if n == 1 else step for n, step in zip(shape, strides, strict=True)])
        return self.add(WINDOW, (base,), shape, base.dtype, (offset, strides))

    def copy(self, node: Node) -> Node:
        """The node copied to contiguous memory."""
        if node.kind != WINDOW:
            return node
        if is_contiguous(node) and node.base.size == node.size:
            return node
        return self.add(COPY, (node,), node.shape, node.dtype)

    def reshape(self, node: Node, shape: tuple[int, ...]) -> Node:
        """The node in another shape."""
        return self.view(
            node,
            lambda array: (
                array.reshape(shape, copy=False) if is_viewable(array, shape) else np.empty(shape, array.dtype)
            ),
        )

    def transpose(self, node: Node) -> Node:
        """The node with its last two dimensions swapped."""
        return self.view(node, lambda array: array.swapaxes(-1, -2))

    def turn(self, node: Node, order: Sequence[int]) -> Node:
        """The node with its dimensions permuted."""
        return self.view(node, lambda array: array.transpose(order))

    def with_dims(self, node: Node, dims: int) -> Node:
        """The node with leading dimensions of size 1 added."""
        return node if len(node.shape) == dims else self.reshape(node, (1,) * (dims - len(node.shape)) + node.shape)

    @staticmethod
    def seen(node: Node) -> tuple[np.ndarray, np.ndarray]:
        """An array like the memory that a node is in, and a view of it like the node."""
        base = np.empty(node.base.shape, node.dtype)
        if node.kind != WINDOW:
            return base, base
        offset, strides = node.detail
        flat = base.reshape(-1)[offset // node.dtype.itemsize :]
        return base, as_strided(flat, node.shape, strides)

    def live(self) -> list[Node]:
        """The nodes that are needed, each after its inputs."""
        found: dict[Node, None] = {}
        roots = [*self.inputs, *self.effects, *self.outputs, *[node for pair in self.writes for node in pair]]
        stack = [(node, False) for node in reversed(roots)]
        while stack:
            node, ready = stack.pop()
            if node in found:
                continue
            if ready:
                found[node] = None
            else:
                stack.append((node, True))
                stack += [(given, False) for given in reversed(node.inputs) if given not in found]
        return list(found)

    def __str__(self) -> str:
        """The graph as text, one node per line."""
        return "\n".join(lines(self))


Rule = Callable[[Graph, Node, tuple[Node, ...]], Node | None]


def rebuilt(graph: Graph, rule: Rule) -> Graph:
    """The graph with each node replaced for which a rule returns one.

    A rule gets the new graph, a node of the old one, and its new inputs.
    """
    new = Graph()
    found: dict[Node, Node] = {}
    for node in graph.live():
        inputs = tuple([found[given] for given in node.inputs])
        new.where = node.where
        found[node] = rule(new, node, inputs) or again(new, node, inputs)
    new.inputs = [found[node] for node in graph.inputs]
    new.outputs = [found[node] for node in graph.outputs]
    new.owners = graph.owners
    new.effects = [found[node] for node in graph.effects]
    new.writes = [(found[place], found[value]) for place, value in graph.writes]
    return new


def again(new: Graph, node: Node, inputs: tuple[Node, ...]) -> Node:
    """The same node with new inputs."""
    if node.kind == WINDOW and inputs[0].kind == WINDOW:  # its base has become a window itself
        return new.view(inputs[0], lambda array: laid_over(array, node))
    if node.kind == WINDOW:
        return new.window(inputs[0], node.detail[0], node.shape, node.detail[1])
    if node.kind == COPY and node.detail is None and inputs[0].kind != WINDOW:
        return inputs[0]
    return new.add(node.kind, inputs, node.shape, node.dtype, node.detail)


def laid_over(array: np.ndarray, window: Node) -> np.ndarray:
    """The array's window for a node's place in its base; a copy if the array's layout differs from the base's."""
    if not array.flags.c_contiguous:
        return np.empty(window.shape, array.dtype)
    flat = array.reshape(-1)[window.detail[0] // array.itemsize :]
    return as_strided(flat, window.shape, window.detail[1])


def serial_of(node: Node) -> int:
    """The serial number of a node."""
    return node.serial


def contiguous(shape: tuple[int, ...], dtype: Any) -> tuple[int, ...]:
    """The strides of a contiguous array."""
    strides, step = [], np.dtype(dtype).itemsize
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


def is_contiguous(node: Node) -> bool:
    """Whether a node's elements are contiguous."""
    return node.kind != WINDOW or same_places(node.shape, node.detail[1], contiguous(node.shape, node.dtype))


def order_of(node: Node) -> tuple[int, ...] | None:
    """The memory order of a node's dimensions, if it is its whole base in a permuted order."""
    if node.kind != WINDOW or node.detail[0] or node.size != node.base.size or is_contiguous(node):
        return None
    return memory_order(node.shape, node.detail[1], node.dtype)


def memory_order(shape: tuple[int, ...], strides: tuple[int, ...], dtype: Any) -> tuple[int, ...] | None:
    """The order of dimensions in which elements are contiguous; None if there is none."""
    order = sorted(range(len(shape)), key=lambda axis: (shape[axis] > 1, -strides[axis]))
    turned = tuple([shape[axis] for axis in order])
    found = same_places(turned, tuple([strides[axis] for axis in order]), contiguous(turned, dtype))
    return tuple(order) if found else None


def inverse(order: Sequence[int]) -> list[int]:
    """The inverse of a permutation."""
    return sorted(range(len(order)), key=order.__getitem__)


def is_viewable(array: np.ndarray, shape: tuple[int, ...]) -> bool:
    """Whether an array can be seen in another shape without a copy."""
    try:
        array.reshape(shape, copy=False)
    except ValueError:
        return False
    return True


def lines(graph: Graph) -> Iterator[str]:
    """The lines of a graph's text."""
    names: dict[Node, str] = {}
    for node in graph.live():
        names[node] = f"n{len(names)}"
        given = ", ".join(names[x] for x in node.inputs)
        kind = "several" if node.shape is None else f"{node.dtype}{list(node.shape)}"
        yield f"{names[node]}: {kind} = {described(node)}({given})"
    yield f"return {', '.join(names[node] for node in graph.outputs)}"
    for place, value in graph.writes:
        yield f"write {names[place]} := {names[value]}"


def described(node: Node) -> str:
    """A short description of a node."""
    if node.kind == APPLY:
        return node.detail[0].__name__
    if node.kind == REDUCE:
        return f"{node.detail[0].__name__}.reduce{list(node.detail[1])}"
    if node.kind == CONSTANT:
        return f"constant {node.number()}" if node.size == 1 else "constant"
    if node.kind == CALL:
        return f"call {node.detail.step}"
    if node.kind == WINDOW:
        return f"window +{node.detail[0]} {list(node.detail[1])}"
    return f"{node.kind} {node.detail}" if node.kind in (INPUT, ITEM) else node.kind
