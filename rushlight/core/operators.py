"""Operators, and what happens when one is called: compute on arrays, wrap the result, record a node."""

from inspect import signature

import numpy as np

from rushlight.core.batched import Batched
from rushlight.core.context import next_number, value_of
from rushlight.core.formulas import Formula, evaluate
from rushlight.core.graph import Node, Plan, TensorBase, VersionCounter, View, blank
from rushlight.core.modes import CURRENT, observer

ndarray = np.ndarray
FLOAT32 = np.dtype(np.float32)
FLOAT64 = np.dtype(np.float64)
RESHAPE, CAST, CONJUGATE = 1, 2, 4  # the numbers of `graph`, here so that they compile to constants
ARGUMENT, ARGUMENTS, RESULT, SHAPE, SHAPES = 0, 1, 2, 3, 4
DEFAULT, MULTI, UNRECORDED = 0, 1, 2
UNUSUAL = 0  # levels of forward mode that are entered, and profilers at work: what calls have to look out for
COMPUTE = ADJUST = None  # see `use_batching`
LEVELS = 0  # those of forward mode alone
USUAL = object()  # says that a call takes the usual way


class Operator:
    """One entry of the table of operators.

    `forward` computes on arrays; `params` names its arguments. `formulas` gives, by input name, the cotangent of that
    input, as a function whose parameters name what it needs: first the cotangent of the result, then arguments,
    `NAME_shape`, `result` (or `result0`, `result1`, ...). A `joint` formula gives the cotangents of all of `inputs`
    at once, and may ask for `needs`, which tells the ones that are wanted.

    `promote` brings tensors and numbers to the arrays that an elementwise operator computes with, and `broadcasts`
    tells that their shapes may differ. `lists` names the arguments that are lists of tensors; `view` says that the
    result shares the first argument's memory; `linear`, that the operator is linear in each of its inputs (as views
    are): that gives it forward mode for nothing. `nondifferentiable` numbers the outputs that never require grad.
    `batch` is the operator's rule for batched arrays, see `batching`. A formula is written as for real numbers; for
    complex ones it is applied between two conjugations (PyTorch's convention, the conjugate Wirtinger derivative)
    unless the operator is not `holomorphic`.
    """

    def __init__(
        self, name, forward, params, formulas, *, joint=None, inputs=(), promote=None, broadcasts=False, lists=(),
        node="", view=False, linear=False, holomorphic=True, nondifferentiable=(), batch=None,
    ):  # fmt: skip
        self.name = name
        self.forward = forward
        self.params = params
        self.formulas = formulas
        self.joint = joint
        self.inputs = tuple(params.index(p) for p in inputs or formulas)
        self.promote = promote
        self.broadcasts = broadcasts
        self.lists = frozenset(params.index(p) for p in lists)
        self.node_class = type(node or node_name(name), (Node,), {"__slots__": (), "__module__": "rushlight.autograd"})
        self.view = view
        self.linear = linear or view
        self.holomorphic = holomorphic
        self.nondifferentiable = frozenset(nondifferentiable)
        self.compute = Formula(forward, len(params)) if promote is not None and not lists else None
        self.batch = batch
        self.plans = {}
        self.differentiable = bool(self.inputs)

    def __call__(self, *args):
        """Calls the operator: on tensors it is recorded, on bare arrays it only computes."""
        for arg in args:
            if isinstance(arg, TensorBase):
                return call(self, args)
            if type(arg) is tuple or type(arg) is list:
                for item in arg:
                    if isinstance(item, TensorBase):
                        return call(self, args)
        if UNUSUAL:
            taken = unusually(Operator.__call__, self, args)
            if taken is not USUAL:
                return taken
        return COMPUTE(self, args) if on_batch(args) else self.forward(*args)

    def __repr__(self):
        return f"<rushlight operator {self.name}>"

    def plan(self, mask):
        """What to save when the inputs in `mask` (a bit for each) require grad."""
        plan = self.plans.get(mask)
        if plan is None:
            plan = self.plans[mask] = make_plan(self, mask)
        return plan


def node_name(name):
    """PyTorch's name for an operator's node: `LogSoftmaxBackward0` for `log_softmax`, `Log1PBackward0` for `log1p`."""
    return name.title().replace("_", "") + "Backward0"


