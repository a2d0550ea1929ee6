"""Hooks on gradients: what users asked to be called with a gradient on its way."""

from collections import OrderedDict
from itertools import count

import numpy as np

from rushlight.core.graph import TensorBase, new_tensor

_ids = count()


class RemovableHandle:
    """What registering a hook returns; `remove()` takes the hook away again. Also a context manager.

    >>> import rushlight as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> handle = x.register_hook(lambda grad: grad * 2)
    >>> handle.remove()
    """

    def __init__(self, hooks_dict: OrderedDict, *, extra_dict=None):
        extra = [] if extra_dict is None else extra_dict if isinstance(extra_dict, list) else [extra_dict]
        self.places = (hooks_dict, *extra)
        self.id = next(_ids)

    def remove(self) -> None:
        """Takes the hook away. A second call does nothing."""
        for place in self.places:
            place.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.remove()


def add_hook(hooks: OrderedDict, hook) -> RemovableHandle:
    """Puts a hook last in an ordered dictionary of hooks."""
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


class Hooks:
    """The hooks of one vertex."""

    def __init__(self):
        self.outputs = {}  # output number -> hooks on that output's gradient
        self.retained = {}  # output number -> the tensor whose .grad is kept
        self.pre = OrderedDict()
        self.post = OrderedDict()
        self.post_accumulate = OrderedDict()

    def on_output(self, index):
        """The hooks on the gradient of one output."""
        return self.outputs.setdefault(index, OrderedDict())

    def on_outputs(self, grad, recorded):
        """The gradients of a vertex's outputs after the hooks on its tensors."""
        if isinstance(grad, list):
            return [g if g is None else self.on_tensor(g, i, recorded) for i, g in enumerate(grad)]
        return self.on_tensor(grad, 0, recorded)

    def on_tensor(self, grad, index, recorded):
        """The gradient of one output after its hooks; kept in `.grad` where that was asked for."""
        hooks = self.outputs.get(index)
        if hooks:
            grad = replaced(grad, list(hooks.values()), recorded)
        tensor = self.retained.get(index)
        if tensor is not None and (tensor := tensor()) is not None:
            value = as_tensor(grad)
            held = tensor._grad
            tensor._grad = (value if recorded else new_tensor(value._array.copy())) if held is None else held + value
        return grad

    def before_node(self, grad, recorded):
        """The gradients of a node's outputs after the hooks that run before the node."""
        for hook in list(self.pre.values()):
            result = hook(tuple(as_tensor(g) for g in (grad if isinstance(grad, list) else [grad])))
            if result is not None:
                grads = [as_given(g, recorded) for g in listed(result)]
                grad = grads if isinstance(grad, list) else grads[0]
        return grad

    def after_node(self, results, grad, recorded):
        """The cotangents of a node's inputs after the hooks that run after the node."""
        for hook in list(self.post.values()):
            outputs = tuple(as_tensor(g) for g in (grad if isinstance(grad, list) else [grad]))
            result = hook(tuple(as_tensor(g) for g in results), outputs)
            if result is not None:
                results = [as_given(g, recorded) for g in listed(result)]
        return results

    def accumulated(self, leaf, grad):
        """Calls the hooks that wait for a leaf's gradient to be added up."""
        for hook in list(self.post_accumulate.values()):
            hook(leaf)
        for hook in list(self.post.values()):
            hook((), (as_tensor(grad),))


def hooks_of(vertex) -> Hooks:
    """The hooks of a vertex, made when first asked for."""
    if vertex.hooks is None:
        vertex.hooks = Hooks()
    return vertex.hooks


def keep_retained(tensor, node, index):
    """Goes on keeping the gradient of a tensor that a change in place gives another place in the graph."""
    if tensor._node is not None and tensor._node.hooks is not None:
        found = tensor._node.hooks.retained.get(tensor._index)
        if found is not None and found() is tensor:
            hooks_of(node).retained[index] = tensor._node.hooks.retained.pop(tensor._index)


def replaced(grad, hooks, recorded):
    """A gradient as a chain of hooks leaves it."""
    for hook in hooks:
        result = hook(as_tensor(grad))
        if result is not None:
            if not isinstance(result, TensorBase):
                raise TypeError(f"hook returned a '{type(result).__name__}' object, expected a Tensor or None")
            grad = as_given(result, recorded)
    return grad


def listed(result):
    """What a hook returned, as a list of gradients."""
    return [result] if isinstance(result, TensorBase) else list(result)


def as_tensor(grad):
    """A gradient as users see it."""
    return grad if grad is None or isinstance(grad, TensorBase) else new_tensor(np.asarray(grad))


def as_given(grad, recorded):
    """A user's tensor as the engine carries it: bare, unless the backward pass is recorded itself."""
    return grad if grad is None or recorded else grad._array
