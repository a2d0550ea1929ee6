"""The node of a custom function's call, and the `ctx` that its `forward` and `backward` share."""

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.context import last_number
from rushlight.core.errors import about, freed, invalid_gradient, modified_input
from rushlight.core.graph import Node, Packed, TensorBase, fit, new_tensor
from rushlight.core.hooks import as_given
from rushlight.core.levels import total
from rushlight.core.lines import warn
from rushlight.core.modes import CURRENT
from rushlight.core.placing import as_tensor
from rushlight.core.saved import SavedTensor, pack, restore
from rushlight.layouts import expands
from rushlight.tensors import Tensor

__all__ = ["FunctionCtx", "FunctionNode"]


class FunctionCtx:
    """The `ctx` of a `Function`, shared by `forward` and `backward`.

    Users may set any attribute on it, so it has few of its own; it also shows those of the node.
    """

    to_save: tuple[Any, ...] = ()
    saved_for_forward: tuple[Any, ...] = ()
    dirty_tensors: tuple[Any, ...] = ()
    non_differentiable: tuple[Any, ...] = ()
    materialize_grads: bool = True
    _materialize_non_diff_grads = True
    needs_input_grad: tuple[Any, ...] = ()

    def __init__(self, node: Any):
        self._graph_node = weakref.ref(node)

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Saves tensors for `backward`, which reads them as `ctx.saved_tensors`: inputs, outputs, or others."""
        self.to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Saves tensors for `jvp`."""
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: Tensor) -> None:
        """Marks the inputs that `forward` changed in place. All of them must be returned."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Marks the outputs that have no derivative."""
        self.non_differentiable = args

    def mark_shared_storage(self, *pairs: Any) -> None:
        """Does nothing, with a FutureWarning: which tensors share memory is known."""
        warn(
            "mark_shared_storage is deprecated. Tensors with shared storages are automatically tracked. Note that "
            "calls to `set_()` are not tracked",
            FutureWarning,
        )

    def set_materialize_grads(self, value: bool) -> None:
        """Sets whether missing gradients of outputs reach `backward` as zeros (the default) or as None."""
        self.materialize_grads = value

    def __getattr__(self, name: str) -> Any:
        node = self._graph_node() if name in OF_NODE else None
        if node is None and name in ("saved_tensors", "saved_variables"):
            raise freed(None)
        if node is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return getattr(node, name)


OF_NODE = {  # attributes of the node that `ctx` shows
    "_forward_cls",
    "_raw_saved_tensors",
    "_sequence_nr",
    "metadata",
    "name",
    "next_functions",
    "register_hook",
    "register_prehook",
    "saved_tensors",
    "saved_variables",
}


