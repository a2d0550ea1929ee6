"""Changes in place: what may be changed, and how the graph is rewritten so that gradients stay right.

An in-place operation is the out-of-place one, whose result then takes the tensor's place in memory and in the graph.
"""

import numpy as np

from rushlight.core.graph import Node, TensorBase, VersionCounter, new_tensor
from rushlight.core.operators import Operator, binary, next_number, recording

OUTPUT_OF_MULTI_VIEW = (
    "Output {} of {} is a view and is being modified inplace. This view is the output of a function that returns "
    "multiple views. Such functions do not allow the output views to be modified inplace. You should replace the "
    "inplace operation by an out-of-place one."
)
VIEW_IN_NO_GRAD = (
    "A view was created in no_grad mode and is being modified inplace with grad mode enabled. Given that this use case "
    "is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view and the inplace "
    "either both inside the no_grad block (if you don't want the inplace to be tracked) or both outside (if you want "
    "the inplace to be tracked)."
)


def check(tensor, recorded):
    """Raises PyTorch's errors for tensors that must not be changed in place."""
    view = tensor._view
    if recorded and (tensor.requires_grad or view is not None):
        if view is None:
            if tensor._node is None:
                raise RuntimeError(
                    "a leaf Variable that requires grad is being used in an in-place operation. Change it inside "
                    "`with torch.no_grad():` (as optimizers do), or change a copy (x.clone())."
                )
        elif not view.recorded and view.base.requires_grad:
            raise RuntimeError(VIEW_IN_NO_GRAD)
        elif view.index >= 0 and tensor._node is not None:
            raise RuntimeError(OUTPUT_OF_MULTI_VIEW.format(tensor._index, tensor._node.name()))
        elif view.base._node is None and view.base.requires_grad:
            raise RuntimeError(
                "a view of a leaf Variable that requires grad is being used in an in-place operation. Change it inside "
                "`with torch.no_grad():`, or change a copy (x.clone())."
            )
    array = tensor._array
    if 0 in array.strides and any(s == 0 and n > 1 for s, n in zip(array.strides, array.shape, strict=True)):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
            "Please clone() the tensor before performing the operation."
        )


def change(tensor, function, *args, **kwargs):
    """Calls `function(tensor, ...)`, and puts the result in the tensor's place."""
    recorded = recording()
    check(tensor, recorded)
    if not recorded:
        write(tensor, function(tensor, *args, **kwargs)._array)
        return tensor
    old = stand_in(tensor)
    result = function(old, *args, **kwargs)
    if result._node is None:
        write(tensor, result._array)
        return tensor
    keep_old(old, result._node)
    write(tensor, result._array)
    take_over(tensor, result)
    return tensor


def change_binary(op, tensor, other):
    """The same for an elementwise operator of two, without a temporary where nothing is recorded."""
    if other_is_plain(tensor, other) and not (recording() and (tensor._needs or needs(other) or tensor._view)):
        check(tensor, False)
        array = tensor._array
        try:
            op.forward(array, other._array if isinstance(other, TensorBase) else other, out=array)
        except ValueError:
            raise shape_error(array.shape, np.broadcast_shapes(array.shape, other._array.shape)) from None
        tensor._bump()
        return tensor
    if not isinstance(tensor, TensorBase):
        return NotImplemented
    return change(tensor, lambda a, b: binary(op, a, b), other)


def other_is_plain(tensor, other):
    """Whether the other operand needs no promotion beside a float tensor."""
    dtype = tensor._array.dtype
    if dtype.kind != "f":
        return False
    return other._array.dtype is dtype if isinstance(other, TensorBase) else type(other) in (float, int)


def needs(value):
    """Whether a value is a tensor that requires grad."""
    return isinstance(value, TensorBase) and value.requires_grad


def stand_in(tensor):
    """The tensor as it is now, for the operation to work on and to save."""
    old = new_tensor(tensor._array)
    old._node, old._index, old._needs = tensor.grad_fn, tensor._index, tensor._needs
    old._counter = tensor._versions()
    return old


def keep_old(old, node):
    """Gives the old tensor memory of its own, unless it is known that no node has saved it."""
    direct = node.plan is not None and node.arity > 0 and node.edge_at(0)[0] is old._node
    if direct and not node.saves(old):
        return
    counter = VersionCounter()
    counter.value = old._counter.value
    old._array = old._array.copy()
    old._counter = counter


