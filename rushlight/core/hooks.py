"""Hooks: functions of users that are called with gradients during the backward pass."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, Self

from rushlight.core.above import above
from rushlight.core.aliases import Array
from rushlight.core.errors import Misfit, type_name
from rushlight.core.graph import TensorBase, fit, new_tensor
from rushlight.core.interpreters import writer
from rushlight.core.locks import reentrant_lock
from rushlight.core.modes import CURRENT
from rushlight.core.placing import as_tensor
from rushlight.core.turned import plain
from rushlight.layouts import expands

_ids = count()


class RemovableHandle:
    """What registering a hook returns; `remove()` removes the hook. Also a context manager.

    >>> import rushlight as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> handle = x.register_hook(lambda grad: grad * 2)
    >>> handle.remove()
    """

    def __init__(self, hooks_dict: OrderedDict[Any, Any], *, extra_dict: Any = None):
        extra = [] if extra_dict is None else extra_dict if isinstance(extra_dict, list) else [extra_dict]
        self.places: tuple[Any, ...] = (hooks_dict, *extra)
        self.id: int = next(_ids)

    def remove(self) -> None:
        """Removes the hook. A second call does nothing."""
        tell_writer("a hook is removed")
        for place in self.places:
            place.pop(self.id, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()

    def __getstate__(self) -> tuple[Any, ...]:  # in PyTorch's form
        return self.places[0], self.id, self.places[1:]

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        global _ids
        hooks, self.id, *others = state
        self.places = (OrderedDict() if hooks is None else hooks, *(others[0] if others else ()))
        _ids = count(max(next(_ids), self.id + 1))


def tell_writer(what: str) -> None:
    """Tells an interpreter that records a program that a hook is used: hooks cannot be replayed."""
    writes = writer()
    if writes is not None:
        writes.give_up(what)


@above
def add_hook(
    hooks: OrderedDict[Any, Any],
    hook: Callable[..., Any],
    prepend: bool = False,
    options: Sequence[dict[int, bool]] = (),
) -> RemovableHandle:
    """Adds a hook after those of an ordered dictionary, or with `prepend` before them, and its id to `options`."""
    tell_writer("a hook is registered")
    handle = RemovableHandle(hooks, extra_dict=[*options])
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    for option in options:
        option[handle.id] = True
    return handle


OWN = "own"  # the gradient has the leaf's dtype


class Hooks:
    """The hooks of one vertex, the outputs whose gradients it retains, and the dtype of a leaf's gradient."""

    def __init__(self) -> None:
        self.outputs: dict[Any, Any] = {}  # output number -> hooks on that output's gradient
        self.retained: dict[Any, Any] = {}  # output number -> the tensor whose .grad is kept
        self.pre: OrderedDict[Any, Any] = OrderedDict()
        self.post: OrderedDict[Any, Any] = OrderedDict()
        self.post_accumulate: OrderedDict[Any, Any] = OrderedDict()
        self.expected: dict[
            Any, Any
        ] = {}  # output number -> shape and dtype of its gradient, where a tensor got others (see `expect`)
        self.grad_dtype = OWN  # the dtype of a leaf's gradient; None for any
        self.lock: Any = reentrant_lock()  # held while a gradient is accumulated and post-accumulate hooks run

    @property
    def idle(self) -> bool:
        """Whether there are none left: all were removed, and gradients are as without hooks."""
        there = (*self.outputs.values(), self.retained, self.pre, self.post, self.post_accumulate, self.expected)
        return self.grad_dtype == OWN and not any(there)

    def on_output(self, index: int) -> Any:
        """The hooks on the gradient of one output."""
        return self.outputs.setdefault(index, OrderedDict())

    def fitted(self, vertex: Any, index: int, grad: Array) -> Array:
        """A gradient for an output of this vertex, converted to the shape and dtype expected there."""
        expected = self.expected.get(index)
        if expected is None:
            return grad
        shape, dtype = expected
        if not expands(shape, grad.shape):
            raise Misfit(vertex, index, grad.shape, shape)
        return fit(grad, shape, dtype)

    def on_outputs(self, grad: Sequence[Array | None] | Array, recorded: bool) -> list[Array | None] | Array:
        """The gradients of a vertex's outputs after the hooks on its tensors ran."""
        if isinstance(grad, list):
            return [self.on_tensor(g, i, recorded) for i, g in enumerate(grad)]
        return self.on_tensor(grad, 0, recorded)

    def on_tensor(self, grad: Array, index: int, recorded: bool) -> Array:
        """The gradient of one output after its hooks ran; stored in `.grad` where that was requested."""
        value = as_tensor(grad)
        if self.grad_dtype not in (OWN, None) and value is not None:
            value = value.to(self.grad_dtype)
        for hook in list(self.outputs.get(index, {}).values()):
            result = hook(value)
            if result is not None:
                value = check_replacement(result, value, hook)
        tensor = self.retained.get(index)
        if value is not None and tensor is not None and (tensor := tensor()) is not None:
            held = tensor._grad
            tensor._grad = (
                (value.clone() if recorded else new_tensor(value._array.copy())) if held is None else held + value
            )
        return as_given(value, recorded)

    def before_node(self, grad: Sequence[Array | None] | Array, recorded: bool) -> list[Array | None] | Array:
        """The gradients of a node's outputs after its pre-hooks ran."""
        if not self.pre:
            return grad
        values = as_tensors(grad)
        for hook in list(self.pre.values()):
            values = checked_tuple(hook(values), values, hook)
        grads = [as_given(value, recorded) for value in values]
        return grads if isinstance(grad, list) else grads[0]

    def after_node(self, results: Sequence[Array | None], grad: Sequence[Array | None] | Array, recorded: bool) -> Any:
        """The cotangents of a node's inputs after its post-hooks ran."""
        if not self.post:
            return results
        inputs, outputs = as_tensors(list(results)), as_tensors(grad)
        for hook in list(self.post.values()):
            inputs = checked_tuple(hook(inputs, outputs), inputs, hook)
        return [as_given(value, recorded) for value in inputs]

    def accumulated(self, leaf: TensorBase) -> None:
        """Calls the post-accumulate hooks of a leaf; they return None, or the leaf as its methods in place do."""
        for hook in list(self.post_accumulate.values()):
            result = hook(leaf)
            if result is not None and check_replacement(result, leaf, hook) is not leaf:
                raise RuntimeError("Tensor post accumulate grad hooks should return None.")

    def after_leaf(self, grad: Array) -> None:
        """Calls the hooks on the AccumulateGrad node of a leaf."""
        for hook in list(self.post.values()):
            checked_tuple(hook((), (as_tensor(grad),)), (), hook)


