"""In-place changes: which ones are allowed, and how the graph is rewritten so that gradients stay right.

An in-place operation computes the out-of-place one, whose result then replaces the tensor in memory and in the graph.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from weakref import ref

import numpy as np

from rushlight.core.above import ABOVE, above
from rushlight.core.aliases import Array
from rushlight.core.batched import Batched
from rushlight.core.batching import leading, write_examples
from rushlight.core.codes import BATCHED, DEFAULT
from rushlight.core.context import last_number, next_number
from rushlight.core.errors import changed_view, larger_result, lower_result, sizes_differ
from rushlight.core.formulas import evaluate_into
from rushlight.core.forward import copies, renew_tangents, take_tangents
from rushlight.core.graph import Node, TensorBase, VersionCounter, new_tensor
from rushlight.core.hooks import keep_retained
from rushlight.core.interpreters import STACK, levels, noted, observer, taker, writer
from rushlight.core.kinds import is_half, kind_of
from rushlight.core.link import resolved
from rushlight.core.operators import Operator, binary
from rushlight.core.recording import recording
from rushlight.core.windows import PUT_BACK, READ, REPLACE, Window
from rushlight.core.writing import check_memory, check_reading, found_after_overlap, repeats, shares
from rushlight.dtypes import arithmetic
from rushlight.kernels.parts import assign

COPY = Operator(
    "copy",
    lambda old, new: np.array(new),
    ("old", "new"),
    {"old": lambda grad: np.zeros_like(grad), "new": lambda grad: grad},
    node="CopyBackwards",
    holomorphic=False,
    additive=True,
    batch=leading,
    layout="as computed",
)

ndarray = np.ndarray
FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
ORDER = frozenset([np.less, np.less_equal, np.greater, np.greater_equal])


def check_history(tensor: TensorBase, recorded: bool) -> None:
    """Raises for a leaf that requires grad, a view of one, and a view whose history cannot be rewritten."""
    view = tensor._view
    if not recorded:
        return
    if view is not None:
        if view.origin != DEFAULT:
            raise changed_view(tensor, "is being")
        if tensor.requires_grad and view.base._node is None:
            raise RuntimeError(
                "a view of a leaf Variable that requires grad is being used in an in-place operation. Change it inside "
                "`with torch.no_grad():`, or change a copy (x.clone())."
            )
    if tensor.requires_grad and tensor._node is None:
        raise RuntimeError(
            "a leaf Variable that requires grad is being used in an in-place operation. Change it inside "
            "`with torch.no_grad():` (as optimizers do), or change a copy (x.clone())."
        )


def change(tensor: TensorBase, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Calls `function(tensor, ...)` and makes the tensor the result."""
    try:
        if STACK.depth:
            make = change_dual if levels() else changed
            return watched(partial(make, tensor, function, args, kwargs), function, tensor, args)
        return changed(tensor, function, args, kwargs)
    except RuntimeError as error:
        if found_after_overlap(error):
            check_reading(tensor, function, args)
        raise


