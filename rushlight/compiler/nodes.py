"""Nodes for the results of replayed calls: behind each is a backward program; compiled."""

import numpy as np

from rushlight.compiler.codes import ARGUMENT, COTANGENT, GRAD, OUTPUT
from rushlight.compiler.guards import gather
from rushlight.compiler.program import laid
from rushlight.core.above import ABOVE
from rushlight.core.arrays import as_array
from rushlight.core.context import last_number, next_number
from rushlight.core.graph import Node

ndarray = np.ndarray


def tensor_at(place, arguments):
    """The tensor at a place."""
    kind, what = place
    if kind == GRAD:
        tensor = tensor_at(what, arguments)
        return tensor._grad
    return arguments[what] if kind == ARGUMENT else what


class Backward:
    """The backward program of some results, whose numbers are in `outputs`, and the places of its inputs, `sources`.

    These are places as those of the call's inputs, or (COTANGENT, number). `results` are the numbers of the outputs for
    each of `places`, the inputs of the graph: those of tensors, or (OUTPUT, number) of other results; None where no
    gradient comes. `kept` are the numbers of the call's results that the pass reads.

    `repeats` tells that several passes are allowed, as through a recorded graph that saves nothing; `ends` that this
    holds for passes that end at the result itself, for which only the last node counts. `layout` are the strides of the
    recorded cotangents; `layouts` has for other strides of cotangents the values with the layouts of the results.
    """

    def __init__(self, outputs, program, sources, places, results, kept, repeats, ends, layout):
        self.outputs = outputs
        self.program = program
        self.sources = sources
        self.places = places
        self.results = results
        self.kept = kept
        self.repeats = repeats
        self.ends = ends
        self.layout = layout
        self.layouts = {}
        self.execute = None  # set where it is prepared

    def with_inputs(self, program, sources):
        """The same pass with another program and more inputs."""
        return Backward(
            self.outputs,
            program,
            sources,
            self.places,
            self.results,
            self.kept,
            self.repeats,
            self.ends,
            self.layout,
        )


class Call:
    """A replayed call, of which gradients that are differentiated need to know more than its nodes save.

    `others` are tensors that it read besides its `arguments`; `versions` those of both. `start` has what the call
    overwrote, None if that was nothing.
    """

    def __init__(self, function, args, kwargs, arguments, others, start):
        self.function = function
        self.args = args
        self.kwargs = kwargs
        self.arguments = arguments
        self.others = others
        self.start = start
        self.versions = versions_of(arguments) + versions_of(others)

    def tensors(self):
        """The tensors that the call read."""
        return [one for one in self.arguments if type(one) is not float] + self.others


def versions_of(tensors):
    """The versions of tensors; there may be numbers among them, which have none."""
    found = []
    for one in tensors:
        if type(one) is not float:
            tensor = one
            found.append(0 if tensor._counter is None else tensor._counter.value)
    return found


def lead(node, places, results, arguments):
    """Lets the edges of a node lead to the tensors at some places."""
    edges = []
    numbers = []
    for kind, what in places:
        tensor = results[what] if kind == OUTPUT else arguments[what] if kind == ARGUMENT else what
        leaf = tensor._node is None
        edges.append(tensor if leaf else tensor._node)
        numbers.append(0 if leaf else tensor._index)
    node.edges = tuple(edges)
    node.numbers = tuple(numbers)
    node.arity = len(edges)


class CompiledFunctionBackward(Node):
    """The node for results of a replayed call.

    `values` are the inputs of its program (None for cotangents), `changes` tell whether they are still what they were:
    counters and versions, with a tensor, or the number and array of an output of this node. `passed` tells that the
    last pass ended here, and freed nothing.
    """

    def __init__(self):
        self.passed = False
        self.backward = self.call = self.values = None

    def keep(self, backward, results, arguments, made, call):
        """Makes this the node of the results that a backward program belongs to, and saves what the pass needs."""
        self.sequence = next_number()
        self.backward = backward
        self.call = call
        lead(self, backward.places, results, arguments)
        outputs = backward.outputs
        if len(outputs) > 1:
            self.outputs = [(results[i]._array.shape, results[i]._array.dtype) for i in outputs]
        for i in range(len(outputs)):
            tensor = results[outputs[i]]
            tensor._node = self
            tensor._index = i
            tensor._needs = True
        self.values = gather(backward.sources, arguments, made)
        changes = []
        for place in backward.sources:
            kind = place[0]
            if kind <= GRAD:
                tensor = tensor_at(place, arguments)
                counter = tensor._versions()
                changes.append((counter, counter.value, tensor, 0))
        for i in backward.kept:
            tensor = results[i]
            counter = tensor._versions()
            if tensor._node is self:  # the tensor itself would form a reference cycle
                changes.append((counter, counter.value, tensor._array, tensor._index))
            else:
                changes.append((counter, counter.value, tensor, 0))
        self.changes = changes

    def check(self):
        """RuntimeError if a saved value was freed, or changed since."""
        if self.values is None:
            raise ABOVE.freed(self)
        for item in self.changes:
            counter, version, what, index = item
            if counter.value == version:
                continue
            if type(what) is not ndarray:
                raise ABOVE.modified_input(what, version)
            self.result_counter = counter
            self.result_version = version
            raise ABOVE.modified_result(what, index, self)

    def apply(self, grad, recorded, needs):
        """The gradients of the inputs."""
        backward = self.backward
        if not self.arity:  # gradients arrive only within the call, where nobody can see them
            self.check()
            return []
        if not any(needs):  # the pass ends at its outputs
            self.passed = self.values is not None and backward.ends
            return [None] * self.arity
        self.check()
        grads = grad if self.outputs is not None else [grad]
        if recorded:
            return ABOVE.called_again(self, grads, needs)
        inputs = list(self.values)
        sources = backward.sources
        for i in range(len(sources)):
            kind, what = sources[i]
            if kind == COTANGENT:
                inputs[i] = as_array(grads[what])
        made = backward.execute(inputs)
        found = []
        results = backward.results
        for i in range(self.arity):
            found.append(made[results[i]] if needs[i] and results[i] is not None else None)
        layout = tuple([one.strides for one in grads])
        return found if layout == backward.layout else self.laid(found, layout, grads, needs)

    def laid(self, found, layout, grads, needs):
        """Cotangents in the memory layout of an eager pass, for gradients with another layout than recorded.

        It is found by repeating the call when gradients with such a layout come for the first time.
        """
        key = layout, tuple(needs)
        layouts = self.backward.layouts
        if key not in layouts:
            layouts[key] = ABOVE.layouts_again(self, grads, needs)
        values = layouts[key]
        for i in range(len(found)):
            if found[i] is not None and values[i] is not None:
                found[i] = laid(found[i], values[i])
        return found

    def release(self):
        """Frees the saved values, if the recorded graph would."""
        if self.values is None or self.backward.repeats or self.passed:
            self.passed = False
            return
        self.values = self.call = None
        self.changes = []
        self.freed = last_number()
