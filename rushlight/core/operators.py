"""What happens when an operator is called: it computes on arrays, wraps the result, and has the call recorded.

Each way to call an operator (`unary`, `binary`, `call`, an entry on bare arrays) tests whether interpreters are active;
after them, or if there are none, the call goes its usual way.
"""

from functools import partial

import numpy as np

from rushlight.core.above import ABOVE
from rushlight.core.arrays import as_array
from rushlight.core.batched import Batched
from rushlight.core.batching import adjust as adjust_batched
from rushlight.core.batching import compute as compute_batched
from rushlight.core.codes import ALWAYS, ANY, BARE, DISORDER, HALF, LAST_OF_NUMPY, ONE, OPERANDS, RESULT, TWO
from rushlight.core.entries import Entry
from rushlight.core.formulas import evaluate
from rushlight.core.graph import TensorBase, blank
from rushlight.core.interpreters import STACK
from rushlight.core.kinds import kind_of
from rushlight.core.placing import NUMBERS, join, place
from rushlight.core.recording import (
    adjust,
    connect,
    connected,
    look,
    mark,
    needed,
    record_pair,
    recorder,
    requires_grad,
    same_shape,
    save,
    save_pair,
    start,
)
from rushlight.core.rows import lies_as_elementwise
from rushlight.core.turned import Turned

ndarray = np.ndarray
generic = np.generic
SCALARS = frozenset(np.sctypeDict.values())  # looked up by type: isinstance is slow where it is false
dtype_type = np.dtype
FLOAT32 = np.dtype(np.float32)
FLOAT64 = np.dtype(np.float64)
NARROW_TYPE = WIDEN = NARROWED = None  # set by `use_narrowing`
RESOLVED = None  # set by `use_resolving`


class Operator(Entry):
    """An operator that can be called."""

    def __call__(self, *args):
        """Calls the operator: on tensors the call is recorded, on bare arrays it only computes."""
        for arg in args:
            if isinstance(arg, TensorBase):
                return call(self, args)
            if type(arg) is tuple or type(arg) is list:
                for item in arg:
                    if isinstance(item, TensorBase):
                        return call(self, args)
        return interpreted(BARE, self, args) if STACK.depth else usual_bare(self, args)


def usual_bare(op, args):
    """Computes with bare arrays; NumPy's scalars, such as sums of all elements, become arrays as well."""
    for arg in args:
        if type(arg) is not ndarray and isinstance(arg, generic):
            args = tuple([as_array(arg) if isinstance(arg, generic) else arg for arg in args])
            break
    result = on_arrays(op, args)
    if op.laying == DISORDER and type(result) is ndarray and not in_order(result) and is_contiguous(result):
        return result.reshape(-1).reshape(result.shape)  # with the strides of a new array
    return result


def unary(op, a):
    """Calls an elementwise operator of one tensor."""
    return interpreted(ONE, op, (a,)) if STACK.depth else usual_unary(op, a)


def usual_unary(op, a):
    """`unary` without interpreters."""
    x = a._array
    if type(x) is not ndarray:
        return elementwise(op, (a,))
    plain = is_float(x)
    try:
        result = evaluate(op.compute, x, None, None, None) if plain else on_arrays(op, (promoted(op, a),))
    except MemoryError as error:
        raise explained(error, (x,)) from None
    if type(result) is not ndarray:
        result = as_array(result)
    out = blank()
    out._array = result
    if not in_order(x):
        lay(op, (a,), out)
        result = out._array
    modes = recorder() if requires_grad(a) and op.differentiable else None
    if modes is not None:
        node = start(op, 1)
        save_pair(node, a, None, result, out)
        node.arity = 1
        node.edge0 = a if a._node is None else a._node
        node.number0 = a._index
        if not plain:
            adjust(node, op, (a,), result)
        node.unsettled = out._unsettled
        out._node = node
        out._needs = True
        if modes.special:
            mark(node, modes)
    return out


