"""`Function`: operations with a derivative of the user's own."""

import functools
from typing import Any

import numpy as np

from rushlight.core.graph import FREED, Node, Packed, TensorBase, fit, new_tensor
from rushlight.core.hooks import as_given, as_tensor
from rushlight.core.inplace import check_history, take_over
from rushlight.core.modes import CURRENT, switched
from rushlight.core.operators import next_number
from rushlight.core.saved import LINK, pack, remember_origin, restore
from rushlight.tensor import Tensor

__all__ = ["Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]


class FunctionCtx:
    """What `forward` and `backward` of a `Function` share: the `ctx` they are given. It is the graph's node itself."""

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Saves tensors for `backward`, which finds them as `ctx.saved_tensors`. Inputs, outputs, or others."""
        self.to_save = tensors

    save_for_forward = save_for_backward

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Tells which inputs `forward` changed in place."""
        self.dirty = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Tells which outputs have no derivative."""
        self.non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether missing cotangents of outputs reach `backward` as zeros (the default) or as None."""
        self.materialize_grads = value


class FunctionNode(FunctionCtx, Node):
    """The node of a custom function's call."""

    function: Any
    to_save: tuple = ()
    dirty: tuple = ()
    non_differentiable: tuple = ()
    materialize_grads = True
    needs_input_grad: tuple = ()

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """The tensors that `forward` saved. RuntimeError when they are freed, or were changed in place since."""
        if self.freed:
            raise RuntimeError(FREED)
        return tuple(self.unpack(k) for k in range(len(self.saved or ())))

    saved_variables = saved_tensors

    def unpack(self, k):
        """The k-th saved tensor, after making sure that nobody has changed it since."""
        value, version = self.saved[k], self.versions[k]
        if isinstance(value, Packed):
            return restore(value, self, True)
        if isinstance(value, tuple):
            return self.saved_result(*value, version)
        return value if value is None else self.saved_input(value, version)

    def saved_input(self, tensor, version):
        """A saved tensor that is no output."""
        if tensor._version != version:
            from rushlight.core.errors import modified_input

            raise modified_input(tensor, version)
        return tensor

    def saved_result(self, array, counter, index, version):
        """A saved output: kept as an array, as a tensor would hold this node in a reference cycle."""
        out = new_tensor(array)
        out._counter, out._node, out._index, out._needs = counter, self, index, True
        return self.saved_input(out, version)

    def keep_saved(self, outputs):
        """Keeps what `save_for_backward` was given."""
        packing = CURRENT.get().packing
        saved = []
        for tensor in self.to_save:
            if tensor is not None and not isinstance(tensor, TensorBase):
                raise TypeError(f"save_for_backward can only save variables, but argument is of type {type(tensor).__name__}")
            index = next((i for i, out in enumerate(outputs) if out is tensor), -1)
            if index >= 0 and tensor._node is not self:
                index = -1
            if tensor is not None and packing is not None:
                saved.append(pack(tensor, packing, index))
            elif index >= 0:
                saved.append((tensor._array, tensor._versions(), index))
            else:
                saved.append(tensor)
        self.versions = tuple(0 if t is None else t._version for t in self.to_save)
        self.saved = tuple(saved)
        self.to_save = ()

    def release(self):
        """Lets go of the saved tensors."""
        if self.saved:
            self.freed, self.saved = True, None

    def apply(self, grad, recorded, needs):
        """The cotangents of the tensor inputs, by the user's `backward`."""
        grads = [self.materialized(g, i) for i, g in enumerate(grad)]
        results = self.function.backward(self, *grads)
        results = results if isinstance(results, tuple) else (results,)
        return [as_given(g, recorded) for g in self.checked_results(results)]

    def materialized(self, grad, i):
        """The cotangent of output `i` as `backward` gets it."""
        if grad is None and self.materialize_grads and self.outputs[i] is not None:
            shape, dtype = self.outputs[i]
            return new_tensor(np.zeros(shape, dtype))
        return as_tensor(grad)

    def checked_results(self, results):
        """What `backward` returned, one for each tensor among the inputs, in its shape and dtype."""
        name, n = self.name(), len(self.places)
        if len(results) > n and all(g is None for g in results[n:]):
            results = results[:n]
        if len(results) != n:
            raise RuntimeError(f"function {name} returned an incorrect number of gradients (expected {n}, got {len(results)})")
        found = []
        for i, (g, place) in enumerate(zip(results, self.places, strict=True)):
            if place is None:
                if g is not None:
                    raise RuntimeError(
                        f"function {name} returned a gradient different from None at position {i + 1}, but the "
                        "corresponding forward input was not a Variable"
                    )
            else:
                found.append(self.fitting(g, i, *place))
        return found

    def fitting(self, g, i, shape, dtype):
        """A cotangent brought to the shape and dtype of its input."""
        if g is None:
            return None
        if not isinstance(g, TensorBase):
            raise TypeError(f"expected Variable or None (got {type(g).__name__})")
        try:
            fits = np.broadcast_shapes(g._array.shape, shape) == g._array.shape
        except ValueError:
            fits = False
        if not fits:
            raise RuntimeError(
                f"Function {self.name()} returned an invalid gradient at index {i} - got {list(g.shape)} but expected "
                f"shape compatible with {list(shape)}"
            )
        return fit(g, shape, dtype)


class FunctionMeta(type):
    """Gives each `Function` a node class of its own, named after it."""

    def __init__(cls, name, bases, members):
        super().__init__(name, bases, members)
        module = {"__module__": "rushlight.autograd.function", "function": cls}
        cls._backward_cls = type(f"{name}Backward", (FunctionNode,), module)


class Function(metaclass=FunctionMeta):
    """An operation with a derivative of its own: subclass it, and call `apply`.

    `forward(ctx, *args)` computes, unrecorded; or `forward(*args)` does, and `setup_context(ctx, inputs, output)` saves
    what is needed. `backward(ctx, *grad_outputs)` gives a cotangent for each argument of `forward`, None for those that
    are no tensors. Double backward works when `backward` is made of differentiable operations.

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
    generate_vmap_rule = False

    def __init__(self, *args, **kwargs):
        raise RuntimeError(
            f"{type(self).__name__} should not be instantiated. Methods on autograd functions are all static, so you "
            "should invoke them on the class itself. Instantiating an autograd function will raise an error in a "
            "future version of PyTorch."
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Computes the function; has to be given by the subclass."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Saves what `backward` needs, where `forward` takes no `ctx`."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Gives the cotangents of the inputs; has to be given by the subclass."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """Gives the tangents of the outputs, for forward mode."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Calls the function, and records it where one of the tensors among `args` requires grad."""
        tensors = [a if isinstance(a, TensorBase) else None for a in args]
        recorded = CURRENT.get().grad and any(t is not None and t.requires_grad for t in tensors)
        node = cls._backward_cls.__new__(cls._backward_cls)
        node.sequence = next_number()
        node.needs_input_grad = tuple(recorded and t is not None and t.requires_grad for t in tensors)
        with switched(grad=False):
            output = run_forward(cls, node, args)
        outputs = output if isinstance(output, tuple) else (output,)
        if recorded:
            outputs = connect(node, tensors, outputs)
        node.keep_saved(outputs)
        if recorded and CURRENT.get().anomaly:
            remember_origin(node)
        return outputs if isinstance(output, tuple) else outputs[0]


class InplaceFunction(Function):
    """The old base class of functions that change their input."""


def run_forward(cls, node, args):
    """Calls `forward` in the style that the class is written in."""
    if cls.setup_context is Function.setup_context:
        return cls.forward(node, *args)
    output = cls.forward(*args)
    cls.setup_context(node, args, output)
    return output


def connect(node, tensors, outputs):
    """Gives the node its edges, and the outputs their node."""
    live = [t for t in tensors if t is not None]
    node.arity = len(live)
    node.edges = tuple((t if t._node is None else t._node) if t.requires_grad else None for t in live)
    node.numbers = tuple(t._index for t in live)
    node.places = [None if t is None else (t._array.shape, t._array.dtype) for t in tensors]
    node.outputs = [(o._array.shape, o._array.dtype) if isinstance(o, TensorBase) else None for o in outputs]
    return tuple(
        output_of(node, i, out, tensors) if isinstance(out, TensorBase) and out._array.dtype.kind in "fc" else out
        for i, out in enumerate(outputs)
    )


def output_of(node, i, out, tensors):
    """Output `i` of a custom function, with its place in the graph."""
    if any(out is t for t in node.non_differentiable):
        return out
    is_input = any(out is t for t in tensors)
    if is_input and any(out is t for t in node.dirty):
        check_history(out, True)
        out._bump()
        result = new_tensor(out._array)
        result._node, result._index, result._needs = node, i, True
        take_over(out, result)
        return out
    if is_input or out._node is not None or out._needs:
        out = new_tensor(out._array) if not is_input else LINK(out.detach())
    out._node, out._index, out._needs = node, i, True
    return out


def once_differentiable(backward):
    """Decorates a `backward` whose results cannot be differentiated again: trying to raises RuntimeError."""

    @functools.wraps(backward)
    def wrapper(ctx, *grads):
        with switched(grad=False):
            results = backward(ctx, *grads)
        if not CURRENT.get().grad or not any(isinstance(g, TensorBase) and g.requires_grad for g in grads):
            return results
        single = not isinstance(results, tuple)
        guarded = tuple(guard(r) for r in ((results,) if single else results))
        return guarded[0] if single else guarded

    return wrapper


class DelayedError(Node):
    """A node that raises when the backward pass reaches it."""

    def apply(self, grad, recorded, needs):
        """Raises."""
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")

    def release(self):
        """Nothing was saved."""


def guard(value):
    """A result of a `once_differentiable` backward: it requires grad, and refuses to be differentiated."""
    if not isinstance(value, TensorBase):
        return value
    out, node = new_tensor(value._array), DelayedError.__new__(DelayedError)
    node.sequence, node.edges = next_number(), ()
    out._node, out._needs = node, True
    return out
