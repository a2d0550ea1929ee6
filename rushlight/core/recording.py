"""How a call is recorded: as a node with what its formulas need, and edges to the nodes of its inputs."""

import numpy as np

from rushlight.core.above import ABOVE
from rushlight.core.arrays import is_array
from rushlight.core.codes import (
    ARGUMENT,
    ARGUMENTS,
    CAST,
    COLUMNS,
    CONJUGATE,
    DEFAULT,
    INFERRED,
    LAST_OF_NUMPY,
    MULTI,
    NARROW,
    RESHAPE,
    RESULT,
    SHAPES,
    STRIDES,
    UNRECORDED,
)
from rushlight.core.context import next_number, value_of
from rushlight.core.entries import separate
from rushlight.core.graph import TensorBase, VersionCounter, View
from rushlight.core.modes import CURRENT

ndarray = np.ndarray
FLOAT16 = np.dtype(np.float16)
# real numbers, and what is saved of arguments besides numbers and tensors
PLAIN = (int, float, np.floating, np.integer, np.bool_, str, slice, np.dtype, type(None), type(Ellipsis))


def recording():
    """Whether operations on tensors that require grad are recorded here and now."""
    modes = value_of(CURRENT)
    return modes.records


def recorder():
    """The modes of this context if it records operations, else None."""
    modes = value_of(CURRENT)
    return modes if modes.records else None


def requires_grad(tensor):
    """Whether a tensor requires grad, as `Tensor.requires_grad`."""
    if tensor._view is not None:
        if tensor._view.version != tensor._counter.value and recording():
            tensor._synchronize()
        return tensor._needs or (tensor._view.base._needs and not tensor._inference)
    return tensor._needs


def record_pair(op, a, b, needs, out, modes):
    """Records a call of an operator of two operands; `b` may be a number."""
    if needs & 1 and not a._needs:
        needs ^= separate(op) & 1
    if needs & 2:
        other = b
        if not other._needs:
            needs ^= separate(op) & 2
    node = start(op, needs)
    save_pair(node, a, b, out._array, out)
    node.arity = len(op.inputs)
    if needs & 1:
        node.edge0 = a if a._node is None else a._node
        node.number0 = a._index
    if needs & 2:
        node.edge1 = other if other._node is None else other._node
        node.number1 = other._index
    node.unsettled = out._unsettled
    out._node = node
    out._needs = True
    if modes.special:
        mark(node, modes)


def mark(node, modes):
    """Does with a new node what the special modes require."""
    if modes.packing is not None:
        ABOVE.pack_saved(node, modes.packing)
    if modes.anomaly:
        ABOVE.remember_origin(node)


def start(op, mask):
    """A new numbered node for a call of `op`; `mask` has a bit for each input that requires grad."""
    plan = op.plans.get(mask)
    if plan is None:
        plan = op.plan(mask)
    cls = op.node_class
    node = cls.__new__(cls)
    node.op = op
    node.plan = plan
    node.sequence = next_number()
    return node


def save_pair(node, a, b, result, out):
    """Saves what the formulas of an elementwise operator need."""
    plan = node.plan
    n = len(plan.sources)
    if n > 2:
        save(node, (a, b), (result,), out)
        return
    if n:
        node.saved0 = result if plan.kinds[0] == RESULT else fetch(plan, 0, a if plan.sources[0] == 0 else b)
        node.version0 = version(node.saved0)
    if n == 2:
        node.saved1 = result if plan.kinds[1] == RESULT else fetch(plan, 1, a if plan.sources[1] == 0 else b)
        node.version1 = version(node.saved1)
    if plan.saves_result:
        watch(node, out)


def save(node, args, results, out):
    """Saves what the formulas of any operator need."""
    plan = node.plan
    n = len(plan.sources)
    if n > 2:
        node.saved = tuple([kept(plan, k, args, results) for k in range(n)])
        node.versions = tuple([version(value) for value in node.saved])
    elif n:
        node.saved0 = kept(plan, 0, args, results)
        node.version0 = version(node.saved0)
        if n == 2:
            node.saved1 = kept(plan, 1, args, results)
            node.version1 = version(node.saved1)
    if plan.saves_result:
        watch(node, out)


def kept(plan, k, args, results):
    """The k-th saved value."""
    source = plan.sources[k]
    return results[source] if plan.kinds[k] == RESULT else fetch(plan, k, args[source])


def watch(node, out):
    """Stores the version of an output that its own node saves."""
    counter = out._counter
    if counter is None:
        counter = VersionCounter()
        out._counter = counter
    node.result_counter = counter
    node.result_version = counter.value


def fetch(plan, k, value):
    """What is saved of an argument as the k-th saved value."""
    kind = plan.kinds[k]
    if kind == ARGUMENT:
        return value
    if kind == ARGUMENTS:
        return tuple([(tensor, tensor._version) for tensor in value])
    if kind == SHAPES:
        return tuple([tensor._array.shape for tensor in value])
    if kind == COLUMNS:
        return by_columns(value._array) if isinstance(value, TensorBase) else False
    if kind == STRIDES:
        return own_strides(value)
    return value._array.shape if isinstance(value, TensorBase) else np.shape(value)


def by_columns(array):
    """Whether a matrix is stored in column-major order."""
    if type(array) is not ndarray:
        return False
    x = array
    return x.ndim == 2 and x.flags.f_contiguous and not x.flags.c_contiguous