def binary(op, a, b):
    """Calls an elementwise operator of two tensors, or a tensor and a number. NotImplemented for anything else."""
    return interpreted(TWO, op, (a, b)) if STACK.depth else usual_binary(op, a, b)


def usual_binary(op, a, b):
    """`binary` without interpreters."""
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
    if not plain and not (needs_none(op, x) and type(y) is ndarray and same_dtype(x, y)):
        prepared = op.promote(a, b)
        if prepared is NotImplemented:
            return NotImplemented
        x, y = prepared
    try:
        result = evaluate(op.compute, x, y, None, None) if plain else on_arrays(op, (x, y))
    except Exception as error:
        raise explained(error, (x, y)) from None
    if type(result) is not ndarray:
        result = as_array(result)
    out = blank()
    out._array = result
    if not (in_order(x) and in_order(y)):
        lay(op, (a, b), out)
        result = out._array
    if requires_grad(a):
        needs += 1
    modes = recorder() if needs and op.differentiable else None
    if modes is not None:
        record_pair(op, a, b, needs, out, modes)
        if not plain or not same_shape(x, result) or (needs & 2 and not same_shape(y, result)):
            adjust(out._node, op, (a, b), result)
    return out


def plain_product(a, b):
    """The dimensions of `b` if `a @ b` is a product of a matrix with a matching vector or matrix; else 0."""
    x = a._array
    y = b._array
    if STACK.depth or type(x) is not ndarray or type(y) is not ndarray or not same_dtype(x, y) or not is_float(x):
        return 0
    first = x
    second = y
    if first.ndim != 2 or second.ndim == 0 or second.ndim > 2 or first.shape[1] != second.shape[0]:
        return 0
    return second.ndim


def pair(op, a, b):
    """Calls an operator of two tensors that need no promotion, broadcasting or batching."""
    out = blank()
    out._array = op.forward(a._array, b._array)
    if not in_order(out._array):
        lay(op, (a, b), out)
    needs = (1 if requires_grad(a) else 0) + (2 if requires_grad(b) else 0)
    modes = recorder() if needs else None
    if modes is not None:
        record_pair(op, a, b, needs, out, modes)
    return out


def call(op, args):
    """Calls any operator, with all of its arguments in positional order."""
    for arg in args:
        if is_scalar(arg):
            args = with_python_numbers(op, args)
            break
    return interpreted(ANY, op, args) if STACK.depth else usual_call(op, args)


def is_scalar(arg):
    """Whether an argument is one of NumPy's scalars."""
    if arg is None or type(arg) is int or type(arg) is bool or type(arg) is float or type(arg) is tuple:
        return False
    return not isinstance(arg, TensorBase) and type(arg) in SCALARS


def with_python_numbers(op, args):
    """The arguments with Python's numbers in place of NumPy's, which would promote arrays; operands stay arrays."""
    return tuple([arg.item() if i not in op.operands and is_scalar(arg) else arg for i, arg in enumerate(args)])


def usual_call(op, args):
    """`call` without interpreters."""
    if op.view:
        ready_for_view(op, args[0])
    arrays = [unwrap(arg) for arg in args]
    if op.promote is not None and not are_kept(op, arrays):
        if any_turned(arrays):
            return call(op, RESOLVED(args))
        promoted = op.promote(*[args[i] for i in op.operands])
        for position, array in zip(op.operands, promoted if len(op.operands) > 1 else (promoted,)):
            arrays[position] = array
    return finish(op, args, arrays)


def needs_none(op, array):
    """Whether an operator computes arrays of this dtype without promotion, if all operands have it."""
    return array.dtype.kind in op.kept


def promoted(op, a):
    """The array that an operator of one tensor computes with, after promotion."""
    return a._array if needs_none(op, a._array) else op.promote(a)


def are_kept(op, arrays):
    """Whether the operands of a call need no promotion: NumPy's arrays, all of one dtype."""
    first = None
    for position in op.operands:
        array = arrays[position]
        if array is None:
            continue
        if type(array) is not ndarray:
            return False
        if first is None:
            first = array
        elif not same_dtype(first, array):
            return False
    return first is not None and needs_none(op, first)