def make_plan(op, mask):
    """Collects what the formulas of the inputs in `mask` ask for."""
    wanted = []
    plan = Plan()
    if op.joint is not None:
        names = list(signature(op.joint).parameters)[1:]
        plan.asks_needs = "needs" in names
        plan.joint = True
        plan.formulas = (op.joint,)
        plan.picks = (tuple(place(wanted, source_of(op, n)) for n in names if n != "needs"),)
    else:
        plan.formulas = tuple(op.formulas.values())
        plan.picks = tuple(
            tuple(place(wanted, source_of(op, n)) for n in list(signature(f).parameters)[1:]) if mask >> i & 1 else ()
            for i, f in enumerate(plan.formulas)
        )
    elementwise = op.compute is not None and not plan.joint
    plan.compiled = tuple(
        Formula(f, 1 + len(picks)) if elementwise else None for f, picks in zip(plan.formulas, plan.picks)
    )
    plan.kinds = tuple(kind for kind, _ in wanted)
    plan.sources = tuple(source for _, source in wanted)
    plan.saves_result = RESULT in plan.kinds
    plan.saves_tensors = (
        plan.saves_result or ARGUMENTS in plan.kinds or any(kind == ARGUMENT and n in op.inputs for kind, n in wanted)
    )
    return plan


def place(wanted, source):
    """The position of a source in the list of what is saved, where it is put when it is new."""
    if source not in wanted:
        wanted.append(source)
    return wanted.index(source)


def source_of(op, name):
    """Where a formula's parameter comes from: (kind, number of the argument or of the result)."""
    if name in op.params:
        index = op.params.index(name)
        return (ARGUMENTS if index in op.lists else ARGUMENT), index
    if name.endswith("_shape") and name[:-6] in op.params:
        index = op.params.index(name[:-6])
        return (SHAPES if index in op.lists else SHAPE), index
    if name.startswith("result"):
        return RESULT, int(name[6:] or 0)
    raise TypeError(f"the derivative of {op.name} asks for {name!r}, which is none of {', '.join(op.params)} or result")


def unary(op, a):
    """Calls an elementwise operator of one tensor."""
    if UNUSUAL:
        taken = unusually(unary, op, (a,))
        if taken is not USUAL:
            return taken
    x = a._array
    if type(x) is not ndarray:
        return elementwise(op, (a,))
    plain = is_float(x)
    if plain:
        result = evaluate(op.compute, x, None, None, None)
    else:
        result = op.forward(op.promote(a))
    if type(result) is not ndarray:
        result = np.asarray(result)
    out = blank()
    out._array = result
    modes = recorder() if requires_grad(a) and op.differentiable else None
    if modes is not None:
        node = start(op, 1)
        save_pair(node, a, None, result, out)
        node.arity = 1
        node.edge0 = a if a._node is None else a._node
        node.number0 = a._index
        if not plain:
            adjust(node, op, (a,), result)
        out._node = node
        out._needs = True
        if modes.special:
            mark(node, modes)
    return out


def binary(op, a, b):
    """Calls an elementwise operator of two tensors, or of a tensor and a number. NotImplemented for anything else."""
    if UNUSUAL:
        taken = unusually(binary, op, (a, b))
        if taken is not USUAL:
            return taken
    x = a._array
    if type(x) is not ndarray:
        return elementwise(op, (a, b))
    plain = is_float(x)
    needs = 0
    if isinstance(b, TensorBase):
        other = b
        y = other._array
        if type(y) is not ndarray:
            return elementwise(op, (a, b))
        plain = plain and same_dtype(x, y)
        if requires_grad(other):
            needs = 2
    else:
        y = b
        plain = plain and (type(b) is float or type(b) is int)
    if not plain:
        prepared = op.promote(a, b)
        if prepared is NotImplemented:
            return NotImplemented
        x, y = prepared
    try:
        result = evaluate(op.compute, x, y, None, None) if plain else op.forward(x, y)
    except ValueError as error:
        raise shape_mismatch(error, (x, y)) from None
    if type(result) is not ndarray:
        result = np.asarray(result)
    out = blank()
    out._array = result
    if requires_grad(a):
        needs += 1
    modes = recorder() if needs and op.differentiable else None
    if modes is not None:
        record_pair(op, a, b, needs, out, modes)
        if not plain or not same_shape(x, result) or (needs & 2 and not same_shape(y, result)):
            adjust(out._node, op, (a, b), result)
    return out