def changed(tensor: TensorBase, function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """`change` without interpreters."""
    if not recording():
        result = function(tensor, *args, **kwargs)
        check_reading(tensor, function, args)
        write(tensor, result._array)
        return tensor
    check_history(tensor, tensor.requires_grad)
    old = resolved(stand_in(tensor))
    number = next_number()
    result = function(old, *args, **kwargs)
    recorded = old._needs or result._needs
    check_history(tensor, recorded)
    check_reading(tensor, function, args)
    if not recorded:
        write(tensor, result._array)
        return tensor
    single = is_single(result, old, number)
    if not single or result._node.saves(old):
        keep(old)
    if not single and (tensor._view is not None or not result._needs):
        result = COPY(old, result)
    write(tensor, result._array)
    take_over(tensor, result)
    return tensor


def change_dual(tensor: TensorBase, function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """`change` in forward mode: old values that tangents refer to are copied first."""
    recorded = recording()
    old = stand_in(tensor)
    number = next_number()
    keep(old)
    old._tangents = copies(old._tangents)
    result = function(old, *args, **kwargs)
    recorded = recorded and (old._needs or result._needs)
    check_history(tensor, recorded)
    check_reading(tensor, function, args)
    if recorded and not is_single(result, old, number) and (tensor._view is not None or not result._needs):
        result = COPY(old, result)
    write(tensor, result._array)
    take_tangents(tensor, result)
    if recorded:
        take_over(tensor, result)
    return tensor


def changed_at_once(tensor: TensorBase, function: Callable[..., bool], *args: Any) -> bool:
    """Has `function` write directly into a tensor's array; returns whether it did: not if the change is recorded."""
    if STACK.depth or not is_ordinary(tensor) or (recording() and tensor.requires_grad):
        return False
    check_memory(tensor, ())
    if not function(tensor._array, *args):
        return False
    tensor._bump()
    return True


def computed_over(op: Operator, tensor: TensorBase, operands: tuple[Any, ...]) -> bool:
    """Has the formula of an elementwise operator write over a float tensor, its first operand; returns whether it did.

    `operands` are the others. It does not if the change is recorded, or an operand needs promotion.
    """
    array = tensor._array
    if STACK.depth or type(array) is not ndarray or not (array.dtype is FLOAT32 or array.dtype is FLOAT64):
        return False
    recorded = recording()
    if recorded and tensor.requires_grad:
        return False
    arrays = []
    for operand in operands:
        if isinstance(operand, TensorBase):
            if operand._array.dtype is not array.dtype or (recorded and operand.requires_grad):
                return False
            operand = operand._array
        arrays.append(operand)
    check_memory(tensor, operands)
    if not evaluate_into(op.compute, array, *arrays):
        return False
    tensor._bump()
    return True


def written_at_once(out: TensorBase, result: TensorBase, inputs: tuple[Any, ...]) -> bool:
    """Writes a result into a tensor of its shape and dtype that shares no memory with inputs; returns whether it did.

    It does not if anything is recorded or watched, and leaves all errors to others.
    """
    array, made = out._array, result._array
    if STACK.depth or type(array) is not ndarray or type(made) is not ndarray or made.dtype is not array.dtype:
        return False
    recorded = recording()
    if made.shape != array.shape or out._inference or repeats(array) or (recorded and out.requires_grad):
        return False
    for value in inputs:
        if type(value) is list or type(value) is tuple:
            return False
        if isinstance(value, TensorBase) and ((recorded and value.requires_grad) or shares(out, value)):
            return False
    array[...] = made
    out._bump()
    return True


def change_binary(op: Any, tensor: TensorBase, other: Any) -> Any:
    """`change` for an elementwise operator of two operands; uses no temporary where nothing is recorded."""
    if STACK.depth:
        return watched(partial(changed_binary, op, tensor, other), op, tensor, (other,))
    return changed_binary(op, tensor, other)


def changed_binary(op: Any, tensor: TensorBase, other: Any) -> Any:
    """`change_binary` without profilers."""
    if computed_over(op, tensor, (other,)):
        return tensor
    plain = is_plain(op, tensor, other) and not levels() and writer() is None
    if not plain or (recording() and (tensor.requires_grad or needs(other))):
        try:
            return change(tensor, partial(binary, op), other)
        except NotImplementedError:
            check_first(op.forward, tensor, other)
            raise
    check_memory(tensor, (other,))
    array = tensor._array
    try:
        op.forward(array, other._array if isinstance(other, TensorBase) else other, out=array)
    except ValueError:
        return change(tensor, partial(binary, op), other)
    tensor._bump()
    return tensor


def watched(make: Callable[..., Any], function: Callable[..., Any], tensor: TensorBase, args: Sequence[Any]) -> Any:
    """Makes a change while a profiler watches, or an interpreter takes it over."""
    takes = taker()
    if takes is not None:
        return takes.change(make, function, tensor, args)
    profiler = observer()
    if profiler is None:
        return make()
    with profiler.changing(function, tensor, args):
        return make()


def is_plain(op: Any, tensor: TensorBase, other: Any) -> bool:
    """Whether an operator can write directly into a float tensor: a ufunc, with an operand that needs no promotion."""
    dtype = tensor._array.dtype
    if kind_of(dtype) != "f" or not isinstance(op.forward, np.ufunc):
        return False
    if not (is_ordinary(tensor) and is_ordinary(other)):
        return False
    if isinstance(other, TensorBase):
        return other._array.dtype is dtype
    return type(other) in (float, int) and not is_half(dtype)  # NumPy rounds a number to half precision


def is_followed(tensor: TensorBase, value: Any) -> bool:
    """Whether a change must go through `change`: for derivatives, for batches, or for a profiler."""
    if not (is_ordinary(tensor) and is_ordinary(value)) or STACK.depth:
        return True
    return recording() and (needs(tensor) or needs(value))


def is_batched(value: Any) -> bool:
    """Whether a value is a batched tensor."""
    return isinstance(value, TensorBase) and type(value._array) is Batched


def is_ordinary(value: Any) -> bool:
    """Whether a value is anything but a tensor with a batched or lazily conjugated array."""
    return not isinstance(value, TensorBase) or type(value._array) is np.ndarray


def needs(value: Any) -> bool:
    """Whether a value is a tensor that requires grad."""
    return isinstance(value, TensorBase) and value.requires_grad


def stand_in(tensor: TensorBase) -> Any:
    """A tensor with the present state of `tensor`, for the operation to read and to save."""
    old = new_tensor(tensor._array)
    old._needs = tensor.requires_grad
    old._node, old._index = tensor._node, tensor._index
    old._counter = tensor._versions()
    old._tangents = tensor._tangents
    old._unsettled = tensor._unsettled
    return old


def is_single(result: TensorBase, old: TensorBase, number: int) -> bool:
    """Whether a result is that of exactly one operation, recorded since `number`, with `old` as its first input."""
    node = result._node
    if node is None or node.sequence != number + 1 or node.outputs is not None or not node.arity:
        return False
    return node.edge_at(0)[0] is (None if not old._needs else old if old._node is None else old._node)


def copy_of(array: Array) -> Array:
    """A copy of an array in the same memory layout."""
    return array.copy(order="K")


copied: Callable[..., Any] = noted(copy_of)


def keep(old: TensorBase) -> None:
    """Copies the old values of a tensor, because a node saved them."""
    counter = VersionCounter()
    counter.value = old._counter.value
    old._array = copied(old._array)
    old._counter = counter


def write(tensor: TensorBase, array: Array) -> None:
    """Overwrites a tensor's elements and increments its version."""
    target = tensor._array
    alike = array.dtype is target.dtype and array.shape == target.shape
    if not alike:
        check_result(target, array)
    if type(target) is Batched or type(array) is Batched:
        write_examples(target, array)
    else:
        assign(target, array)
    if (writes := writer()) is not None:
        writes.wrote(target, array)
    tensor._bump()


def check_first(forward: Callable[..., Any], tensor: TensorBase, *others: Any) -> None:
    """Raises the errors that PyTorch raises first: a result dtype that the tensor cannot hold (bool always can)."""
    arrays = arithmetic(tensor, *others)
    if forward in ORDER:
        check_sizes(tensor._array, *arrays)
    else:
        check_result(tensor._array, *arrays)


def check_sizes(target: Array, *arrays: Array) -> None:
    """Raises PyTorch's errors for a result that is larger than the target."""
    for array in arrays:
        if array.shape != target.shape:
            different = sizes_differ(None, [target.shape, array.shape])
            if different or np.broadcast_shapes(array.shape, target.shape) != target.shape:
                raise different or larger_result(target.shape, array.shape)


def check_result(target: Array, *arrays: Array) -> None:
    """Raises PyTorch's errors for a result of one dtype that the target cannot hold."""
    check_sizes(target, *arrays)
    array = arrays[0]
    if array.dtype is not target.dtype and rank(array.dtype) > rank(target.dtype):
        raise lower_result(array.dtype, target.dtype)


def rank(dtype: np.dtype) -> int:
    """The rank of a dtype's kind: bool, integer, float, complex. A tensor cannot hold a result of higher rank."""
    return {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}[kind_of(dtype)]


def take_over(tensor: TensorBase, result: TensorBase) -> None:
    """Gives a tensor the history of a result; for a view, the base's history is rewritten."""
    node = result._node
    if node.plan is not None and node.plan.saves_result and node.result_counter is result._counter:
        node.result_counter, node.result_version = tensor._counter, tensor._counter.value
    if tensor._view is None:
        move(tensor, node, result._index)
        return
    base = tensor._view.base
    window = Window.between(base._array, tensor._settled())
    move(base, CopySlices.of(base, window, node), 0)
    look_anew(tensor, window)


def move(tensor: TensorBase, node: Any, index: int) -> None:
    """Moves a tensor to another place in the graph, keeping `retain_grad` in effect."""
    keep_retained(tensor, node, index)
    tensor._node, tensor._index, tensor._needs = node, index, True


@above
def renew(tensor: TensorBase) -> None:
    """Gives a view of a base that was changed in place its new history: a view of the base as it is now."""
    view = tensor._view
    has_history = tensor._node is not None or view.base._needs
    if levels():
        renew_tangents(tensor)
        if not has_history:
            view.version = tensor._counter.value
    if not has_history:
        return
    if view.origin != DEFAULT:
        raise changed_view(tensor, "its base or another view of its base has been")
    look_anew(tensor, Window.between(view.base._array, tensor._array))


def without_history(args: Any) -> Any:
    """The error for the first argument that is a view whose history cannot be updated: PyTorch checks this first."""
    for value in args:
        if isinstance(value, TensorBase) and value._view is not None and recording():
            try:
                value._synchronize()
            except RuntimeError as error:
                return error
    return None


def look_anew(tensor: TensorBase, window: Window) -> None:
    """Makes a view's history a new view of its present base."""
    node = tensor._node
    cls = kind_of_look(window) if node is None else LOOKS.get(node.name(), AsStridedBackward0)
    move(tensor, cls.through(window, *vertex(tensor._view.base)), 0)
    tensor._view.version = tensor._counter.value


def vertex(tensor: TensorBase) -> Any:
    """The vertex that a tensor's cotangent goes to, and the tensor's output number there."""
    if not tensor._needs:
        return None, 0
    return (tensor, 0) if tensor._node is None else (tensor._node, tensor._index)


class CopySlices(Node):
    """The history of a base of which `node` changed a view: the view's part of the cotangent goes through it."""

    @classmethod
    def of(cls, base: TensorBase, window: Window, node: Any) -> "CopySlices":
        """The node for a change of `base` through `window`."""
        self = cls.__new__(cls)
        self.edges, self.numbers = zip(vertex(base), *[node.edge_at(i) for i in range(1, node.arity)], strict=True)
        self.arity, self.sequence = node.arity, next_number()
        self.window, self.node = window, node
        self.flags = BATCHED if window.levels else node.flags & BATCHED
        node.within = ref(self)  # the result that the inner node saves belongs to this node in the graph
        return self

    def name(self) -> Any:
        """The node's name, as PyTorch gives it."""
        return "torch::autograd::CopySlices"

    def look(self) -> Any:
        """The history of the view after the change."""
        return kind_of_look(self.window).through(self.window, self, 0)

    def apply(self, grad: Array, recorded: bool, needs: Sequence[bool]) -> list[Array]:
        """The cotangents of the base before the change, and of the other inputs of the change."""
        if self.freed:
            raise ABOVE.freed(self)
        window = self.window
        first, *rest = self.node.apply(READ(grad, window), recorded, needs)
        if not needs[0]:
            return [None, *rest]
        if first is None:
            first = window.zeros(grad)
        return [REPLACE(grad, first, window), *rest]

    def release(self) -> None:
        """Frees what the change saved: as in PyTorch it cannot run again, whatever it saved."""
        self.freed: int = last_number()
        self.node.release()


class AsStridedBackward0(Node):
    """The history of a view after its base was changed in place: a view of the base."""

    @classmethod
    def through(cls, window: Window, edge: Any, number: int) -> "AsStridedBackward0 | ViewAsRealBackward0":
        """The node for a view through a window of what `edge` made."""
        self = cls.__new__(cls)
        self.edges, self.numbers, self.arity = (edge,), (number,), 1
        self.sequence = next_number()
        self.window, self.flags = window, BATCHED if window.levels else 0
        return self

    def apply(self, grad: Array, recorded: Any, needs: Sequence[bool]) -> Any:
        """The cotangent of the base: that of the view at its place, zeros elsewhere."""
        return [PUT_BACK(grad, self.window)]

    def release(self) -> None:
        """Does nothing: this node saves only the window, no values."""


class ViewAsRealBackward0(AsStridedBackward0):
    """`AsStridedBackward0` for a view of complex numbers as pairs, which PyTorch recreates as `view_as_real`."""


class ViewAsComplexBackward0(AsStridedBackward0):
    """`AsStridedBackward0` for a view of pairs as complex numbers."""


class ConjBackward0(AsStridedBackward0):
    """`AsStridedBackward0` for a view of conjugates."""


class NegViewBackward0(AsStridedBackward0):
    """`AsStridedBackward0` for a view of negatives."""


LOOKS = {cls.__name__: cls for cls in (ViewAsRealBackward0, ViewAsComplexBackward0, ConjBackward0, NegViewBackward0)}


def kind_of_look(window: Window) -> type[AsStridedBackward0]:
    """The class of a view's history where no earlier one tells it: named after what shows all of the base otherwise."""
    ndim = min(len(window.shape), len(window.base_shape))
    same = window.shape[:ndim] == window.base_shape[:ndim] and window.strides[:ndim] == window.base_strides[:ndim]
    paired = len(window.shape) != len(window.base_shape)
    if window.offset or not same or paired != (window.dtype.kind != window.base_dtype.kind):
        return AsStridedBackward0
    if paired:
        return ViewAsComplexBackward0 if window.dtype.kind == "c" else ViewAsRealBackward0
    conjugated, negated = window.turning
    return ConjBackward0 if conjugated else NegViewBackward0 if negated else AsStridedBackward0
