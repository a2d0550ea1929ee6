"""Lowers a recorded program to a graph: each step becomes nodes that passes understand, or a call of its function.

A view is recognized by applying its function to an array of that shape; an elementwise function by tracing it
(`core.tracing`); products, sums and similar operations have rules here. The nodes must have the recorded shape and
dtype, else the step remains a call.
"""

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any

import numpy as np

from rushlight.compiler.calls import Apart, Wrapped
from rushlight.compiler.drawing import Drawn, Unsuitable
from rushlight.compiler.graph import (
    CALL,
    INPUT,
    ITEM,
    Call,
    Graph,
    Node,
    Operand,
    contiguous,
    inverse,
    memory_order,
)
from rushlight.compiler.program import PURE, VIEW, WRITE, Program, Step, Value, replaced, results_listed, same_places
from rushlight.core.tracing import TracedNumber, trace
from rushlight.ops.making.creation import full_array

FLOATS: set[np.dtype] = {np.dtype(np.float32), np.dtype(np.float64)}
TRUTH = np.dtype(bool)


def lowered(program: Program) -> Graph:
    """The graph of a program. Raises Unsuitable for a program that depends on memory layout."""
    lowering = Lowering(program)
    for step in program.steps:
        lowering.take(step)
    return lowering.finished(program)


class Lowering:
    """A graph being built, and the nodes of values."""

    def __init__(self, program: Program):
        self.graph: Graph = Graph()
        self.nodes: dict[Value, Node] = {}
        self.numbers: dict[Value, int] = {value: number for number, value in enumerate(program.inputs)}
        self.looks: dict[Value, Value] = {}  # the base of each view
        for number, value in enumerate(program.inputs):
            node = self.graph.add(INPUT, (), value.shape, value.dtype, number)  # type: ignore[arg-type]
            self.graph.inputs.append(node)
            self.nodes[value] = node
        for value, array in program.constants.items():
            self.nodes[value] = self.graph.constant(array)

    def finished(self, program: Program) -> Graph:
        """The graph with its results."""
        self.graph.outputs = [self.nodes[value] for value in program.outputs]
        self.graph.owners = [self.owner_of(value) for value in program.outputs]
        self.graph.writes = [(self.nodes[place], self.nodes[value]) for place, value in program.writes]
        return self.graph

    def owner_of(self, value: Value) -> Any:
        """The key of the owner of a value's memory: the number of an input, or a value."""
        while value in self.looks:
            value = self.looks[value]
        return self.numbers.get(value, value)

    def take(self, step: Step) -> None:
        """Lowers a step by a rule, or to a call."""
        self.graph.where = step.where
        if step.kind == VIEW:
            source = next(step.values())
            self.looks.update(dict.fromkeys(step.results, source))
        nodes = self.by_rule(step)
        if nodes is None:
            self.call(step)
        else:
            self.nodes.update(zip(step.results, nodes, strict=True))

    def by_rule(self, step: Step) -> list[Node] | None:
        """The nodes of a step's results, if a rule applies."""
        if step.kind not in (PURE, VIEW):
            return None
        name = getattr(step.op, "name", "")
        args = replaced(step.args, self.nodes.__getitem__)
        known = None if isinstance(step.function, Wrapped) else RULES.get(name)  # rules know nothing of levels
        rules = (views,) if step.kind == VIEW else (known or FUNCTIONS.get(step.function, elementwise),)
        for rule in rules if step.has_kernel() else (*rules, drawn):
            try:
                found = rule(self.graph, step, *args)
            except Exception:  # functions may raise anything when not given arrays: then they are called
                continue
            nodes = found if isinstance(found, list) else [found]
            recorded = [(value.shape, value.dtype) for value in step.results]
            if [(node.shape, node.dtype) for node in nodes] == recorded:
                return nodes
        return None

    def call(self, step: Step) -> None:
        """A step as a call of its function."""
        if getattr(step.op, "reads_layout", False) and not lies_as_recorded(self.nodes[step.args[0]], step.args[0]):
            raise Unsuitable(f"{step} of an array that does not lie in order")
        inputs: list[Node] = []

        def operand(value: Value) -> Operand:
            inputs.append(self.nodes[value])
            return Operand(len(inputs) - 1)

        args = replaced(step.args, operand)
        orders = [None if step.kind == WRITE else recorded_order(value) for value in step.results]
        function = step.function if orders.count(None) == len(orders) else Turned(step.function, orders)
        results = tuple(
            [(turned(value.shape, order), value.dtype) for value, order in zip(step.results, orders, strict=True)]
        )
        detail = Call(function, args, results, step)
        shape, dtype = results[0] if len(results) == 1 else (None, None)
        node = self.graph.add(CALL, tuple(inputs), shape, dtype, detail)  # type: ignore[arg-type]
        if step.kind not in (PURE, VIEW, WRITE):
            self.graph.effects.append(node)
        for number, value in enumerate(step.results):
            item = node if len(results) == 1 else self.graph.add(ITEM, (node,), *results[number], number)
            order = orders[number]
            self.nodes[value] = item if order is None else self.graph.turn(item, inverse(order))