def plain_product(a, b):
    """The dimensions of `b` where `a @ b` is a matrix times a vector or matrix that fits; else 0."""
    x = a._array
    y = b._array
    if UNUSUAL or type(x) is not ndarray or type(y) is not ndarray or not same_dtype(x, y) or not is_float(x):
        return 0
    first = x
    second = y
    if first.ndim != 2 or second.ndim == 0 or second.ndim > 2 or first.shape[1] != second.shape[0]:
        return 0
    return second.ndim


def pair(op, a, b):
    """Calls an operator of two tensors that are neither promoted nor broadcast nor batched."""
    out = blank()
    out._array = op.forward(a._array, b._array)
    needs = (1 if requires_grad(a) else 0) + (2 if requires_grad(b) else 0)
    modes = recorder() if needs else None
    if modes is not None:
        record_pair(op, a, b, needs, out, modes)
    return out


def requires_grad(tensor):
    """Whether a tensor requires grad, as `Tensor.requires_grad` tells."""
    if tensor._view is not None:
        tensor._synchronize()
        return tensor._needs or tensor._view.base._needs
    return tensor._needs


def record_pair(op, a, b, needs, out, modes):
    """Records a call of an operator of two operands; `b` may be a number."""
    node = start(op, needs)
    save_pair(node, a, b, out._array, out)
    node.arity = 2
    if needs & 1:
        node.edge0 = a if a._node is None else a._node
        node.number0 = a._index
    if needs & 2:
        other = b
        node.edge1 = other if other._node is None else other._node
        node.number1 = other._index
    out._node = node
    out._needs = True
    if modes.special:
        mark(node, modes)


def call(op, args):
    """Calls any operator, with all of its arguments in their places."""
    if UNUSUAL:
        taken = unusually(call, op, args)
        if taken is not USUAL:
            return taken
    arrays = [unwrap(arg) for arg in args]
    if op.promote is not None:
        promoted = op.promote(*[args[i] for i in op.inputs])
        for position, array in zip(op.inputs, promoted if len(op.inputs) > 1 else (promoted,)):
            arrays[position] = array
    return finish(op, args, arrays)


def elementwise(op, args):
    """Calls an elementwise operator of one or two operands in the general way."""
    arrays = of_one_dtype(args)
    if arrays is None:
        arrays = op.promote(*args)
        if arrays is NotImplemented:
            return NotImplemented
        arrays = list(arrays) if len(args) > 1 else [arrays]
    return finish(op, args, arrays)


def of_one_dtype(args):
    """The arrays of one or two operands that need no promotion: floats of one dtype, and numbers; else None."""
    x = args[0]._array
    dtype = x.dtype
    if dtype is not FLOAT32 and dtype is not FLOAT64:
        return None
    if len(args) == 1:
        return [x]
    other = args[1]
    if isinstance(other, TensorBase):
        y = other._array
        return [x, y] if y.dtype is dtype else None
    return [x, other] if type(other) is float or type(other) is int else None


def finish(op, args, arrays):
    """Calls an operator of which the arrays to compute with are known."""
    batched = on_batch(arrays)
    try:
        result = COMPUTE(op, arrays) if batched else computed(op, arrays)
    except ValueError as error:
        if op.broadcasts:
            raise shape_mismatch(error, arrays) from None
        raise
    needs = needed(op, args)
    modes = recorder() if needs else None
    if type(result) is tuple or type(result) is list:
        return several(op, args, tuple(result), needs, modes, batched)
    if type(result) is Batched:
        batched = True
    elif type(result) is not ndarray:
        result = np.asarray(result)
    out = blank()
    out._array = result
    if op.view:
        look(out, args[0], False)
    if modes is not None:
        node = start(op, needs)
        save(node, args, (result,), out)
        connect(node, op, args)
        if batched:
            ADJUST(node, op, args, result)
        else:
            adjust(node, op, args, result)
        out._node = node
        out._needs = True
        if modes.special:
            mark(node, modes)
    return out


