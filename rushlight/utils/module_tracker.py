"""`ModuleTracker`: which modules are running, forward or backward."""

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from rushlight.autograd.graph import register_multi_grad_hook
from rushlight.core.engine import RUN
from rushlight.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from rushlight.tensors import Tensor
from rushlight.utils._pytree import tree_leaves

__all__ = ["ModuleTracker"]


class ModuleTracker:
    """A context in which `parents` is the set of the names of all running modules, and "Global".

    A module's name is that of its class, followed by its path below the module that was called.

    >>> import rushlight as torch
    >>> class Shown(torch.nn.Module):
    ...     def forward(self, x):
    ...         print(sorted(tracker.parents))
    ...         return x
    >>> with ModuleTracker() as tracker:
    ...     x = torch.nn.Sequential(Shown())(torch.ones(1))
    ['Global', 'Sequential', 'Sequential.0']
    """

    parents: set[str]

    def __init__(self) -> None:
        self.parents = {"Global"}
        self._names: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
        self._seen: WeakSet[Any] = WeakSet()
        self._hooks: list[Any] = []
        self._run: Any = None

    @property
    def is_bw(self) -> bool:
        """Whether a backward pass is running."""
        return RUN.get() is not None

    def name_of(self, module: Any) -> str:
        """The name of a module, which prefixes those of its submodules."""
        name = self._names.setdefault(module, type(module).__name__)
        if module not in self._seen:
            self._seen.add(module)
            for below, child in module.named_children():
                self._names[child] = f"{name}.{below}"
                self.name_of(child)
        return name

    def enters(self, name: str) -> Callable[..., None]:
        """Makes a hook that marks a module as running in backward; marks of an earlier pass are removed."""

        def note(*grads: Any) -> None:
            if RUN.get() is not self._run:
                self._run, self.parents = RUN.get(), {"Global"}
            self.parents.add(name)

        return note

    def leaves(self, name: str) -> Callable[..., None]:
        """Makes a hook that marks a module as no longer running."""
        return lambda *grads: self.parents.discard(name)

    def watch(self, values: Any, told: Callable[..., None]) -> None:
        """Calls a function when the gradients of all tensors among some values have arrived."""
        tensors = [value for value in tree_leaves(values) if isinstance(value, Tensor) and value.requires_grad]
        if tensors:
            self._hooks.append(register_multi_grad_hook(tensors, told))

    def before(self, module: Any, args: Any) -> None:
        """Called before a module's forward."""
        if self._run is not None and RUN.get() is None:
            self._run, self.parents = None, {"Global"}
        name = self.name_of(module)
        self.parents.add(name)
        self.watch(args, self.leaves(name))

    def after(self, module: Any, args: Any, output: Any) -> None:
        """Called after a module's forward."""
        name = self.name_of(module)
        self.parents.discard(name)
        self.watch(output, self.enters(name))

    def __enter__(self) -> "ModuleTracker":
        self._handles = register_module_forward_pre_hook(self.before), register_module_forward_hook(self.after)
        return self

    def __exit__(self, *exception: object) -> None:
        for handle in (*self._handles, *self._hooks):
            handle.remove()
        self._hooks.clear()