class Turned:
    """A function whose recorded results were not contiguous: gives results in that memory order."""

    def __init__(self, function: Callable[..., Any], orders: list[Any]):
        self.function = function
        self.orders = orders

    def __call__(self, *args: Any) -> Any:
        """Calls the function."""
        made = results_listed(self.function(*args))
        return [one if order is None else one.transpose(order) for one, order in zip(made, self.orders, strict=True)]


def recorded_order(value: Value) -> tuple[int, ...] | None:
    """The memory order of a value's dimensions; None if it is contiguous, or has gaps."""
    if value.strides is None or value.shape is None or prod(value.shape) == 0:
        return None
    order = memory_order(value.shape, value.strides, value.dtype)
    return None if order == tuple(range(len(value.shape))) else order


def turned(shape: Any, order: tuple[int, ...] | None) -> Any:
    """A shape with its dimensions permuted."""
    return shape if order is None else tuple([shape[axis] for axis in order])


def lies_as_recorded(node: Node, value: Value) -> bool:
    """Whether a node has the memory layout of the recorded array."""
    own = node.detail[1] if node.kind == "window" else contiguous(node.shape, node.dtype)
    return same_places(node.shape, own, value.layout())


def views(graph: Graph, step: Step, node: Any, *args: Any) -> list[Node]:
    """Views: the results of their function on an array with the argument's layout."""
    if not isinstance(node, Node) or node.shape is None:
        raise Unsuitable
    if getattr(step.op, "reads_layout", False) and not lies_as_recorded(node, step.args[0]):
        raise Unsuitable
    if len(step.results) == 1:
        return [graph.view(node, lambda array: step.function(array, *args))]
    return [graph.view(node, partial(one_view, step.function, args, i)) for i in range(len(step.results))]


def one_view(function: Callable[..., Any], args: tuple[Any, ...], number: int, array: np.ndarray) -> np.ndarray:
    """One of several views of an array."""
    return function(array, *args)[number]


# elementwise functions


def elementwise(graph: Graph, step: Step, *args: Any) -> Node:
    """Traces an elementwise function of one float dtype."""
    arrays = [arg for arg in args if isinstance(arg, Node) and arg.shape is not None]
    kinds = {node.dtype for node in arrays} - {TRUTH}
    if len(kinds) > 1 or not kinds <= FLOATS or not arrays:
        raise Unsuitable
    dtype = kinds.pop() if kinds else np.dtype(np.float32)
    given = [kind_of(arg) for arg in args]
    tape = trace(step.function, given, dtype)
    if tape is None:
        raise Unsuitable
    nodes = [as_array(graph, arg, dtype) if isinstance(arg, Node) else None for arg in args]
    return taken(graph, tape, nodes, dtype)


def kind_of(arg: Any) -> Any:
    """The placeholder for an argument in tracing: see `core.tracing.trace`."""
    if isinstance(arg, Node):
        return TracedNumber if arg.shape is None else arg.dtype
    if isinstance(arg, (list, tuple, np.ndarray, np.generic)):
        raise Unsuitable
    return arg