def computed(op, arrays):
    """What an operator computes: an elementwise one as a formula."""
    n = len(arrays)
    if op.compute is None or n > 4 or type(arrays[0]) is not ndarray:
        return op.forward(*arrays)
    return evaluate(
        op.compute, arrays[0], arrays[1] if n > 1 else None, arrays[2] if n > 2 else None, arrays[3] if n > 3 else None
    )


def shape_mismatch(error, arrays):
    """The error to raise for a ValueError of NumPy's: PyTorch's words where shapes do not broadcast."""
    from rushlight.core.errors import sizes_differ

    return sizes_differ(error, [array.shape for array in arrays if isinstance(array, (ndarray, Batched))])


def on_batch(args):
    """Whether an array among the arguments, or in a list among them, is batched."""
    for arg in args:
        if type(arg) is Batched:
            return True
        if type(arg) is tuple or type(arg) is list:
            for item in arg:
                if type(item) is Batched:
                    return True
    return False


def use_batching(compute, adjust):
    """Tells the operators how to compute with batched arrays, and what to note of such a call."""
    global COMPUTE, ADJUST
    COMPUTE, ADJUST = compute, adjust


def several(op, args, results, needs, modes, batched):
    """Wraps and records the outputs of an operator that has several."""
    results = tuple([r if type(r) is ndarray or type(r) is Batched else np.asarray(r) for r in results])
    outs = []
    for result in results:
        out = blank()
        out._array = result
        if op.view:
            look(out, args[0], True)
        outs.append(out)
    if modes is None:
        return tuple(outs)
    live = [i for i, r in enumerate(results) if i not in op.nondifferentiable and r.dtype.kind in "fc"]
    if live:
        node = start(op, needs)
        saved = [n for kind, n in zip(node.plan.kinds, node.plan.sources) if kind == RESULT] or live
        save(node, args, results, outs[saved[0]])
        connect(node, op, args)
        if batched:
            ADJUST(node, op, args, results[live[0]])
        else:
            adjust(node, op, args, results[live[0]])
        node.outputs = [(r.shape, r.dtype) if i in live else None for i, r in enumerate(results)]
        if node.plan.saves_result:
            for i in saved:
                outs[i]._counter = outs[saved[0]]._counter
        for i in live:
            outs[i]._node = node
            outs[i]._index = i
            outs[i]._needs = True
        if modes.special:
            mark(node, modes)
    return tuple(outs)


def look(out, source, several):
    """Makes `out` a view of `source`: shared versions, the same base. `several`: it is one of many results."""
    parent = source._view
    view = View.__new__(View)
    if parent is None:
        view.base = source
        view.origin = DEFAULT
    else:
        view.base = parent.base
        view.origin = parent.origin
    if not recording():
        view.origin = UNRECORDED
    elif several:
        view.origin = MULTI
    out._inference = source._inference
    out._counter = source._versions()
    view.version = out._counter.value
    out._view = view


def count_levels(step):
    """Counts the levels of forward mode that are entered, so that nobody looks for tangents while there is none."""
    global LEVELS
    LEVELS += step
    count_unusual(step)


def count_unusual(step):
    """Counts what calls have to look out for."""
    global UNUSUAL
    UNUSUAL += step


def unusual():
    """Whether there is anything to look out for."""
    return UNUSUAL > 0


def unusually(caller, op, args):
    """The result of a call that a profiler looks at or that has tangents to pass on; USUAL for any other."""
    profiler = observer()
    if profiler is not None:
        taken = profiler.observe(caller, op, args)
        if taken is not USUAL:
            return taken
    return push_forward(caller, op, args) if LEVELS and carries_tangents(args) else USUAL


def levels():
    """How many levels of forward mode are entered."""
    return LEVELS


def is_dual(tensor):
    """Whether a tensor has tangents: a view those of its base as it is now."""
    if tensor._view is not None:
        tensor._synchronize()
    return tensor._tangents is not None


def carries_tangents(args):
    """Whether a tensor among the arguments, or in a list among them, has a tangent."""
    for arg in args:
        for item in arg if isinstance(arg, (tuple, list)) else (arg,):
            if isinstance(item, TensorBase) and is_dual(item):
                return True
    return False


