"""The graph: each tensor's place in it, the nodes that operations record, and the versions of saved values."""

import numpy as np

from rushlight.core.above import ABOVE
from rushlight.core.codes import ARGUMENTS, BATCHED, CONJUGATE, NARROW, RESHAPE, RESULT, SHAPE, SHAPES
from rushlight.core.context import last_number, made_by, next_number, value_of
from rushlight.core.formulas import evaluate, evaluate_in_steps
from rushlight.core.interpreters import STACK, observer
from rushlight.core.kinds import kind_of
from rushlight.core.modes import CURRENT, use_counter
from rushlight.kernels.casts import converted
from rushlight.kernels.codes import SUM
from rushlight.kernels.parts import applied
from rushlight.kernels.products import sum_rows
from rushlight.kernels.reductions import reduced

ndarray = np.ndarray
COMPILED = not __file__.endswith((".py", ".pyc"))


class VersionCounter:
    """Counts in-place changes to one piece of memory; shared by all tensors that use that memory.

    `changed_at` is the line that made the last change, as a string, if this was asked for; `looks`, the views that must
    be settled with their base (see `placing`).
    """


class Vertex:
    """A place where gradients arrive: the node of an operation, or a leaf tensor.

    Its fields are the state of the backward run that holds it (see `engine`), its hooks, and notes for
    `rushlight.explain`.
    """


class Plan:
    """What an operator saves, and where its formulas find it, for one set of inputs that require grad."""

    def is_result(self, k):
        """Whether the k-th saved value is an output of the operation."""
        return self.kinds[k] == RESULT

    def is_list(self, k):
        """Whether the k-th saved value is a list of tensors."""
        return self.kinds[k] == ARGUMENTS

    def is_shape(self, k):
        """Whether the k-th saved value is the shape of an argument, or the shapes of a list of them."""
        return self.kinds[k] == SHAPE or self.kinds[k] == SHAPES


class Packed:
    """What the pack hook of `saved_tensors_hooks` returned for a saved tensor, with the unpack hook that restores it.

    For a saved output `index` is its number. Otherwise it is -1, and `source` is a tensor with the saved one's place in
    the graph but without its values.
    """

    def __init__(self, content, unpack, source, index):
        self.content = content
        self.unpack = unpack
        self.source = source
        self.index = index

    def unpacked(self, node, recorded):
        """The saved value restored: as an array, or (`recorded`) as a tensor with its place in the graph."""
        return ABOVE.restore(self, node, recorded)


