"""`Function`: operations with a user-defined derivative."""

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.autograd.function_node import FunctionCtx, FunctionNode
from rushlight.core.above import ABOVE
from rushlight.core.aliases import Array
from rushlight.core.anomaly import remember_origin
from rushlight.core.batched import ENTERED, levels_of
from rushlight.core.batching import shared_levels
from rushlight.core.codes import BATCHED, CUSTOM, MULTI
from rushlight.core.context import next_number
from rushlight.core.graph import Node, TensorBase, new_tensor
from rushlight.core.inplace import check_history, take_over
from rushlight.core.interpreters import levels
from rushlight.core.kinds import kind_of
from rushlight.core.lines import warn
from rushlight.core.modes import CURRENT, in_grad_mode
from rushlight.tensors import Tensor

__all__ = ["Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]


class FunctionMeta(type):
    """Gives each `Function` its own subclasses of node and `ctx`, named after it."""

    def __init__(cls, name: str, bases: Any, attrs: dict[str, Any]):
        super().__init__(name, bases, attrs)
        module = {"__module__": "rushlight.autograd.function"}
        cls._backward_cls = type(f"{name}Backward", (FunctionNode,), module | {"_forward_cls": cls})
        cls._context_cls = type(f"{name}Backward", (FunctionCtx,), module)


def missing(function: Any) -> Callable[..., Any]:
    """Marks a method that a subclass must define."""
    function.is_missing = True
    return function


@missing
def no_formula(ctx: Any, *grad_outputs: Any) -> Any:
    """Computes the gradients of the inputs; a subclass must define it, as `backward` or `vjp`."""
    raise NotImplementedError(
        "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
        "backward mode AD."
    )


class Function(metaclass=FunctionMeta):
    """An operation with a user-defined derivative: subclass it, and call `apply`.

    `forward(ctx, *args)` computes, unrecorded; or `forward(*args)` computes, and `setup_context(ctx, inputs, output)`
    saves what is needed. `backward(ctx, *grad_outputs)`, or `vjp`, returns a gradient for each argument of `forward`,
    None for arguments that are not tensors. Double backward works if it uses differentiable operations.

    With `clear_saved_tensors_on_access` the saved tensors are freed when `backward` reads them, so it can run only
    once; with `boxed_grads_call` it gets the gradients in one list, from which it may remove them.

    >>> import rushlight as torch
    >>> class Exp(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         result = x.exp()
    ...         ctx.save_for_backward(result)
    ...         return result
    ...
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         (result,) = ctx.saved_tensors
    ...         return grad * result
    >>> x = torch.zeros(2, requires_grad=True)
    >>> y = Exp.apply(x)
    >>> y
    tensor([1., 1.], grad_fn=<ExpBackward>)
    """

    _backward_cls: Any
    _context_cls: Any
    save_for_backward = FunctionCtx.save_for_backward
    save_for_forward = FunctionCtx.save_for_forward
    mark_dirty = FunctionCtx.mark_dirty
    mark_non_differentiable = FunctionCtx.mark_non_differentiable
    mark_shared_storage = FunctionCtx.mark_shared_storage
    set_materialize_grads = FunctionCtx.set_materialize_grads
    generate_vmap_rule = False
    clear_saved_tensors_on_access = False
    boxed_grads_call = False

    def __init__(self, *args: Any, **kwargs: Any):
        warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should "
            "invoke them on the class itself. Instantiating an autograd function will raise an error in a future "
            "version of PyTorch.",
            DeprecationWarning,
        )

    def __call__(self, *args: Tensor, **kwargs: Any) -> Any:
        """Raises RuntimeError: functions are called by `apply`."""
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
            "function with static forward method. (Example: "
            "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Computes the function; a subclass must define it."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Saves what `backward` needs, if `forward` takes no `ctx`."""
        raise NotImplementedError("setup_context is not implemented.")

    backward: Callable[..., Any] = staticmethod(no_formula)
    vjp: Callable[..., Any] = staticmethod(no_formula)

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """Computes the tangents of the outputs, for forward mode."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], *args: Any) -> tuple[Any, Any]:
        """Computes the function of a whole batch, inside `vmap`: returns the outputs and their batch dimensions."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap static method or set "
            "generate_vmap_rule=True."
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Calls the function, and records the call if a tensor among `args` requires grad."""
        if cls.has_setup():
            args, kwargs = with_defaults(cls.forward, args, kwargs)
        if ENTERED.get():
            output = ABOVE.apply_batched(cls, args)
            if output is not NotImplemented:
                return output
        if not levels():
            return cls.record(args, kwargs)[1]
        return ABOVE.apply_dual(cls, args, kwargs)[1]

    @classmethod
    def record(cls, args: Any, kwargs: dict[str, Any]) -> tuple[Any, Any]:
        """Calls `forward` and records it; returns the node, which serves as `ctx`, and what `forward` returned."""
        tensors = [a if isinstance(a, TensorBase) else None for a in args]
        backward_cls: Any = cls._backward_cls
        node = backward_cls.__new__(backward_cls)
        ctx = node.ctx = cls._context_cls(node)
        ctx.needs_input_grad = tuple(t is not None and t.requires_grad for t in tensors)
        recorded = CURRENT.get().grad and any(ctx.needs_input_grad)
        with in_grad_mode(False):
            if cls.has_setup():
                output = cls.forward(*args, **kwargs)
                cls.setup_context(ctx, args, output)
            else:
                output = cls.forward(ctx, *args, **kwargs)
        node.sequence = next_number()
        outputs = output if isinstance(output, tuple) else (output,)
        outputs = connected(node, tensors, outputs) if recorded else unrecorded(node, tensors, outputs)
        return node, outputs if isinstance(output, tuple) else outputs[0]

    @classmethod
    def has_batch_rule(cls) -> bool:
        """Whether the class defines `vmap`."""
        return cls.vmap is not Function.vmap

    @classmethod
    def has_setup(cls) -> bool:
        """Whether the class defines `setup_context`, so that `forward` takes no `ctx`."""
        return cls.setup_context is not Function.setup_context