def elementwise(op, args):
    """Calls an elementwise operator of one or two operands by the general way."""
    if any_turned([unwrap(arg) for arg in args]):
        return elementwise(op, RESOLVED(args))
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
    """Calls an operator whose arrays are already promoted."""
    batched, turned = on_batch(arrays), None
    if batched and any_turned(arrays):
        if not op.view:
            return call(op, RESOLVED(args))
        turned, arrays[0], batched = arrays[0], arrays[0].memory, False
    narrow = narrow_type(op, arrays)
    if narrow is not None:
        arrays = WIDEN(arrays)
    try:
        result = compute_batched(op, arrays) if batched else computed(op, arrays)
    except Exception as error:
        if op.broadcasts or isinstance(error, MemoryError):
            raise explained(error, arrays) from None
        if op.view and args[0]._unsettled:  # its layout has no such view
            args[0]._settled()
            return call(op, args)
        raise
    if narrow is not None:
        result = NARROWED(result, narrow)
    if turned is not None:
        result = turned.alike(result)
    needs = needed(op, args)
    modes = recorder() if needs else None
    if type(result) is tuple or type(result) is list:
        return several(op, args, arrays, tuple(result), needs, modes, batched)
    if type(result) is Batched:
        batched = True
    elif type(result) is not ndarray:
        result = as_array(result)
    out = blank()
    out._array = result
    if op.view:
        look(out, args[0], False)
        if args[0]._unsettled:
            join(out, args[0])
    elif op.laying and not batched and needs_place(result, lies_by_operands(op, arrays)):
        lay(op, args, out)
        result = out._array
    if modes is not None:
        node = start(op, connected(op, args, needs))
        node.unsettled = out._unsettled
        save(node, args, (result,), out)
        connect(node, op, args)
        if batched:
            adjust_batched(node, op, args, result)
        else:
            adjust(node, op, args, result)
        out._node = node
        out._needs = True
        if modes.special:
            mark(node, modes)
    return out


def ready_for_view(op, tensor):
    """Settles a tensor before a view is made, unless the view only has another shape; an empty one gets strides."""
    if tensor._unsettled and op.layout != "reshaped":
        tensor._settled()
    if type(tensor._array) is ndarray:
        array = tensor._array
        for i in range(array.ndim):
            if array.shape[i] == 0:
                ABOVE.stretch(tensor)
                return


def on_arrays(op, arrays):
    """What an operator computes on arrays by its function, also on batched ones and on narrow types."""
    narrow = narrow_type(op, arrays)
    if narrow is not None:
        arrays = WIDEN(arrays)
    result = compute_batched(op, arrays) if on_batch(arrays) else computed(op, arrays)
    return result if narrow is None else NARROWED(result, narrow)


def narrow_type(op, arrays):
    """The narrow type that a result is rounded to, or None; `narrow` decides where an argument may be of one."""
    if NARROW_TYPE is not None:
        for array in arrays:
            if may_be_narrow(array):
                return NARROW_TYPE(op, arrays)
    return None


def may_be_narrow(arg):
    """Whether an argument, or an item of a list, may be of a narrow type."""
    if type(arg) is ndarray:
        return not is_float(arg) and (number_of(arg) > LAST_OF_NUMPY or number_of(arg) == HALF)
    if arg is None or type(arg) is int or type(arg) is float or type(arg) is bool:
        return False
    if type(arg) is tuple or type(arg) is list:
        for item in arg:
            if may_be_narrow(item):
                return True
        return False
    if type(arg) is Batched:
        return may_be_narrow(arg.array)
    return isinstance(arg, dtype_type) and arg.num > LAST_OF_NUMPY


def number_of(a):
    """NumPy's type number of an array."""
    array = a
    return array.dtype.num