def push_forward(caller, op, args):
    """Calls an operator on tensors with tangents."""
    from rushlight.core.forward import push_forward

    return push_forward(caller, op, args)


def recording():
    """Whether operations on tensors that require grad are recorded here and now."""
    modes = value_of(CURRENT)
    return modes.grad


def recorder():
    """The modes of this context where it records operations, else None."""
    modes = value_of(CURRENT)
    return modes if modes.grad else None


def mark(node, modes):
    """Does to a new node what the special modes ask for."""
    from rushlight.core.anomaly import remember_origin
    from rushlight.core.saved import pack_saved

    if modes.packing is not None:
        pack_saved(node, modes.packing)
    if modes.anomaly:
        remember_origin(node)


def start(op, mask):
    """A node for a call of `op`, numbered; `mask` has a bit for each input that requires grad."""
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
    """Notes the version of an output that its own node saves."""
    counter = out._counter
    if counter is None:
        counter = VersionCounter()
        out._counter = counter
    node.result_counter = counter
    node.result_version = counter.value


def fetch(plan, k, value):
    """What is kept of an argument for the k-th saved value."""
    kind = plan.kinds[k]
    if kind == ARGUMENT:
        return value
    if kind == ARGUMENTS:
        return tuple([(tensor, tensor._version) for tensor in value])
    if kind == SHAPES:
        return tuple([tensor._array.shape for tensor in value])
    return value._array.shape if isinstance(value, TensorBase) else np.shape(value)


def version(value):
    """The version that a saved value has now; 0 for what has none."""
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
    """The inputs that require grad, a bit for each; all of a list of tensors together."""
    needs = 0
    for i in range(len(op.inputs)):
        position = op.inputs[i]
        value = args[position]
        if isinstance(value, TensorBase):
            if requires_grad(value):
                needs |= 1 << i
        elif position in op.lists:
            for item in value:
                if item.requires_grad:
                    needs |= 1 << i
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
    """Gives a node its edges in the general way: also one for each tensor of a list of them."""
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
    """Notes what must be done to the cotangents of inputs whose shape or dtype the call changed."""
    dtype = result.dtype
    flags = CONJUGATE if op.holomorphic and dtype.kind == "c" else 0
    for position in op.inputs:
        value = args[position]
        for item in value if position in op.lists else (value,):
            if isinstance(item, TensorBase):
                tensor = item
                if tensor._array.dtype is not dtype:
                    flags |= CAST  # for the others too: their formulas may make use of this one
                if op.broadcasts and tensor._needs and not same_shape(tensor._array, result):
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


def requiring(value):
    """A tensor that requires grad: the cotangent goes to its node, or to a leaf itself; None for anything else."""
    if isinstance(value, TensorBase):
        tensor = value
        if tensor._needs:
            return tensor
    return None


def unwrap(arg):
    """The bare array of a tensor; lists of tensors become lists of arrays; all else as it is."""
    if isinstance(arg, TensorBase):
        tensor = arg
        return tensor._array
    if type(arg) is tuple or type(arg) is list:
        return type(arg)([item._array if isinstance(item, TensorBase) else item for item in arg])
    return arg


def is_float(a):
    """Whether an array is of float32 or float64, which need no promotion among themselves."""
    array = a
    dtype = array.dtype
    return dtype is FLOAT32 or dtype is FLOAT64


def same_dtype(a, b):
    """Whether two arrays have the very same dtype."""
    x = a
    y = b
    return x.dtype is y.dtype


def same_shape(a, b):
    """Whether two arrays have the same shape; a Python number has that of anything."""
    if type(a) is not ndarray:
        return True
    x = a
    y = b
    if x.ndim != y.ndim:
        return False
    for i in range(x.ndim):  # one by one: `shape` would build two tuples
        if x.shape[i] != y.shape[i]:
            return False
    return True


# The same tensor again, as a result: it stands for a leaf where a place in the graph of its own is needed.
LINK = Operator(
    "alias", lambda input: input, ("input",), {"input": lambda grad: grad}, linear=True, node="AliasBackward0"
)