class FunctionNode(Node):
    """The node of a custom function's call; it shows its `ctx`'s attributes as its own.

    `places` has for each tensor input its shape, its dtype, and the `vmap` levels on which all examples share it;
    `results` the shape and dtype of each output; None for values that are not tensors.
    """

    freed: int

    _forward_cls: Any
    accessed: bool = False
    constant: frozenset[int] = frozenset()  # outputs without a derivative whose gradients stay None
    is_pushed = False  # `jvp` is running, and reads what was saved for it

    def __getattr__(self, name: str) -> Any:
        ctx = self.__dict__.get("ctx")
        if ctx is not None and name not in OF_NODE and hasattr(ctx, name):
            return getattr(ctx, name)
        return super().__getattr__(name)

    def __repr__(self) -> str:
        return f"<torch.autograd.function.{self.name()} object at {id(self):#x}>"

    # saved tensors

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """The tensors that `forward` saved. RuntimeError if they were freed or changed in place."""
        if self.is_pushed:
            return self.ctx.saved_for_forward
        if self.accessed:
            raise RuntimeError(
                "saved_tensors can only be accessed once when clear_saved_tensors_on_access=True is set on the "
                "autograd.Function. Either access saved_tensors only once, or set clear_saved_tensors_on_access=False."
            )
        if self.freed:
            raise freed(self)
        found = tuple(self.look_at(k) for k in range(len(self.saved or ())))
        if self._forward_cls.clear_saved_tensors_on_access:
            self.accessed, self.saved = True, None
        return found

    @property
    def saved_variables(self) -> tuple[Tensor | None, ...]:
        """The old name of `saved_tensors`."""
        warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning)
        return self.saved_tensors

    @property
    def _raw_saved_tensors(self) -> tuple[SavedTensor, ...]:
        if self.freed:
            raise freed(self)
        return tuple(SavedTensor(self, k) for k in range(len(self.saved or ())))

    def look_at(self, k: int) -> Tensor:
        """The k-th saved tensor, after checking that it was not changed in place."""
        value, version = self.saved[k], self.versions[k]
        if isinstance(value, Packed):
            return restore(value, self, True)
        if isinstance(value, SavedOutput):
            value = value.tensor(self)
        if value is not None and value._version != version:
            raise modified_input(value, version)
        return value

    def pack_one(self, k: int, packing: Sequence[Callable[..., Any]]) -> None:
        """Sends the k-th saved tensor through a pair of hooks."""
        values = list(self.saved)
        index = values[k].index if isinstance(values[k], SavedOutput) else -1
        values[k] = pack(self.look_at(k), packing, index)
        self.saved = tuple(values)

    def keep_saved(self, outputs: Sequence[Tensor]) -> None:
        """Stores what `save_for_backward` was given."""
        packing = CURRENT.get().packing
        places = {id(out): i for i, out in reversed(list(enumerate(outputs)))} if self.ctx.to_save else {}
        saved: list[Any] = []
        for i, tensor in enumerate(self.ctx.to_save):
            if tensor is not None and not isinstance(tensor, TensorBase):
                raise about(
                    TypeError(
                        f"save_for_backward can only save variables, but argument {i} is of type "
                        f"{type(tensor).__name__}: keep what is no tensor as an attribute, ctx.factor = factor"
                    ),
                    function=self._forward_cls,
                )
            index = places.get(id(tensor), -1) if tensor is not None and tensor._node is self else -1
            if tensor is not None and packing is not None:
                saved.append(pack(tensor, packing, index))
            elif tensor is not None and index >= 0:
                saved.append(SavedOutput(tensor._settled(), tensor._versions(), index))
            else:
                saved.append(tensor)
        self.versions: tuple[int, ...] = tuple(0 if t is None or t._inference else t._version for t in self.ctx.to_save)
        self.saved = tuple(saved)
        self.ctx.to_save = ()

    def release(self) -> None:
        """Frees the saved tensors."""
        if self.saved:
            self.freed, self.saved = last_number(), None

    # the derivative

    def apply(self, grad: Any, recorded: bool, needs: Sequence[bool]) -> list[Array | None]:
        """The gradients of the tensor inputs, by the user's `backward`."""
        grads = [self.materialized(g, i) for i, g in enumerate(grad if isinstance(grad, list) else [grad])]
        if self._forward_cls.boxed_grads_call:
            results = self.formula()(self.ctx, grads)
        else:
            results = self.formula()(self.ctx, *grads)
        results = results if isinstance(results, tuple) else (results,)
        return [as_given(g, recorded) for g in self.checked_results(results)]

    def formula(self) -> Callable[..., Any]:
        """The user's `backward`, or `vjp`, its other name."""
        cls = self._forward_cls
        own = [f for f in (cls.backward, cls.vjp) if not getattr(f, "is_missing", False)]
        if len(own) == 2:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only "
                "implement one of them."
            )
        return own[0] if own else cls.backward

    def materialized(self, grad: Array, i: int) -> Tensor:
        """The gradient of output `i` as `backward` gets it."""
        if grad is None and self.ctx.materialize_grads and self.results[i] is not None and i not in self.constant:
            return new_tensor(np.zeros(*self.results[i]))
        return as_tensor(grad)

    def checked_results(self, results: tuple[Any, ...]) -> list[Array | None]:
        """What `backward` returned, one gradient for each tensor input, in its shape and dtype."""
        name, n = self.name(), len(self.places)
        if len(results) > n and all(g is None for g in results[n:]):
            results = results[:n]
        if len(results) != n:
            raise self.misreturned(
                f"function {name} returned an incorrect number of gradients (expected {n}, got {len(results)}). "
                "Return one for each argument of forward, and None for an argument that is no tensor."
            )
        found: list[Array | None] = []
        for i, (g, place) in enumerate(zip(results, self.places, strict=True)):
            if place is not None:
                needed = self.edges[len(found)] is not None
                found.append(self.fitting(g, i, *place) if needed else None)
            elif g is not None:
                raise self.misreturned(
                    f"function {name} returned a gradient different than None at position {i + 1}, but the "
                    "corresponding forward input was not a Variable"
                )
        return found

    def misreturned(self, message: str) -> Any:
        """The error for a wrong return value of `backward`."""
        return about(RuntimeError(message), function=self._forward_cls)

    def fitting(self, g: Any, i: int, shape: Any, dtype: np.dtype, shared: Any) -> Any:
        """A gradient converted to the shape and dtype of its input; that of a sparse tensor as it is."""
        if g is None or shape is None:
            return g
        if not isinstance(g, TensorBase):
            raise self.misreturned(f"expected Variable or None (got {type(g).__name__})")
        sizes = tuple(g.shape) if g._array is None else g._array.shape
        if not expands(shape, sizes):
            raise self.misreturned(f"Function {self.name()} returned an {invalid_gradient(i, g.shape, shape)}")
        if g._array is None:  # a sparse one, which the engine adds up as it is
            return g
        if g._array.dtype.kind == "c" and dtype.kind != "c":
            raise self.misreturned(
                "Expected isFloatingType(grad.scalar_type()) || (input_is_complex == grad_is_complex) to be true, but "
                f"got false. Function {self.name()} returned a complex gradient at index {i} for a real input: take "
                "its real part."
            )
        return fit(total(g, shared) if shared else g, shape, dtype)


class SavedOutput:
    """A saved output as an array: a tensor would form a reference cycle with its node. `tensor` restores it."""

    __slots__ = ("array", "counter", "index")

    def __init__(self, array: Array, counter: Any, index: int):
        self.array: Array = array
        self.counter: Any = counter
        self.index: int = index

    def tensor(self, node: Any) -> Tensor:
        """The saved output as a tensor."""
        out = new_tensor(self.array)
        out._counter, out._node, out._index, out._needs = self.counter, node, self.index, True
        out._tangents = None if node.tangents is None else node.tangents.get(self.index)
        return out