def computed(op, arrays):
    """What an operator computes; an elementwise one computes by its formula."""
    n = len(arrays)
    if op.compute is None or n > 4 or type(arrays[0]) is not ndarray:
        return op.forward(*arrays)
    return evaluate(
        op.compute, arrays[0], arrays[1] if n > 1 else None, arrays[2] if n > 2 else None, arrays[3] if n > 3 else None
    )


def explained(error, arrays):
    """The error to raise for a failed computation: NumPy's error in PyTorch's words."""
    return ABOVE.translated(error, arrays)


def on_batch(args):
    """Whether an array among the arguments, or in a list of them, is batched or lazily conjugated."""
    for arg in args:
        if type(arg) is Batched or type(arg) is Turned:
            return True
        if type(arg) is tuple or type(arg) is list:
            for item in arg:
                if type(item) is Batched or type(item) is Turned:
                    return True
    return False


def any_turned(arrays):
    """Whether an array, or one in a list of arrays, is lazily conjugated or negated."""
    for array in arrays:
        if type(array) is Turned:
            return True
        if type(array) is tuple or type(array) is list:
            for item in array:
                if type(item) is Turned:
                    return True
    return False


def use_resolving(resolved):
    """Sets the function that replaces lazily conjugated arrays of tensors by ordinary ones."""
    global RESOLVED
    RESOLVED = resolved


def use_narrowing(narrow_type, widen, narrowed):
    """Sets how to compute with narrow types: which type is meant, and the conversions to float32 and back."""
    global NARROW_TYPE, WIDEN, NARROWED
    NARROW_TYPE, WIDEN, NARROWED = narrow_type, widen, narrowed


def several(op, args, arrays, results, needs, modes, batched):
    """Wraps and records the outputs of an operator that has several."""
    results = tuple([r if type(r) is ndarray or type(r) is Batched else as_array(r) for r in results])
    placing = op.laying and not batched
    by_operands = placing and lies_by_operands(op, arrays)
    outs = []
    for result in results:
        out = blank()
        out._array = result
        if op.view:
            look(out, args[0], True)
        elif placing and needs_place(result, by_operands):
            lay(op, args, out)
        outs.append(out)
    if modes is None:
        return tuple(outs)
    results = tuple([out._array for out in outs])
    live = [i for i, r in enumerate(results) if i not in op.nondifferentiable and kind_of(r.dtype) in "fc"]
    if live:
        node = start(op, connected(op, args, needs))
        saved = [n for kind, n in zip(node.plan.kinds, node.plan.sources) if kind == RESULT] or live
        save(node, args, results, outs[saved[0]])
        connect(node, op, args)
        if batched:
            adjust_batched(node, op, args, results[live[0]])
        else:
            adjust(node, op, args, results[live[0]])
        node.unsettled = True in [out._unsettled for out in outs]
        node.outputs = [None] * (live[-1] + 1)  # outputs after the last one that requires grad are left out
        for i in live:
            node.outputs[i] = (results[i].shape, results[i].dtype)
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


def interpreted(way, op, args):
    """Calls an operator through the active interpreters."""
    onlooker = STACK.onlooker
    if onlooker is not None:
        result = usual(way, op, args)
        if result is not NotImplemented:
            onlooker.saw(op, args, result)
        return result
    return descend(tuple(STACK.interpreters), way, op, args)


def descend(interpreters, way, op, args):
    """Gives a call to the innermost interpreter that is concerned; if there is none the call goes the usual way."""
    for depth in range(len(interpreters) - 1, -1, -1):
        if interpreters[depth].concerns(op, args):
            return interpreters[depth].call(op, args, partial(descend, interpreters[:depth], way))
    return usual(way, op, args)


def usual(way, op, args):
    """Calls an operator the usual way."""
    if way == ONE:
        return usual_unary(op, args[0])
    if way == TWO:
        return usual_binary(op, args[0], args[1])
    return usual_call(op, args) if way == ANY else usual_bare(op, args)


def unwrap(arg):
    """The array of a tensor; a list of tensors becomes a list of arrays; other values are returned as they are."""
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