def own_strides(value):
    """The strides of an argument, in elements; None if it lies in order."""
    if not isinstance(value, TensorBase) or value._unsettled or value._array.flags.c_contiguous:
        return None
    return tuple([step // value._array.itemsize for step in value._array.strides])


def version(value):
    """The present version of a saved value; 0 for a value without versions."""
    if isinstance(value, TensorBase):
        tensor = value
        if tensor._inference:
            raise RuntimeError(INFERENCE_SAVED)
        if tensor._counter is not None:
            return tensor._counter.value
    return 0


INFERENCE_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
    "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in "
    "autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
)


def needed(op, args):
    """The inputs that require grad, a bit for each; one bit for a whole list of tensors."""
    needs = 0
    for i in range(len(op.inputs)):
        position = op.inputs[i]
        value = args[position]
        if isinstance(value, TensorBase):
            if requires_grad(value):
                needs |= 1 << i
        elif position in op.lists:
            for item in value:
                if requires_grad(item):
                    needs |= 1 << i
    return needs


def connected(op, args, needs):
    """The inputs that require grad, except views made without recording: those have no place in the graph.

    They count all the same, as in PyTorch, where other derivatives need the same values as theirs.
    """
    for i in range(len(op.inputs)):
        position = op.inputs[i]
        if needs >> i & 1 and position not in op.lists and requiring(args[position]) is None:
            needs ^= separate(op) & 1 << i
    return needs


def connect(node, op, args):
    """Gives a node its edges, one for each differentiable input."""
    node.arity = len(op.inputs)
    if op.lists or node.arity > 2:
        connect_many(node, op, args)
        return
    if node.arity:
        tensor = requiring(args[op.inputs[0]])
        if tensor is not None:
            node.edge0 = tensor if tensor._node is None else tensor._node
            node.number0 = tensor._index
    if node.arity == 2:
        tensor = requiring(args[op.inputs[1]])
        if tensor is not None:
            node.edge1 = tensor if tensor._node is None else tensor._node
            node.number1 = tensor._index


def connect_many(node, op, args):
    """Gives a node its edges in the general way: one for each tensor of a list too."""
    edges = []
    numbers = []
    for position in op.inputs:
        value = args[position]
        for item in value if position in op.lists else (value,):
            tensor = requiring(item)
            edges.append(None if tensor is None else tensor if tensor._node is None else tensor._node)
            numbers.append(0 if tensor is None else tensor._index)
    node.arity = len(edges)
    node.edges = tuple(edges)
    node.numbers = tuple(numbers) if any(numbers) else None


def adjust(node, op, args, result):
    """Records how the cotangents of inputs must be converted whose shape or dtype the call changed."""
    dtype = result.dtype
    flags = CONJUGATE if dtype.kind == "c" and conjugates(node) else 0
    for position in op.inputs:
        value = args[position]
        for item in value if position in op.lists else (value,):
            if isinstance(item, TensorBase):
                tensor = item
                own = tensor._array.dtype
                if own is not dtype or dtype is FLOAT16:  # formulas may compute in float32
                    flags |= CAST  # for all inputs: their formulas may use this one
                if own.num > LAST_OF_NUMPY or (own is FLOAT16 and op.promote is not None):
                    flags |= CAST | NARROW
                if (
                    op.broadcasts
                    and (tensor._needs or tensor._view is not None)
                    and not same_shape(tensor._array, result)
                ):
                    flags |= RESHAPE
    if flags:
        node.flags = flags
        node.inputs = tuple(
            [
                (item._array.shape if op.broadcasts else None, item._array.dtype)
                if isinstance(item, TensorBase)
                else None
                for position in op.inputs
                for item in (args[position] if position in op.lists else (args[position],))
            ]
        )


def conjugates(node):
    """Whether a node's formulas run between conjugations, as those do that multiply by complex numbers."""
    if not node.op.holomorphic or node.op.view:
        return False
    for k in range(len(node.plan.kinds)):
        if not is_real(node.kept(k)):
            return True
    return False


def is_real(value):
    """Whether a saved value is no complex number, and no array of such, and holds none."""
    if isinstance(value, TensorBase):
        tensor = value
        return tensor._array is not None and tensor._array.dtype.kind != "c"
    if type(value) is ndarray:
        return value.dtype.kind != "c"
    if type(value) is tuple or type(value) is list:
        for item in value:
            if not is_real(item):
                return False
        return True
    return isinstance(value, PLAIN)


def requiring(value):
    """The vertex for the cotangent of a tensor that requires grad: its node, or the leaf; None for anything else."""
    if isinstance(value, TensorBase):
        tensor = value
        if tensor._needs:
            return tensor
    return None


def look(out, source, several):
    """Makes `out` a view of `source`: with its version counter and base. `several`: it is one of many results."""
    parent = source._view
    view = View.__new__(View)
    if parent is None:
        view.base = source
        view.origin = DEFAULT
    else:
        view.base = parent.base
        view.origin = parent.origin
    if not recording():
        view.origin = INFERRED if CURRENT.get().inference else UNRECORDED
    elif several:
        view.origin = MULTI
    out._inference = source._inference
    out._counter = source._versions()
    view.version = out._counter.value
    out._view = view


def same_shape(a, b):
    """Whether two arrays have the same shape; a Python number matches any."""
    if type(a) is not ndarray or type(b) is not ndarray:
        return not is_array(a) or a.shape == b.shape
    x = a
    y = b
    if x.ndim != y.ndim:
        return False
    for i in range(x.ndim):  # one by one: `shape` would build two tuples
        if x.shape[i] != y.shape[i]:
            return False
    return True


def are_alike(tensors):
    """Whether tensors have NumPy's arrays, of one shape and dtype."""
    first = tensors[0]
    for tensor in tensors:
        if type(tensor._array) is not ndarray or not same_shape(tensor._array, first._array):
            return False
        if tensor._array.dtype is not first._array.dtype:
            return False
    return True