def as_array(graph: Graph, node: Node, dtype: Any) -> Node:
    """A node as an array; a number among the inputs becomes one of a dtype."""
    return graph.add(INPUT, (), (), dtype, node.detail) if node.shape is None else node


def taken(graph: Graph, tape: Any, nodes: list[Any], dtype: Any) -> Node:
    """The nodes of a tape's steps."""
    values = nodes + [graph.constant(np.array(constant, dtype)) for constant in tape.constants]
    for step in tape.steps:
        values.append(graph.apply(step.function, step.types, *[values[place] for place in step.places]))
    return values[tape.result]


def applied(graph: Graph, function: Any, *nodes: Node) -> Node:
    """An arithmetic function of arrays of one float dtype."""
    char = nodes[0].dtype.char
    return graph.apply(function, f"{char * len(nodes)}->{char}", *nodes)


def number(graph: Graph, value: float, like: Node) -> Node:
    """A constant of the dtype of a node."""
    return graph.constant(np.array(value, like.dtype))


# functions composed of NumPy's functions


def drawn(graph: Graph, step: Step, *args: Any) -> list[Node]:
    """Runs a function with arrays that record nodes; results that may be its arguments need no copies here."""
    function = step.function.function if isinstance(step.function, Apart) else step.function
    made = results_listed(function(*drawing(graph, args)))
    if not all(isinstance(one, Drawn) for one in made):
        raise Unsuitable
    return [one.node for one in made]


def drawing(graph: Graph, args: Any) -> Any:
    """Arguments with nodes replaced by arrays that record."""
    if isinstance(args, Node):
        if args.shape is None:
            raise Unsuitable
        return Drawn(graph, args)
    if type(args) in (tuple, list):
        return type(args)([drawing(graph, arg) for arg in args])
    return args


# sums


def float_node(node: Any) -> Node:
    """The node, checked to be an array of floats."""
    if not isinstance(node, Node) or node.shape is None or node.dtype not in FLOATS:
        raise Unsuitable
    return node


def axes_of(node: Node, dims: Any) -> tuple[int, ...]:
    """The dimensions of a sum: all if none are named."""
    if dims is None:
        return tuple(range(len(node.shape)))
    dims = dims if isinstance(dims, (tuple, list)) else (dims,)
    return tuple(sorted({dim % len(node.shape) for dim in dims}))


def kept(graph: Graph, node: Node, source: Node, axes: tuple[int, ...], keepdim: bool) -> Node:
    """A reduced node, with its lost dimensions as size 1 if they are to be kept."""
    if not keepdim:
        return node
    return graph.reshape(node, tuple([1 if axis in axes else n for axis, n in enumerate(source.shape)]))


def summed(graph: Graph, step: Step, input: Any, dims: Any = None, keepdim: bool = False, dtype: Any = None) -> Node:
    """A sum of all elements, or along dimensions."""
    node = float_node(input)
    if node.size == 0 or (dtype is not None and dtype != node.dtype):
        raise Unsuitable
    axes = axes_of(node, dims)
    return kept(graph, graph.reduce(np.add, node, axes), node, axes, keepdim)


def averaged(graph: Graph, step: Step, input: Any, dims: Any = None, keepdim: bool = False, dtype: Any = None) -> Node:
    """A mean of all elements, or along dimensions."""
    total = summed(graph, step, input, dims, keepdim, dtype)
    count = prod([input.shape[axis] for axis in axes_of(input, dims)])
    return applied(graph, np.divide, total, number(graph, count, input))


# products


def matrices(*nodes: Any) -> None:
    """Raises Unsuitable unless all are non-empty arrays of one float dtype."""
    found = [float_node(node) for node in nodes]
    if any(node.size == 0 or node.dtype != found[0].dtype for node in found):
        raise Unsuitable


def mm(graph: Graph, step: Step, input: Any, mat2: Any) -> Node:
    """A product of matrices; batches are broadcast."""
    matrices(input, mat2)
    lead = np.broadcast_shapes(input.shape[:-2], mat2.shape[:-2])
    a, b = [expanded(graph, node, (*lead, *node.shape[-2:])) for node in (input, mat2)]
    return graph.product(a, b)


