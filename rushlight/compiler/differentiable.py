"""Results with a history: the backward pass of a compiled call is a program of its own, behind a single node."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from rushlight.autograd import enable_grad, grad
from rushlight.compiler.arguments import flattened
from rushlight.compiler.codes import OUTPUT
from rushlight.compiler.memories import Unrecordable
from rushlight.compiler.nodes import Call, CompiledFunctionBackward, tensor_at
from rushlight.compiler.program import Value
from rushlight.compiler.states import Start, State, version
from rushlight.core.above import above
from rushlight.core.context import last_number
from rushlight.core.errors import modified_input
from rushlight.core.graph import Node, Packed, TensorBase, new_tensor
from rushlight.core.hooks import Hooks
from rushlight.core.inplace import AsStridedBackward0
from rushlight.core.recording import recording as is_recording


class Ends:
    """The ends of an output's recorded graph: tensors that existed before the call and get gradients.

    Each output has its own backward pass: gradients that are not asked for are not computed, as they could be infinite.
    Where a graph reaches another one of the `results`, it ends (`cut`): from there that one's pass continues.
    """

    def __init__(self, output: Any, known: list[Any], start: int, results: list[Any]):
        self.outputs: list[Any] = [output]
        self.spent: bool = False  # whether a pass has freed the graph
        self.saves: bool = False  # whether a pass frees something that a second one needs
        vertices: dict[int, list[TensorBase]] = {}
        for tensor in known:
            if tensor.requires_grad:
                vertices.setdefault(id(vertex_of(tensor)), []).append(tensor)
        others = [one for one in results if one._node is not output._node and id(one._node) not in vertices]
        ways = {(id(one._node), one._index): one for one in others}
        self.inputs: list[Any] = []
        self.cut: list[Any] = []
        seen: set[tuple[int, int | None]] = set()
        stack: list[Any] = [(output._node, output._index)]
        while stack:
            vertex, index = stack.pop()
            place = id(vertex), index
            if place not in ways:
                place = id(vertex), None
            if vertex is None or place in seen:
                continue
            seen.add(place)
            if id(vertex) in vertices:
                self.inputs += vertices[id(vertex)]
            elif place in ways:
                self.inputs.append(ways[place])
                self.cut.append(ways[place])
            elif isinstance(vertex, Node):
                if vertex.sequence <= start:
                    raise Unrecordable("it goes on with a graph from before that is not among its arguments")
                if keeps_packed(vertex):
                    raise Unrecordable("hooks have packed a tensor that a backward pass of its result needs")
                self.spent = self.spent or bool(vertex.freed)
                self.saves = self.saves or lets_go(vertex)
                stack += [vertex.edge_at(i) for i in range(vertex.arity)]


def vertex_of(tensor: TensorBase) -> Any:
    """The vertex at which a tensor's gradients arrive."""
    return tensor if tensor._node is None else tensor._node


def keeps_packed(node: Node) -> bool:
    """Whether hooks packed the tensors that a node saved: then changes of these have no effect."""
    tensors: list[Any] = []
    for value in node.saved or (node.saved0, node.saved1):
        for item in value if type(value) is tuple else (value,):
            if type(item) is Packed:
                flattened(item.content, tensors, [])
    return bool(tensors)


def lets_go(node: Node) -> bool:
    """Whether a pass through a node frees something that a second one needs."""
    if isinstance(node, AsStridedBackward0):  # the history of a view: no pass frees it
        return False
    return node.plan is None or node.plan.saves_tensors or node.holds_tensors()


class Cut(Hooks):
    """The hooks of a vertex at some outputs of which a pass ends: gradients that arrive there go no further."""

    def __init__(self) -> None:
        super().__init__()
        self.ends: set[int] = set()

    def before_node(self, grad: Any, recorded: bool) -> Any:
        """Only the gradients of other outputs continue."""
        if not isinstance(grad, list):
            return None
        left = [None if i in self.ends else one for i, one in enumerate(grad)]
        return None if all(one is None for one in left) else left


@contextmanager
def ending_at(tensors: Sequence[TensorBase], cut: Sequence[TensorBase] = ()) -> Iterator[None]:
    """A context in which gradients that arrive at tensors skip hooks, and stop at `cut`."""
    held = {id(vertex): (vertex, vertex.hooks) for vertex in map(vertex_of, [*tensors, *cut])}
    try:
        for vertex, _ in held.values():
            vertex.hooks = None
        for tensor in cut:
            vertex = vertex_of(tensor)
            if not isinstance(vertex.hooks, Cut):
                vertex.hooks = Cut()
            vertex.hooks.ends.add(tensor._index)
        yield
    finally:
        for vertex, hooks in held.values():
            vertex.hooks = hooks


@contextmanager
def requiring_grad(tensors: Sequence[TensorBase]) -> Iterator[None]:
    """A context in which tensors require grad, as they did when a call was given them."""
    others = [one for one in tensors if not one.requires_grad]
    try:
        for tensor in others:
            tensor._needs = True
        yield
    finally:
        for tensor in others:
            tensor._needs = False


