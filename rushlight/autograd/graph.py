"""`autograd.graph`: nodes, edges, hooks on saved tensors and on several gradients.

`draw` is loaded at its first use.
"""

import abc
import functools
import weakref
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from weakref import WeakKeyDictionary

from rushlight.absent.misses import no_such_name
from rushlight.core.aliases import Array
from rushlight.core.engine import RUN
from rushlight.core.graph import Node as CoreNode
from rushlight.core.graph import TensorBase
from rushlight.core.hooks import RemovableHandle
from rushlight.core.locks import lock
from rushlight.core.modes import Switch
from rushlight.tensors import Tensor

if TYPE_CHECKING:
    from rushlight.autograd.drawing import draw

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "draw",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]


class Node(abc.ABC):  # noqa: B024  what its subclasses are, __subclasshook__ tells
    """The abstract class of all nodes: they have `name()`, `next_functions`, `metadata`, and hooks.

    >>> import rushlight as torch
    >>> y = torch.ones(2, requires_grad=True) * 2
    >>> isinstance(y.grad_fn, torch.autograd.graph.Node), y.grad_fn.name()
    (True, 'MulBackward0')
    """

    def name(self) -> str:
        """The name of the operation's derivative."""
        raise NotImplementedError("a subclass of Node has to define it")

    def metadata(self) -> dict[str, Any]:
        """What is known of the node, such as where it was made."""
        raise NotImplementedError("a subclass of Node has to define it")

    def register_hook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Calls a function with the gradients that the node computed, and those that it was given."""
        raise NotImplementedError("a subclass of Node has to define it")

    def register_prehook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Calls a function with the gradients that the node is about to be given."""
        raise NotImplementedError("a subclass of Node has to define it")

    @classmethod
    def __subclasshook__(cls, other: type) -> bool:
        return (cls is Node and issubclass(other, CoreNode)) or NotImplemented


class GradientEdge(NamedTuple):
    """The place in the graph where a tensor's gradient arrives: a node, and the number of its output.

    `ownership_token` is for rushlight's own use: the tensor's shape and NumPy dtype, where they are known.

    >>> import rushlight as torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> edge = torch.autograd.graph.get_gradient_edge(x * 2)
    >>> edge.node.name(), edge.output_nr
    ('MulBackward0', 0)
    """

    node: Any
    output_nr: int
    ownership_token: tuple[Any, ...] | None = None


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The edge of a tensor's gradient; `grad` and `backward` accept it in place of the tensor.

    RuntimeError for a tensor that does not require grad.

    >>> import rushlight as torch
    >>> x = torch.tensor(2.0, requires_grad=True)
    >>> y = x * x
    >>> torch.autograd.grad(y, torch.autograd.graph.get_gradient_edge(x))
    (tensor(4.),)
    """
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    node = tensor._accumulator() if tensor.grad_fn is None else tensor.grad_fn
    return GradientEdge(node, tensor._index, (tensor._array.shape, tensor._array.dtype))


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Tells autograd that tensors were changed in a way that it could not see, for example through NumPy.

    Does nothing for inference tensors, which have no version counter.

    >>> import rushlight as torch
    >>> x = torch.ones(2)
    >>> torch.autograd.graph.increment_version(x)
    >>> x._version
    1
    """
    tensors = [tensor] if isinstance(tensor, TensorBase) else list(tensor) if isinstance(tensor, Iterable) else [None]
    if not all(isinstance(t, TensorBase) for t in tensors):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input")
    for t in tensors:
        if not t._inference:
            t._bump()


class saved_tensors_hooks(Switch):
    """Inside, every tensor that an operation saves goes through `pack_hook`, and back through `unpack_hook`.

    `pack_hook` gets the tensor, which it must not change, and may return anything; `unpack_hook` gets that in the
    backward pass, and must return a tensor of the same values. If pairs are nested, the innermost is used. Packed
    tensors are not checked for in-place changes. A hook that keeps the tensor itself makes a reference cycle: keep
    `tensor.detach()`.

    >>> import rushlight as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.autograd.graph.saved_tensors_hooks(lambda t: t.numpy(force=True), torch.from_numpy):
    ...     y = x * x
    >>> y.sum().backward()
    >>> x.grad
    tensor([2., 2.])
    """

    names: tuple[str, ...] = ("packing",)

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]):
        self.pack_hook: Callable[[Tensor], Any] = pack_hook
        self.unpack_hook: Callable[[Any], Tensor] = unpack_hook

    def inside(self, modes: Any) -> Any:
        """The modes with these hooks. RuntimeError if hooks are disabled."""
        if modes.refusal is not None:
            raise RuntimeError(modes.refusal)
        return modes.replace(packing=(self.pack_hook, self.unpack_hook))