def expanded(graph: Graph, node: Node, shape: tuple[int, ...]) -> Node:
    """A node broadcast to a larger shape."""
    return node if node.shape == shape else graph.view(node, lambda array: np.broadcast_to(array, shape))


def mm_turned(graph: Graph, step: Step, input: Any, weight: Any) -> Node:
    """A product with a transposed matrix."""
    matrices(input, weight)
    return graph.product(input, graph.transpose(weight))


def mv(graph: Graph, step: Step, input: Any, vec: Any) -> Node:
    """A product of a matrix and a vector."""
    matrices(input, vec)
    return graph.reshape(graph.product(input, graph.reshape(vec, (*vec.shape, 1))), input.shape[:1])


def outer(graph: Graph, step: Step, input: Any, vec2: Any) -> Node:
    """The outer product of two vectors."""
    matrices(input, vec2)
    return graph.product(graph.reshape(input, (*input.shape, 1)), graph.reshape(vec2, (1, *vec2.shape)))


def dot(graph: Graph, step: Step, input: Any, tensor: Any) -> Node:
    """The inner product of two vectors."""
    matrices(input, tensor)
    return graph.reshape(
        graph.product(graph.reshape(input, (1, *input.shape)), graph.reshape(tensor, (*tensor.shape, 1))), ()
    )


def folded(graph: Graph, step: Step, input: Any, other: Any) -> Node:
    """A product of an array's rows and a matrix."""
    matrices(input, other)
    rows = graph.reshape(input, (prod(input.shape[:-1]), input.shape[-1]))
    return graph.reshape(graph.product(rows, other), (*input.shape[:-1], other.shape[-1]))


def linear(graph: Graph, step: Step, input: Any, weight: Any, bias: Any) -> Node:
    """A linear layer: rows times a transposed matrix, plus a bias."""
    matrices(input, weight, bias)
    rows = graph.reshape(input, (prod(input.shape[:-1]), input.shape[-1]))
    made = applied(graph, np.add, graph.product(rows, graph.transpose(weight)), bias)
    return graph.reshape(made, (*input.shape[:-1], weight.shape[0]))


# copies and shapes


def copied(graph: Graph, step: Step, input: Any, *rest: Any) -> Node:
    """A copy: not needed if nothing writes to it."""
    if not isinstance(input, Node) or input.shape is None:
        raise Unsuitable
    return input


def reshaped(graph: Graph, step: Step, input: Any, shape: Any) -> Node:
    """A copy in another shape."""
    if not isinstance(input, Node) or input.shape is None:
        raise Unsuitable
    return graph.reshape(input, tuple(step.results[0].shape))  # type: ignore[arg-type]


def piled(graph: Graph, step: Step, arrays: Any, dim: int, dtype: Any) -> Node:
    """Arrays of one shape stacked along a new dimension."""
    nodes = [float_node(node) for node in arrays]
    if any(node.size == 0 or node.dtype != step.results[0].dtype for node in nodes):
        raise Unsuitable
    stack = graph.stack(nodes)
    return graph.view(stack, lambda array: np.moveaxis(array, 0, dim))


def one_number(graph: Graph, step: Step, input: Node, dtype: np.dtype, format: Any, value: Any) -> Node:
    """An array filled with one number."""
    node = graph.constant(np.array(value, dtype))
    return graph.view(node, lambda array: np.broadcast_to(array, step.results[0].shape))  # type: ignore[arg-type]


RULES: dict[str, Callable[..., Node]] = {
    "sum": summed,
    "sum_dims": summed,
    "mean": averaged,
    "mean_dims": averaged,
    "mm": mm,
    "bmm": mm,
    "broadcast": mm,
    "mm_turned": mm_turned,
    "mv": mv,
    "outer": outer,
    "dot": dot,
    "folded": folded,
    "linear": linear,
    "clone": copied,
    "reshape_copy": reshaped,
    "unsafe_view": reshaped,
    "squeezed": reshaped,
    "pile": piled,
}
FUNCTIONS: dict[Any, Callable[..., Node]] = {np.array: copied, full_array: one_number}