def write(tensor, array):
    """Overwrites a tensor's elements and counts the change."""
    target = tensor._array
    if array.shape != target.shape and np.broadcast_shapes(array.shape, target.shape) != target.shape:
        raise shape_error(target.shape, array.shape)
    if "biufc".index(array.dtype.kind) > "biufc".index(target.dtype.kind) and not (
        array.dtype.kind in "iu" and target.dtype.kind in "iu"
    ):
        raise cast_error(array.dtype, target.dtype)
    np.copyto(target, array, casting="unsafe")
    tensor._bump()


def shape_error(target, shape):
    """The error for a result that is larger than the tensor it is to be written to."""
    return RuntimeError(f"output with shape {list(target)} doesn't match the broadcast shape {list(shape)}")


def cast_error(source, target):
    """The error for a result of a kind that the tensor cannot hold."""
    from rushlight.dtypes import FROM_NUMPY, TYPE_NAMES

    source, target = TYPE_NAMES[FROM_NUMPY[source]], TYPE_NAMES[FROM_NUMPY[target]]
    return RuntimeError(f"result type {source} can't be cast to the desired output type {target}")


def take_over(tensor, result):
    """Makes the history of a result that of the tensor; for a view, the base's history is rewritten."""
    node = result._node
    if node.plan is not None and node.plan.saves_result and node.result_counter is result._counter:
        node.result_counter, node.result_version = tensor._counter, tensor._counter.value
    if tensor._view is None:
        tensor._node, tensor._index, tensor._needs = node, result._index, True
        return
    base = tensor._view.base
    copy = CopySlices.of(base, tensor._view, node)
    base._node, base._index, base._needs = copy, 0, True
    renew(tensor)


def renew(tensor):
    """Gives a view of a base that was changed in place its new history: a look at the base as it is now."""
    view = tensor._view
    view.version = tensor._counter.value
    base = view.base
    if base._needs and (base._node is not None or tensor._node is not None):
        tensor._node, tensor._index, tensor._needs = AsStridedBackward0.of(base, view), 0, True


def scatter(base, source, view):
    """The base with the part that the view shows replaced by `source`."""
    result = base.copy()
    view.replay(result)[...] = source
    return result


VIEW_SCATTER = Operator(
    "view_scatter", scatter, ("base", "source", "view"),
    {
        "base": lambda grad, view: VIEW_SCATTER(grad, view.replay(np.zeros_like(grad)), view),
        "source": lambda grad, view: view.replay(grad),
    },
)  # fmt: skip


class CopySlices(Node):
    """The history of a base of which a view was changed by `node`: the view's part goes through it, the rest by."""

    @classmethod
    def of(cls, base, view, node):
        """The node for a change of `base` through `view`."""
        self = cls.__new__(cls)
        edges = [(base._node if base._node is not None else base) if base._needs else None]
        numbers = [base._index]
        for i in range(1, node.arity):
            edge, number = node.edge_at(i)
            edges.append(edge)
            numbers.append(number)
        self.edges, self.numbers, self.arity = tuple(edges), tuple(numbers), len(edges)
        self.sequence = next_number()
        self.view, self.node = view, node
        return self

    def apply(self, grad, recorded, needs):
        """The cotangents of the base as it was, and of the other inputs of the change."""
        part = self.view.replay(grad)
        first, *rest = self.node.apply(part, recorded, (True, *needs[1:]))
        if not needs[0]:
            return [None, *rest]
        zeros = np.zeros_like(part)
        return [VIEW_SCATTER(grad, zeros if first is None else first, self.view), *rest]

    def release(self):
        """Lets go of what the change saved."""
        self.node.release()


class AsStridedBackward0(Node):
    """The history of a view after its base was changed in place: a look at the base."""

    @classmethod
    def of(cls, base, view):
        """The node for a view of the base as it is now."""
        self = cls.__new__(cls)
        self.edges, self.numbers, self.arity = (base._node if base._node is not None else base,), (base._index,), 1
        self.sequence = next_number()
        self.view, self.shape, self.dtype = view, base._array.shape, base._array.dtype
        return self

    def apply(self, grad, recorded, needs):
        """The cotangent of the base: that of the view in its place, zeros elsewhere."""
        zeros = np.zeros_like(grad, shape=self.shape, dtype=self.dtype)
        return [VIEW_SCATTER(zeros, grad, self.view)]

    def release(self):
        """Nothing was saved."""