class disable_saved_tensors_hooks(Switch):
    """Inside, setting hooks on saved tensors raises RuntimeError with the given message.

    >>> import rushlight as torch
    >>> with torch.autograd.graph.disable_saved_tensors_hooks("not here"):
    ...     with torch.autograd.graph.save_on_cpu():
    ...         pass
    Traceback (most recent call last):
    RuntimeError: not here
    """

    names: tuple[str, ...] = ("refusal",)

    def __init__(self, error_message: str):
        self.error_message = error_message

    def inside(self, modes: Any) -> Any:
        """The modes with hooks disabled. RuntimeError if hooks are set."""
        if modes.packing is not None:
            raise RuntimeError(self.error_message)
        return modes.replace(refusal=self.error_message)


class save_on_cpu(saved_tensors_hooks):
    """Keeps copies of saved tensors in main memory: here a copy on the same device, as there is only the CPU.

    >>> import rushlight as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.autograd.graph.save_on_cpu():
    ...     y = x * x
    >>> y.sum().backward()
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda"):
        super().__init__(lambda tensor: tensor.detach().clone(), lambda copy: copy)


class allow_mutation_on_saved_tensors(saved_tensors_hooks):
    """Inside, tensors that were saved may be changed in place: clones are saved.

    Yields an object whose `cloned` holds the clones that the graph still needs, and whose `clear()` drops them, as
    leaving the context does. AssertionError for a backward pass outside the context, RuntimeError for nested ones.

    >>> import rushlight as torch
    >>> with torch.autograd.graph.allow_mutation_on_saved_tensors():
    ...     x = torch.ones(2, requires_grad=True)
    ...     y = x.clone()
    ...     z = (y * y).sum()
    ...     _ = y.zero_()
    ...     z.backward()
    >>> x.grad
    tensor([2., 2.])
    """

    answer = property(lambda self: self)

    def __init__(self) -> None:
        super().__init__(self.keep, self.find)
        self.cloned: weakref.WeakKeyDictionary[Handle, Tensor] = weakref.WeakKeyDictionary()

    def keep(self, tensor: Tensor) -> "Handle":
        """Clones a tensor that is being saved. The clone lives as long as the graph holds the returned handle."""
        handle = Handle()
        self.cloned[handle] = tensor.detach().clone()
        return handle

    def find(self, handle: "Handle") -> Tensor:
        """The clone that belongs to a handle."""
        if handle not in self.cloned:
            raise AssertionError(
                "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context in which the graph was "
                "originally recorded."
            )
        return self.cloned[handle]

    def inside(self, modes: Any) -> Any:
        """The modes with these hooks. RuntimeError if another such context is active."""
        packing = modes.packing
        if packing is not None and isinstance(getattr(packing[0], "__self__", None), allow_mutation_on_saved_tensors):
            raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
        return super().inside(modes)

    def clear(self) -> None:
        """Drops the clones that are still held."""
        self.cloned.clear()

    leave = clear


class Handle:
    """What the graph holds in place of a saved tensor that was cloned."""


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Callable[..., None], *, mode: Literal["all", "any"] = "all"
) -> RemovableHandle:
    """Calls `fn` when the gradients of all tensors have arrived; or, with mode "any", when the first arrives.

    It gets a list of the gradients, None for those that the pass does not reach; with "any" the one gradient.

    >>> import rushlight as torch
    >>> x, y = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    >>> handle = torch.autograd.graph.register_multi_grad_hook((x, y), print)
    >>> (x * 2 + y * 3).backward()
    [tensor([2.]), tensor([3.])]
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    waiting = Waiting(list(tensors), fn, mode)
    return MultiHandle(
        t.register_hook(functools.partial(waiting.arrived, i))
        for i, t in enumerate(waiting.tensors)
        if mode == "all" or t.requires_grad
    )


class Waiting:
    """The gradients that a multi-gradient hook has received so far, for each backward pass."""

    def __init__(self, tensors: Any, fn: Any, mode: str):
        self.tensors, self.fn, self.mode = tensors, fn, mode
        self.lock: Any = lock()
        self.runs: WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()

    def arrived(self, i: Any, grad: Array) -> None:
        """Notes a gradient, and calls the function if it was the last one (or with "any" the first)."""
        run = RUN.get()
        with self.lock:
            if run not in self.runs:
                expected = sum(run.reaches(t if t.grad_fn is None else t.grad_fn) for t in self.tensors)
                self.runs[run] = [[None] * len(self.tensors), expected if self.mode == "all" else 1]
            state = self.runs[run]
            state[0][i] = grad
            state[1] -= 1
            ready = state[1] == 0
        if ready:
            self.fn(state[0] if self.mode == "all" else grad)


class MultiHandle(RemovableHandle):
    """Removes all hooks of a multi-gradient hook."""

    def __init__(self, handles: Iterable[RemovableHandle]):
        self.handles: tuple[RemovableHandle, ...] = tuple(handles)

    def remove(self) -> None:
        """Removes the hooks. A second call does nothing."""
        for handle in self.handles:
            handle.remove()


def __getattr__(name: str) -> Any:
    """Loads `draw` and its module at their first use; AttributeError for an unknown name."""
    if name == "draw":
        return import_module("rushlight.autograd.drawing").draw
    raise no_such_name("rushlight.autograd.graph", name)
