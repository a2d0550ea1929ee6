"""Results with a history: the backward pass of a compiled call is a program of its own, behind a single node."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from rushlight.autograd import grad
from rushlight.compiler.arguments import flattened
from rushlight.compiler.memories import Unrecordable
from rushlight.compiler.program import Program, Value, laid
from rushlight.core.aliases import Array
from rushlight.core.arrays import as_array
from rushlight.core.context import last_number
from rushlight.core.errors import freed, modified_input
from rushlight.core.graph import Node, Packed, TensorBase, new_tensor
from rushlight.core.hooks import Hooks

RESULT = -1  # the kind of place for a result of the call itself


class Ends:
    """The ends of an output's recorded graph: tensors that existed before the call and get gradients.

    Each output has its own backward pass: gradients that are not asked for are not computed, as they could be infinite.
    Where a graph reaches another one of the `results`, it ends (`cut`): from there that one's pass continues.
    """

    def __init__(self, output: Any, known: list[Any], start: int, results: list[Any]):
        self.outputs: list[Any] = [output]
        self.spent = False  # whether a pass has freed the graph
        self.saves = False  # whether a pass frees something that a second one needs
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


def cotangents(outputs: list[TensorBase]) -> list[TensorBase]:
    """Random gradients for a pass through a recorded graph."""
    draw = np.random.default_rng(1)
    return [new_tensor(draw.standard_normal(one._array.shape).astype(one._array.dtype)) for one in outputs]


def sent_back(outputs: list[Any], inputs: list[Any], cut: list[Any], grads: list[Any]) -> Any:
    """The gradients of inputs before their hooks, None for missing ones; those of `cut` are results themselves."""
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


class Backward:
    """The backward program of some results, whose numbers are in `outputs`, and the sources of its inputs.

    `sources` has for each input of the program ("cotangent", number), ("saved", number of the stretch and of the
    output), ("given", place) or ("number", formula). `results` are the numbers of the outputs for each of `places`, the
    inputs of the graph: those of tensors, or (RESULT, number) of other results; None where no gradient comes.
    `repeats` tells that several passes are allowed, as through a recorded graph that saves nothing; `ends` that this
    holds for passes that end at the result itself, for which only the last node counts. `layout` are the strides of the
    recorded cotangents; `layouts` has for other strides of cotangents the values with the layouts of the results.
    """

    def __init__(
        self,
        outputs: list[int],
        program: Program,
        sources: list[tuple[str, Any]],
        places: list[Any],
        results: list[int | None],
        repeats: bool,
        ends: bool,
        layout: tuple[tuple[int, ...], ...],
    ):
        self.outputs = outputs
        self.program = program
        self.sources = sources
        self.places = places
        self.results = results
        self.repeats = repeats
        self.ends = ends
        self.layout: tuple[tuple[int, ...], ...] = layout
        self.layouts: dict[Any, list[Value | None]] = {}
        self.execute: Callable[[list[Any]], list[Any]] = None  # type: ignore[assignment]  # set where it is prepared


class CompiledFunctionBackward(Node):
    """The node for the results of a replayed call."""

    backward: Backward

    def connect(self, inputs: list[TensorBase], outputs: list[TensorBase]) -> None:
        """Makes this the node of some results that depend on some inputs."""
        self.edges: tuple[Any, ...] = tuple([vertex_of(tensor) for tensor in inputs])
        self.numbers: tuple[int, ...] = tuple([0 if tensor._node is None else tensor._index for tensor in inputs])
        self.arity: int = len(inputs)
        if len(outputs) > 1:
            self.outputs = [(tensor._array.shape, tensor._array.dtype) for tensor in outputs]
        for i, tensor in enumerate(outputs):
            tensor._node, tensor._index, tensor._needs = self, i, True

    def keep(
        self,
        backward: Backward,
        values: list[Any],
        versions: list[Any],
        again: Callable[["CompiledFunctionBackward", list[Any], Sequence[bool]], list[Any]],
    ) -> None:
        """Saves what the pass needs: arrays (None for cotangents), and the versions of tensors that may change before.

        Also how to repeat the call if gradients must be differentiated.
        """
        self.backward, self.values, self.changes, self.again = backward, values, versions, again

    passed: bool = False  # whether the last pass ended here, and freed nothing
    values: list[Any] | None = None
    changes: list[Any] = []  # noqa: RUF012 (never changed)

    def apply(self, grad: Array, recorded: Any, needs: Sequence[bool]) -> Any:
        """The gradients of the inputs."""
        if not any(needs):  # the pass ends at its outputs
            self.passed = self.values is not None and self.backward.ends
            return [None] * self.arity
        if self.values is None:
            raise freed(self)
        for tensor, counter, version in self.changes:
            if counter.value != version:
                raise modified_input(tensor, version)
        grads = grad if self.outputs is not None else [grad]
        if recorded:
            return self.again(self, grads, needs)
        inputs = [
            as_array(grads[what]) if kind == "cotangent" else value
            for (kind, what), value in zip(self.backward.sources, self.values, strict=True)
        ]
        made = self.backward.execute(inputs)
        found = [
            None if n is None or not need else made[n] for n, need in zip(self.backward.results, needs, strict=True)
        ]
        layout = tuple([one.strides for one in grads])
        return found if layout == self.backward.layout else self.laid(found, layout, grads, needs)

    def laid(
        self, found: list[Any], layout: tuple[tuple[int, ...], ...], grads: list[Any], needs: Sequence[bool]
    ) -> list[Any]:
        """Cotangents in the memory layout of an eager pass, for gradients with another layout than recorded.

        It is found by repeating the call when gradients with such a layout come for the first time.
        """
        key = layout, tuple(needs)
        if key not in self.backward.layouts:
            eager = self.again(self, grads, needs)
            self.backward.layouts[key] = [None if one is None else Value.like(one._array) for one in eager]
        values = self.backward.layouts[key]
        return [
            one if one is None or value is None else laid(one, value) for one, value in zip(found, values, strict=True)
        ]

    def release(self):
        """Frees the saved values, if the recorded graph would."""
        if self.values is None or self.backward.repeats or self.passed:
            self.passed = False
            return
        self.values = self.again = None
        self.changes = []
        self.freed = last_number()


@cache
def spent_class(name: str) -> type:
    """The node class for a result whose graph was freed within the call."""
    return type(name, (CompiledFunctionBackward,), {"__module__": "rushlight.autograd"})