class Node(Vertex):
    """An operation that was recorded: its edges, its saved values, its formula. It knows nothing of the engine.

    Up to two edges and two saved values are stored in fields of their own, which avoids tuples.
    """

    def edge(self, i):
        """The vertex that the cotangent of input `i` goes to; None if none is needed."""
        if self.edges is None:
            return self.edge0 if i == 0 else self.edge1
        return self.edges[i]

    def number(self, i):
        """The number of the output of `edge(i)` that the input is."""
        if self.edges is None:
            return self.number0 if i == 0 else self.number1
        return 0 if self.numbers is None else self.numbers[i]

    def saved_value(self, k, recorded):
        """The k-th saved value: as an array, or (`recorded`) as a tensor with its place in the graph."""
        if self.saved is None:
            value = self.saved0 if k == 0 else self.saved1
            version = self.version0 if k == 0 else self.version1
        else:
            value = self.saved[k]
            version = 0 if self.versions is None else self.versions[k]
        kind = self.plan.kinds[k]
        if type(value) is Packed:
            return value.unpacked(self, recorded)
        if kind == RESULT:
            return self.saved_result(value, self.plan.sources[k], recorded)
        if kind == ARGUMENTS:
            return [self.listed(item[0], item[1], recorded) for item in value]
        if isinstance(value, TensorBase):
            return self.checked(value, version, recorded)
        return value

    def kept_array(self, k):
        """The array of the k-th saved value, without any check; None if it is none, or hooks keep it."""
        value = self.kept(k)
        if isinstance(value, TensorBase):
            return value._array
        return value if type(value) is ndarray else None

    def kept(self, k):
        """The k-th saved value as it is stored."""
        return (self.saved0 if k == 0 else self.saved1) if self.saved is None else self.saved[k]

    def listed(self, item, version, recorded):
        """A tensor of a saved list."""
        return item.unpacked(self, recorded) if type(item) is Packed else self.checked(item, version, recorded)

    def checked(self, tensor, version, recorded):
        """A saved input, after checking that it was not changed in place."""
        if tensor._counter is not None and tensor._counter.value != version:
            raise ABOVE.modified_input(tensor, version)
        if DETACHED and tensor.__dict__.get("_detached", 0) > self.sequence:
            raise RuntimeError(DETACHED_SINCE)
        return tensor if recorded else tensor._array

    def saved_result(self, array, index, recorded):
        """A saved output. It was saved as an array: a tensor would form a reference cycle with this node."""
        if self.result_counter.value != self.result_version:
            raise ABOVE.modified_result(array, index, self)
        if not recorded:
            return array
        tensor = new_tensor(array)
        if index in self.op.nondifferentiable:
            return tensor
        tensor._counter = self.result_counter
        tensor._node = self if self.within is None else self.within().look()
        tensor._index = index
        tensor._needs = True
        tensor._unsettled = self.unsettled
        if self.tangents is not None:
            tensor._tangents = self.tangents.get(index)
        return tensor

    def cotangent(self, i, grad, recorded):
        """The cotangent of input `i`, computed from that of the result."""
        plan = self.plan
        if self.freed:
            raise ABOVE.freed(self)
        if self.flags & CONJUGATE:
            grad = [conjugate(g) for g in grad] if type(grad) is list else conjugate(grad)
        formula = plan.formulas[i]
        picks = plan.picks[i]
        n = len(picks)
        if self.flags & NARROW and not recorded:
            result = formula(WIDEN(grad), *[WIDEN(self.saved_value(k, False)) for k in picks])
        elif not recorded and plan.compiled[i] is not None and n <= 3 and type(grad) is ndarray:
            first = self.saved_value(picks[0], False) if n > 0 else None
            second = self.saved_value(picks[1], False) if n > 1 else None
            third = self.saved_value(picks[2], False) if n > 2 else None
            result = evaluate(plan.compiled[i], grad, first, second, third)
        elif (
            recorded
            and (self.op.broadcasts or plan.compiled[i] is not None)
            and not self.flags & ~RESHAPE
            and is_final()
        ):
            values = [self.saved_value(k, True) for k in picks]
            result = alike(plan.compiled[i] if n <= 3 else None, formula, [grad, *values])
            if result is None:
                result = formula(grad, *values)
        elif n == 1:
            result = formula(grad, self.saved_value(picks[0], recorded))
        elif n == 0:
            result = formula(grad)
        elif n == 2:
            result = formula(grad, self.saved_value(picks[0], recorded), self.saved_value(picks[1], recorded))
        else:
            result = formula(grad, *[self.saved_value(k, recorded) for k in picks])
        return self.fitted(i, result) if self.flags else result

    def cotangents(self, grad, recorded, needs):
        """The cotangents of all inputs at once, for an operator with a joint formula."""
        plan = self.plan
        if self.freed:
            raise ABOVE.freed(self)
        if self.flags & CONJUGATE:
            grad = [conjugate(g) for g in grad] if type(grad) is list else conjugate(grad)
        values = [self.saved_value(k, recorded) for k in plan.picks[0]]
        if self.flags & NARROW and not recorded:
            grad, values = WIDEN(grad), WIDEN(values)
        if plan.asks_needs:
            values.append(needs)
        results = plan.formulas[0](grad, *values)
        return [self.fitted(i, g) for i, g in enumerate(results)] if self.flags else results

    def verify(self, i):
        """Raises if what the cotangent of input `i` needs was freed or changed in place, though nobody asked for it."""
        if self.freed:
            raise ABOVE.freed(self)
        for k in self.plan.picks[i]:
            self.saved_value(k, False)

    def fitted(self, i, grad):
        """A cotangent converted to its input's shape and dtype."""
        if grad is None:
            return None
        if self.flags & CONJUGATE:
            grad = conjugate(grad)
        meta = self.inputs[i]
        if meta is None:
            return grad
        if self.flags & BATCHED and meta[2]:
            grad = ABOVE.total(grad, meta[2])
        return fit(grad, meta[0], meta[1])

    def release(self):
        """Frees the saved tensors; a second backward pass then raises."""
        if self.plan.saves_tensors or self.holds_tensors():
            self.freed = last_number()
            self.saved0 = None
            self.saved1 = None
            self.saved = None

    def holds_tensors(self):
        """Whether a tensor or array is saved, also inside an index or a list."""
        if self.saved is None:
            return holds_tensor(self.saved0) or holds_tensor(self.saved1)
        for value in self.saved:
            if holds_tensor(value):
                return True
        return False

    def saves(self, tensor):
        """Whether a tensor is among the saved values."""
        return any(value is tensor for value in (self.saved0, self.saved1, *(self.saved or ())))

    def replace_saved(self, others):
        """Replaces saved tensors by others, found by the ids of the saved ones."""
        if self.saved is not None:
            self.saved = tuple([self.replaced(k, value, others) for k, value in enumerate(self.saved)])
        else:
            self.saved0 = self.replaced(0, self.saved0, others)
            self.saved1 = self.replaced(1, self.saved1, others)

    def replaced(self, k, value, others):
        """The k-th saved value with its tensors replaced."""
        if self.plan is not None and k < len(self.plan.kinds) and self.plan.kinds[k] == ARGUMENTS:
            return tuple([(others.get(id(tensor), tensor), version) for tensor, version in value])
        return others.get(id(value), value)

    def edge_at(self, i):
        """The edge of input `i` and the output number it leads to."""
        return self.edge(i), self.number(i)

    def look_at(self, k):
        """The k-th saved value as users see it: a tensor with its place in the graph, or the value itself."""
        return self.saved_value(k, True)

    def apply(self, grad, recorded, needs):
        """The cotangents of the inputs in `needs`, from that of the result (a list if there are several results)."""
        if self.plan.joint:
            return self.cotangents(grad, recorded, needs)
        return [self.cotangent(i, grad, recorded) if needs[i] else self.verify(i) for i in range(self.arity)]

    @property
    def next_functions(self):
        """The nodes that receive this node's gradients, each with the number of its output concerned."""
        edges = [(self.edge(i), self.number(i)) for i in range(self.arity)]
        return tuple((edge._accumulator() if isinstance(edge, TensorBase) else edge, number) for edge, number in edges)

    @property
    def metadata(self):
        """A dictionary for the user's own data about the node."""
        if self.notes is None:
            self.notes = {}
        return self.notes

    def register_hook(self, fn):
        """Registers a function of (grad_inputs, grad_outputs) that runs after the node; it may replace grad_inputs."""
        return ABOVE.add_hook(ABOVE.hooks_of(self).post, fn)

    def register_prehook(self, fn):
        """Registers a function of (grad_outputs) that is called before the node runs; it may replace grad_outputs."""
        return ABOVE.add_hook(ABOVE.hooks_of(self).pre, fn)

    def name(self):
        """The node's name in PyTorch, such as `AddBackward0`."""
        name = type(self).__name__
        return f"torch::autograd::{name}" if name in ("CopyBackwards", "NotImplemented") else name

    def _sequence_nr(self):
        """The node's number in the order of recording."""
        return self.sequence

    def __call__(self, *grad_outputs):
        """Computes the cotangents of the inputs from those of the outputs: only this node runs, not a backward pass."""
        return ABOVE.call_node(self, grad_outputs)

    def __repr__(self):
        return f"<{type(self).__name__} object at {id(self):#x}>"

    def __getattr__(self, name):
        if name.startswith(("_saved_", "_raw_saved_")):
            return ABOVE.saved_attribute(self, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __dir__(self):
        return [*super().__dir__(), *(f"_saved_{name}" for name in ABOVE.saved_names(self))]


class View:
    """Marks a tensor as a view of another's memory: of `base`, which is not a view itself.

    `origin` tells how the view was made, which decides whether it may be changed in place: DEFAULT, MULTI (one of
    several results, or a view of one), UNRECORDED (with grad mode off), INFERRED (in inference mode) or CUSTOM (by a
    custom function). The tensor's history belongs to `version`.
    """


class TensorBase(Vertex):
    """The fields of a tensor: its array, and its place in the graph.

    The array of an `_unsettled` tensor has not PyTorch's memory layout yet; it gets it when it is needed (see
    `placing`).
    """

    def _settled(self):
        """The array in PyTorch's memory layout: for everything that shows memory."""
        if self._unsettled:
            ABOVE.settle(self)
        return self._array

    def _versions(self):
        """The version counter, made at its first use."""
        counter = self._counter
        if counter is None:
            counter = VersionCounter()
            self._counter = counter
        return counter

    def _bump(self):
        """Counts one more in-place change."""
        counter = self._versions()
        counter.value += 1
        if WATCHED:
            counter.changed_at = line_of_change()

    def _synchronize(self):
        """Updates the history of a view whose base was changed in place since."""
        if self._view.version != self._counter.value:
            ABOVE.renew(self)

    @property
    def requires_grad(self):
        """Whether gradients must be computed for this tensor. True also for a view whose base requires grad."""
        return self._needs or (self._view is not None and self._view.base._needs and not self._inference)

    @requires_grad.setter
    def requires_grad(self, value):
        if not isinstance(value, bool):
            raise RuntimeError("requires_grad must be a bool")
        if not value and self.grad_fn is not None:
            raise RuntimeError(
                "you can only change requires_grad flags of leaf variables. If you want to use a computed variable "
                "in a subgraph that doesn't require differentiation use var_no_grad = var.detach()."
            )
        if value and self._inference and not CURRENT.get().inference:
            raise RuntimeError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")
        if value and kind_of(self._array.dtype) not in "fc":
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        self._needs = value

    @requires_grad.deleter
    def requires_grad(self):
        raise RuntimeError("requires_grad must be a bool: set it to False")

    @property
    def grad_fn(self):
        """The node that recorded this tensor; None for a leaf."""
        if self._view is not None:
            self._synchronize()
        return self._node

    @property
    def is_leaf(self):
        """Whether the tensor was not the result of a recorded operation."""
        return self.grad_fn is None

    @property
    def output_nr(self):
        """Which output of `grad_fn` this tensor is."""
        return self._index

    @property
    def _version(self):
        if self._inference:
            raise RuntimeError("Inference tensors do not track version counter.")
        return 0 if self._counter is None else self._counter.value

    @property
    def ndim(self):
        """The number of dimensions."""
        return self._array.ndim


INFERENCE = 0
WATCHED = False
DETACHED = False
WIDEN = None  # set by `use_widening`: converts arrays of narrow types to float32


def use_tensor_class(cls):
    """Sets the class of the results of operations."""
    global TENSOR, MAKER
    TENSOR, MAKER = cls, cls.__base__


def use_widening(function):
    """Sets the function by which nodes convert arrays of narrow types to float32."""
    global WIDEN
    WIDEN = function


def count_inference(step):
    """Counts the contexts in inference mode, so that nothing is checked while there is none."""
    global INFERENCE
    INFERENCE += step


use_counter(count_inference)


def watch_changes(wanted=True):
    """Sets whether in-place changes record the line that made them; returns the previous setting."""
    global WATCHED
    before = WATCHED
    WATCHED = wanted
    return before


def note_detached(tensor):
    """Marks a result that was detached in place: nodes that saved it before can no longer use it."""
    global DETACHED
    DETACHED = True
    tensor.__dict__["_detached"] = next_number()


DETACHED_SINCE = (
    "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not supported, please "
    "use out-of-place `.detach()` instead"
)


def line_of_change():
    """The line of the user's program that is changing a tensor; None if this is not recorded."""
    if CURRENT.get().anomaly:
        return ABOVE.line_of_user()
    looking = observer()
    return None if looking is None else looking.changer()


def blank():
    """A tensor without an array yet, made without calling the public constructor."""
    tensor = made_by(MAKER, TENSOR)
    if INFERENCE:
        tensor._inference = CURRENT.get().inference
    return tensor


def new_tensor(array):
    """A tensor with the given array, outside any graph."""
    tensor = blank()
    tensor._array = array
    return tensor


def is_final():
    """Whether operations on tensors are now neither recorded nor watched by an interpreter."""
    return not STACK.depth and not value_of(CURRENT).records


def alike(compiled, formula, operands):
    """The value of an elementwise formula for tensors of one shape and dtype, and numbers.

    None for others, and where the layout that PyTorch gives the value is not known.
    """
    if not isinstance(operands[0], TensorBase):
        return None
    arrays, first, one_layout = [], operands[0]._array, True
    if type(first) is not ndarray:
        return None
    for value in operands:
        if isinstance(value, TensorBase):
            array = value._settled()
            if type(array) is not ndarray:
                return None
            if array.dtype is not first.dtype:
                if array.ndim or array.dtype.kind == "b":
                    return None
                arrays.append(array.item())  # does not change the result's type
                continue
            if array.size != 1:
                if array.shape != first.shape:
                    return None
                one_layout = one_layout and array.strides == first.strides
            value = array
        elif type(value) is tuple:
            return None  # there may be tensors in it
        arrays.append(value)
    if not one_layout:
        result = None if compiled is None else evaluate_in_steps(compiled, *arrays)
        return None if result is None else new_tensor(result)
    result = formula(*arrays) if compiled is None else evaluate(compiled, *arrays, *[None] * (4 - len(arrays)))
    if type(result) is not ndarray or result.shape != first.shape or result.strides != first.strides:
        return None
    for value, array in zip(operands, arrays):
        if array is result:
            return value
    return new_tensor(result)


def reaches_others(outputs, variables):
    """Whether outputs depend on leaves other than the variables, which the caller may differentiate by."""
    own = {id(variable) for variable in variables}
    seen = set()
    stack = [out for out in outputs if out.requires_grad]
    while stack:
        vertex = stack.pop()
        if isinstance(vertex, TensorBase):
            if vertex.grad_fn is None:
                if vertex.requires_grad and id(vertex) not in own:
                    return True
                continue
            vertex = vertex.grad_fn
        if vertex not in seen:
            seen.add(vertex)
            for i in range(vertex.arity):
                edge = vertex.edge_at(i)[0]
                if edge is not None:
                    stack.append(edge)
    return False


def conjugate(value):
    """The complex conjugate of an array or tensor; real ones, and None, are returned as they are."""
    if value is None:
        return None
    array = value._array if isinstance(value, TensorBase) else value
    return applied(np.conjugate, (value,)) if array.dtype.kind == "c" else value


def holds_tensor(value):
    """Whether a saved value is a tensor or array, or a tuple with one."""
    for item in value if type(value) is tuple else (value,):
        if isinstance(item, (TensorBase, Packed)) or type(item) is ndarray:
            return True
    return False


def fit(grad, shape, dtype):
    """A cotangent (array or tensor) summed over broadcast dimensions and cast, to fit an input's shape and dtype."""
    if shape is not None:
        grad = unbroadcast(grad, shape)
    array = grad._array if isinstance(grad, TensorBase) else grad
    if array.dtype is not dtype:
        if array.dtype.kind == "c" and dtype.kind != "c":
            grad, array = np.real(grad), array.real
        if array.dtype != dtype:
            grad = converted(grad, dtype) if type(grad) is ndarray else np.astype(grad, dtype)
    return grad


def unbroadcast(grad, shape):
    """The adjoint of broadcasting `shape` to the shape of `grad`: the sum over the repeated dimensions."""
    if grad.shape == shape:
        return grad
    extra = grad.ndim - len(shape)
    if extra == 1 and len(shape) == 1 and type(grad) is ndarray:
        return sum_rows(grad) if shape[0] == grad.shape[1] else np.add.reduce(grad, axis=None, keepdims=True)[0]
    axes = [i + extra for i, n in enumerate(shape) if n == 1 and grad.shape[i + extra] != 1]
    dims, kept = (*range(extra), *axes), extra == 0 or len(axes) > 0
    if type(grad) is ndarray:
        grad = reduced(grad, dims, kept, SUM)
    else:
        grad = np.add.reduce(grad, axis=dims, keepdims=kept)
    return np.reshape(grad, shape) if kept and extra else grad


FIELDS = set()  # the names of all fields: uncompiled they are stored among a tensor's ordinary attributes


def defaults(cls, **values):
    """Uncompiled, gives the class defaults for fields that are not set, as C fields start at 0 or None."""
    FIELDS.update(values)
    if not COMPILED:
        for name, value in values.items():
            setattr(cls, name, value)


defaults(VersionCounter, value=0, changed_at=None, looks=None)
defaults(Plan, formulas=(), compiled=(), picks=(), kinds=(), sources=(), asks_needs=False, joint=False)
defaults(Plan, slopes=None, stride_picks=(), ruled=(), keeps_order=False)
defaults(Vertex, run=None, pending=0, buffer=None, owned=False, needed=False, hooks=None, told=None, sequence=0)
defaults(Node, op=None, plan=None, arity=0, edge0=None, edge1=None, edges=None, number0=0, number1=0, numbers=None)
defaults(Node, saved0=None, saved1=None, saved=None, version0=0, version1=0, versions=None, freed=0, flags=0)
defaults(Node, inputs=None, outputs=None, result_counter=None, result_version=0, notes=None, tangents=None, within=None)
defaults(Node, unsettled=False)
defaults(TensorBase, _array=None, _node=None, _index=0, _needs=False, _grad=None, _counter=None, _view=None)
defaults(TensorBase, _inference=False, _tangents=None, _unsettled=False)