def in_order(a):
    """Whether an array has the strides of a new one, also along dimensions of size 1; a number counts as in order."""
    if type(a) is not ndarray:
        return True
    array = a
    if not array.flags.c_contiguous:
        return False
    for d in range(array.ndim):
        if array.shape[d] < 2:
            return has_new_strides(array)
    return True


def has_new_strides(array):
    """Whether a contiguous array with dimensions of size 1 or 0 has the strides of a new one."""
    step = array.dtype.itemsize
    for d in range(array.ndim - 1, -1, -1):
        if array.strides[d] != step:
            return new_and_empty(array)
        step *= array.shape[d] if array.shape[d] else 1
    return True


def is_contiguous(array):
    """Whether an array is contiguous, whatever the strides of dimensions of size 1."""
    return array.flags.c_contiguous


def new_and_empty(array):
    """Whether an array has no elements and strides of 0, which NumPy gives to a new one."""
    empty = False
    for d in range(array.ndim):
        if array.strides[d]:
            return False
        empty = empty or array.shape[d] == 0
    return empty


def lay(op, args, out):
    """Fixes the layout of a result: at once if all operands are in order, else by the operator's layout rule."""
    result = out._array
    if op.laying == ALWAYS or not result.flags.writeable or new_and_empty(result):
        place(op, args, out)
        return
    if result.ndim == 0:
        return
    for arg in args:
        if type(arg) is tuple or type(arg) is list or disordered(arg):
            if not lies_by_rule(op, args, result):
                place(op, args, out)
            return
    if not result.flags.c_contiguous:
        out._unsettled = True
    elif not in_order(result):
        out._array = result.reshape(-1).reshape(out._array.shape)  # with the strides of a new array


def lies_by_rule(op, args, result):
    """Whether a quick look shows that a result lies as its operator's rule says."""
    if op.layout == "elementwise":
        return lies_as_elementwise(operands_among(op, args), result)
    if op.layout != "like first" and op.layout != "with gaps":
        return op.layout == "kept" and in_order(result)
    first = args[0]
    return not first._unsettled and lies_alike(first._array, result)


def lies_alike(array, result):
    """Whether a result has the shape and the strides of an array that is contiguous, in this or the reverse order."""
    if not (array.flags.c_contiguous or array.flags.f_contiguous) or array.ndim != result.ndim:
        return False
    own = array.dtype.itemsize
    size = result.dtype.itemsize
    for d in range(array.ndim):
        if array.shape[d] != result.shape[d] or array.strides[d] * size != result.strides[d] * own:
            return False
    return True


def operands_among(op, args):
    """The arrays of the tensors among some arguments, None for an unsettled one; and the numbers among the operands."""
    found = []
    for arg in args:
        if isinstance(arg, TensorBase):
            tensor = arg
            found.append(None if tensor._unsettled else tensor._array)
    for i in op.operands:
        if not isinstance(args[i], TensorBase) and isinstance(args[i], NUMBERS):
            found.append(args[i])
    return found


def disordered(arg):
    """Whether an argument is a tensor that does not lie as a new one."""
    if isinstance(arg, TensorBase):
        tensor = arg
        return not tensor._unsettled and not in_order(tensor._array)
    return False


def needs_place(result, by_operands):
    """Whether a result's layout may differ from PyTorch's: it does not lie as a new one, or its operands decide."""
    return type(result) is ndarray and (by_operands or not in_order(result) or new_and_empty(result))


def lies_by_operands(op, arrays):
    """Whether the layout of even a contiguous result may differ from PyTorch's, because an operand's is another."""
    if op.laying == OPERANDS:
        for array in arrays:
            if type(array) is tuple or type(array) is list:
                for item in array:
                    if not in_order(item):
                        return True
            elif not in_order(array):
                return True
    return op.laying == ALWAYS


def same_dtype(a, b):
    """Whether two arrays have exactly the same dtype."""
    x = a
    y = b
    return x.dtype is y.dtype