@above
def hooks_of(vertex: Any) -> Hooks:
    """The hooks of a vertex, made at their first use."""
    if vertex.hooks is None:
        vertex.hooks = Hooks()
    return vertex.hooks


def expect(tensor: TensorBase, array: Array) -> None:
    """Fixes the shape and dtype of the gradients of a tensor's vertex before the tensor gets another array.

    For a node these are those of the result that it recorded, for a leaf those of the leaf before the change.
    """
    node, old = tensor._node, tensor._array
    if not tensor._needs or (old.shape == array.shape and old.dtype == array.dtype):
        return
    if node is None:
        hooks_of(tensor).expected[0] = array.shape, array.dtype
    else:
        hooks_of(node).expected.setdefault(tensor._index, (old.shape, old.dtype))


def keep_retained(tensor: TensorBase, node: Any, index: int) -> None:
    """Keeps `retain_grad` in effect for a tensor that an in-place change moves in the graph."""
    if tensor._node is not None and tensor._node.hooks is not None:
        found = tensor._node.hooks.retained.get(tensor._index)
        if found is not None and found() is tensor:
            hooks_of(node).retained[index] = tensor._node.hooks.retained.pop(tensor._index)


@above
def call_node(node: Any, grads: Sequence[Array]) -> Any:
    """Calls a node with gradients given by the user: returns one cotangent, or a tuple; recorded in grad mode."""
    recorded, n = CURRENT.get().records, 1 if node.outputs is None else len(node.outputs)
    if len(grads) != n:
        raise TypeError(f"expected {n} arguments, got {len(grads)} instead")
    for i, g in enumerate(grads):
        if g is not None and not isinstance(g, TensorBase):
            raise TypeError(f"argument {i} is not a Variable")
    given = [as_given(g, recorded) for g in grads]
    needs = tuple(node.edge_at(i)[0] is not None for i in range(node.arity))
    results = node.apply(given[0] if node.outputs is None else given, recorded, needs)
    return as_tensor(results[0]) if len(results) == 1 else as_tensors(list(results))


def checked_tuple(results: Any, values: Sequence[Any], hook: Callable[..., Any]) -> Any:
    """Checks what a hook on a node returned in place of `values`; None leaves them as they are."""
    if results is None:
        return values
    if not isinstance(results, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(results).__name__}'")
    if len(results) != len(values):
        raise RuntimeError(
            f"hook '{name_of(hook)}' has returned an incorrect number of values (got {len(results)}, but expected "
            f"{len(values)})"
        )
    return tuple(
        result if result is None else check_replacement(result, value, hook)
        for result, value in zip(results, values, strict=True)
    )


def check_replacement(result: Any, value: Any, hook: Callable[..., Any]) -> Any:
    """Checks what a hook returned in place of a gradient: it must be a tensor of the same dtype and shape."""
    if value is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(result, TensorBase):
        raise TypeError(f"expected Variable, but hook returned '{type(result).__name__}'")
    old, new = value._array, result._array
    if new.dtype != old.dtype:
        raise RuntimeError(
            f"hook '{name_of(hook)}' has changed the type of value (was {type_name(old)} got {type_name(new)})"
        )
    if new.shape != old.shape:
        raise RuntimeError(f"hook '{name_of(hook)}' has changed the size of value")
    return result


def name_of(hook: Callable[..., Any]) -> Any:
    """A hook's name in error messages."""
    return getattr(hook, "__name__", "<unknown>")


def as_tensors(grads: Sequence[Array | None] | Array) -> Any:
    """The gradients of a node's outputs as a tuple of tensors."""
    return tuple(as_tensor(g) for g in (grads if isinstance(grads, list) else [grads]))


def as_given(grad: Any, recorded: bool) -> Array:
    """A user's tensor in the engine's form: its array, or the tensor if the backward pass is recorded."""
    bare = grad is None or recorded or grad._array is None  # a sparse one has no array
    return grad if bare else plain(grad._array)