def cotangents(outputs: list[TensorBase]) -> list[TensorBase]:
    """Random gradients for a pass through a recorded graph."""
    draw = np.random.default_rng(1)
    return [new_tensor(draw.standard_normal(one._array.shape).astype(one._array.dtype)) for one in outputs]


def sent_back(outputs: list[Any], inputs: list[Any], cut: list[Any], grads: list[Any]) -> Any:
    """The gradients of inputs before their hooks, None for missing ones; those of `cut` are results themselves."""
    if not inputs:  # the graph ends within the call
        return ()
    with ending_at(inputs, cut):
        return grad(outputs, inputs, grads, retain_graph=True, allow_unused=True)


def saved_by(node: Node) -> Iterator[TensorBase]:
    """The tensors that a node saves; tensors of lists are saved as pairs with their versions."""
    items: list[Any] = [node.saved or (node.saved0, node.saved1)]
    while items:
        item = items.pop()
        if isinstance(item, TensorBase):
            yield item
        elif type(item) is tuple:
            items += item


def led_to(tensors: Sequence[Any], ways: dict[tuple[int, int], tuple[Any, int]], start: int) -> None:
    """Redirects edges in the graph of some tensors.

    Where nodes made after `start` lead to an output that is a key of `ways`, they then lead to its value: a vertex, and
    the number of its output.
    """
    vertices: list[Any] = [one._node for one in tensors if one is not None]
    seen: set[int] = set()
    while vertices:
        node = vertices.pop()
        if not isinstance(node, Node) or id(node) in seen or node.sequence <= start:
            continue
        seen.add(id(node))
        edges = [node.edge_at(i) for i in range(node.arity)]
        others = [ways.get((id(vertex), index), (vertex, index)) for vertex, index in edges]
        if others != edges:
            node.edges, node.numbers = zip(*others, strict=True)
        for tensor in saved_by(node):
            tensor._node, tensor._index = ways.get((id(tensor._node), tensor._index), (tensor._node, tensor._index))
        vertices += [vertex for vertex, _ in others]


@above
def called_again(node: CompiledFunctionBackward, grads: list[Any], needs: Sequence[bool]) -> list[Any]:
    """The gradients of the inputs of a replayed call that are needed, differentiable; None for the others.

    The function is called again; what it changes is restored. Hooks that were registered on tensors since are not
    called by passes inside the call. Gradients that depend on results of the call are linked to the returned results,
    whose node is `node`. RuntimeError for gradients to be differentiated, if a tensor was changed since that the call
    read.
    """
    call, backward = node.call, node.backward
    tensors, start = call.tensors(), call.start or Start([], [])
    create_graph, begin = is_recording(), last_number()
    if create_graph:
        check_unchanged(call, start)
    grads = [one if isinstance(one, TensorBase) else new_tensor(one) for one in grads]
    ends = [tensor_at(place, call.arguments) for place in backward.places if place[0] != OUTPUT]
    state = State(tensors, [generator for generator, _ in start.streams])
    start.put_back()
    try:
        with requiring_grad(ends):
            made: list[Any] = []
            with enable_grad(), ending_at(tensors):
                flattened(call.function(*call.args, **call.kwargs), made, [])
            outputs = [made[i] for i in backward.outputs]
            cut = [made[what] for kind, what in backward.places if kind == OUTPUT]
            given = iter(ends)
            inputs: list[Any] = [made[what] if kind == OUTPUT else next(given) for kind, what in backward.places]
            wanted = [one for one, need in zip(inputs, needs, strict=True) if need]
            with ending_at(wanted, cut):
                found: Any = grad(outputs, wanted, grads, create_graph=create_graph, allow_unused=True)
    finally:
        state.put_back()
    ways = {(id(one._node), one._index): (node, i) for i, one in enumerate(outputs)}
    ways |= {
        (id(one._node), one._index): node.edge_at(i)
        for i, (one, (kind, _)) in enumerate(zip(inputs, backward.places, strict=True))
        if kind == OUTPUT
    }
    led_to(found, ways, begin)
    gradients = iter(found)
    return [next(gradients) if need else None for need in needs]


def check_unchanged(call: Call, start: Start) -> None:
    """RuntimeError if a tensor was changed since a call whose values before the call are not kept."""
    kept = {id(tensor) for tensor, _, _ in start.values}
    for tensor, number in zip(call.tensors(), call.versions, strict=True):
        if version(tensor) != number and id(tensor) not in kept:
            raise modified_input(tensor, number)


@above
def layouts_again(node: CompiledFunctionBackward, grads: list[Any], needs: Sequence[bool]) -> list[Value | None]:
    """Values with the memory layouts of the gradients of an eager pass."""
    return [None if one is None else Value.like(one._array) for one in called_again(node, grads, needs)]


@cache
def spent_class(name: str) -> type:
    """The node class for a result whose graph was freed within the call."""
    return type(name, (CompiledFunctionBackward,), {"__module__": "rushlight.autograd"})