class InplaceFunction(Function):
    """The old base class of functions that change an input in place."""

    def __init__(self, inplace: bool = False):
        super().__init__()
        self.inplace = inplace


def with_defaults(forward: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """The arguments of `forward`, completed by its defaults."""
    bound = inspect.signature(forward).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.args, bound.kwargs


def unrecorded(node: Any, tensors: Any, outputs: Any) -> tuple[Any, ...]:
    """The outputs of a call that is not recorded; an input that is returned unchanged becomes a new tensor."""
    dirty = identities(node.ctx.dirty_tensors)
    unchanged = identities(tensors) - dirty
    mark_views([out for out in outputs if isinstance(out, TensorBase)], dirty, CUSTOM)
    return tuple(out.detach() if id(out) in unchanged else out for out in outputs)


def identities(values: Any) -> set[Any]:
    """The ids of some values, without None."""
    return {id(value) for value in values if value is not None}


def connected(node: Any, tensors: Any, outputs: Sequence[Any]) -> Any:
    """Gives the node its edges and what it saves, and the outputs their place in the graph."""
    live = [t for t in tensors if t is not None]
    node.arity = len(live)
    node.edges = tuple([t._vertex() if t.requires_grad else None for t in live])
    node.numbers = tuple(t._index for t in live)
    made = levels_of(*[o._array for o in outputs if isinstance(o, TensorBase)])
    node.places = [None if t is None else place_of(t, made) for t in tensors]
    node.flags = BATCHED if made else 0
    node.results = [(o._array.shape, o._array.dtype) if isinstance(o, TensorBase) else None for o in outputs]
    node.outputs = [None] * len(outputs)  # the node makes its zeros itself
    if not node.ctx._materialize_non_diff_grads:
        constant = identities(node.ctx.non_differentiable)
        node.constant = frozenset(i for i, out in enumerate(outputs) if id(out) in constant)
    check_dirty(node, tensors, outputs)
    inputs, dirty, constant = (identities(t) for t in (tensors, node.ctx.dirty_tensors, node.ctx.non_differentiable))
    kept = identities(node.ctx.to_save) if node._forward_cls.has_setup() else set()
    outputs = tuple(
        output_in_graph(node, i, out, inputs, dirty, constant, kept) if isinstance(out, TensorBase) else out
        for i, out in enumerate(outputs)
    )
    own = [out for out in outputs if isinstance(out, TensorBase) and out._node is node]
    mark_views(own, dirty, MULTI if len(own) > 1 else CUSTOM)
    node.keep_saved(outputs)
    if CURRENT.get().anomaly:
        remember_origin(node)
    return outputs


def place_of(tensor: Tensor, levels: Any) -> tuple[Any, ...]:
    """The shape, the dtype and the batch levels that the gradient of an input must have; None for a sparse tensor."""
    array = tensor._array
    return (None, None, None) if array is None else (array.shape, array.dtype, shared_levels(array, levels))


NO_INPUT = (
    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated should be "
    "passed to ctx.mark_dirty()."
)


def check_dirty(node: Any, tensors: Sequence[Tensor | None], outputs: Sequence[Any]) -> None:
    """Checks what was given to `mark_dirty`: inputs that are returned; a view among them must be the only output."""
    given, made = identities(tensors), identities(outputs)
    for dirty in node.ctx.dirty_tensors:
        if id(dirty) not in given:
            if dirty._view is not None:
                raise RuntimeError(NO_INPUT)
            warn(NO_INPUT)
        if id(dirty) not in made:
            raise RuntimeError(
                "Some elements marked as dirty during the forward method were not returned as output. The inputs that "
                "are modified inplace must all be outputs of the Function."
            )
        if dirty._view is not None and len(outputs) > 1:
            raise RuntimeError(
                "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot "
                "return more than one Tensor. This is not supported by the current autograd engine. You should either "
                "make sure the input is not a view (using .clone() for example) or make your Function only return one "
                "Tensor."
            )


def output_in_graph(
    node: Any, i: int, out: Any, inputs: set[Any], dirty: set[Any], constant: set[Any], kept: set[Any]
) -> Any:
    """Output `i` of a custom function, with its place in the graph.

    The sets hold ids; `kept` those of the tensors that `setup_context` saves.
    """
    is_input = id(out) in inputs
    if kind_of(out._array.dtype) not in "fc" or id(out) in constant:
        return out.detach() if is_input else out
    if is_input and id(out) in dirty:
        return changed(node, i, out)
    if is_input:
        out = returned(out, id(out) in kept)
    out._node, out._index, out._needs = node, i, True
    return out


def changed(node: Any, i: int, out: Tensor) -> Tensor:
    """An input that was changed in place, as output `i`."""
    if out.is_leaf and out.requires_grad and out._view is None:
        raise RuntimeError(
            "a leaf Variable that requires grad has been used in an in-place operation. Call the function inside "
            "`with torch.no_grad():`, or on a copy (x.clone())."
        )
    check_history(out, True)
    out._bump()
    result = new_tensor(out._settled())
    result._node, result._index, result._needs = node, i, True
    take_over(out, result)
    return out


def returned(out: Tensor, is_kept: bool) -> Tensor:
    """A view of an input that is returned unchanged."""
    if is_kept:
        raise RuntimeError(
            "An input that has been returned as-is as output is being saved for backward. This is not supported if you "
            "override setup_context. You should return and save a view of the input instead, e.g. with x.view_as(x) or "
            "setup ctx inside the forward function itself."
        )
    with in_grad_mode(False):
        return out.view_as(out)


def mark_views(outputs: Sequence[Any], dirty: set[Any], origin: int) -> None:
    """Marks outputs that are views: an in-place change of them would bypass the custom function."""
    for out in outputs:
        if out._view is not None and id(out) not in dirty:
            out._view.origin = origin
            out._view.version = out._counter.value


def once_differentiable(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a `backward` whose results cannot be differentiated again: double backward raises RuntimeError."""

    @functools.wraps(fn)
    def wrapper(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        with in_grad_mode(False):
            results = fn(ctx, *args, **kwargs)
        if not CURRENT.get().records or not any(isinstance(g, TensorBase) and g.requires_grad for g in args):
            return results
        guarded = guard(results if isinstance(results, tuple) else (results,))
        return guarded if isinstance(results, tuple) else guarded[0]

    return wrapper


class Error(Node):
    """A node that raises when the backward pass reaches it."""

    def name(self) -> Any:
        """The node's name, as PyTorch gives it."""
        return "torch::autograd::Error"

    def apply(self, grad: Array, recorded: bool, needs: Sequence[bool]) -> Any:
        """Raises."""
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")

    def release(self) -> None:
        """Does nothing: this node saves no values."""


def guard(results: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """The results of a `once_differentiable` backward: they require grad, and raise when differentiated."""
    node = Error.__new__(Error)
    copies = [r.detach() if isinstance(r, TensorBase) else None for r in results]
    for leaf in copies:
        if leaf is not None:
            leaf._needs = True
    node.sequence, node.edges, node.arity = next_number(), tuple(copies), len(copies)
    node.outputs = [None] * len(results) if len(results) > 1 else None
    return tuple(r if not isinstance(r, TensorBase) else guarded(r, node, i) for i, r in enumerate(results))


def guarded(value: Tensor, node: Error, i: int) -> Tensor:
    """A result as output `i` of a node that raises."""
    out = new_tensor(value._array)
    out._node, out._index, out._needs = node, i, True
    return out
