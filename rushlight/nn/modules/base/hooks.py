"""Hooks of modules: functions called before and after `forward`, and with the gradients on their way back."""

from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any

from rushlight.core.graph import TensorBase
from rushlight.core.hooks import RemovableHandle
from rushlight.core.lines import warn
from rushlight.nn.modules.base.backward_hook import BackwardHook


class HookTable:
    """The hooks on calls of one module, or of all: in the order in which they run, with their options by id."""

    _forward_pre_hooks: OrderedDict[int, Callable[..., Any]]
    _forward_hooks: OrderedDict[int, Callable[..., Any]]
    _backward_pre_hooks: OrderedDict[int, Callable[..., Any]]
    _backward_hooks: OrderedDict[int, Callable[..., Any]]
    _forward_pre_hooks_with_kwargs: dict[int, bool]
    _forward_hooks_with_kwargs: dict[int, bool]
    _forward_hooks_always_called: dict[int, bool]
    _is_full_backward_hook: bool | None = None  # the kind of the hooks on gradients, where there are any

    def _make_tables(self):
        """Begins without any hook."""
        own = self.__dict__
        for name in ("_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks"):
            own[name] = OrderedDict()
        for name in (
            "_forward_pre_hooks_with_kwargs",
            "_forward_hooks_with_kwargs",
            "_forward_hooks_always_called",
        ):
            own[name] = {}

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Calls `hook(module, args)` before every `forward`; what it returns, if not None, replaces the
        arguments.

        With `with_kwargs` it is called as `hook(module, args, kwargs)` and may return `(args, kwargs)`.
        `prepend` puts it before the hooks that are there already.
        """
        handle = RemovableHandle(self._forward_pre_hooks, extra_dict=self._forward_pre_hooks_with_kwargs)
        if with_kwargs:
            self._forward_pre_hooks_with_kwargs[handle.id] = True
        return add_to_hooks(handle, self._forward_pre_hooks, hook, prepend)

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Calls `hook(module, args, output)` after every `forward`; what it returns, if not None, replaces the
        output.

        With `with_kwargs` it is called as `hook(module, args, kwargs, output)`; with `always_call` also where
        `forward` raises. `prepend` puts it before the hooks that are there already.

        >>> import rushlight as torch
        >>> layer = torch.nn.Linear(2, 3)
        >>> handle = layer.register_forward_hook(lambda module, args, output: print(output.shape))
        >>> _ = layer(torch.ones(4, 2))
        torch.Size([4, 3])
        >>> handle.remove()
        """
        handle = RemovableHandle(
            self._forward_hooks,
            extra_dict=[self._forward_hooks_with_kwargs, self._forward_hooks_always_called],
        )
        if with_kwargs:
            self._forward_hooks_with_kwargs[handle.id] = True
        if always_call:
            self._forward_hooks_always_called[handle.id] = True
        return add_to_hooks(handle, self._forward_hooks, hook, prepend)

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls `hook(module, grad_output)` before gradients pass through the module; it may return others."""
        return add_to_hooks(RemovableHandle(self._backward_pre_hooks), self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls `hook(module, grad_input, grad_output)` once the gradients of the module's inputs are known.

        It may return other gradients of the inputs. Entries are None for arguments that are no tensors or do
        not require grad.
        """
        self._use_backward_hooks(full=True)
        return add_to_hooks(RemovableHandle(self._backward_hooks), self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Old: calls `hook(module, grad_input, grad_output)` with the gradients at the module's last operation only.

        See `register_full_backward_hook`, its successor. RuntimeError where the module has hooks of that kind.
        """
        self._use_backward_hooks(full=False)
        return add_to_hooks(RemovableHandle(self._backward_hooks), self._backward_hooks, hook, False)

    def _use_backward_hooks(self, full):
        """Notes the kind of the hooks on gradients. RuntimeError where there are some of the other kind."""
        if self._is_full_backward_hook is (not full):
            where = "as a global Module hook" if self is EVERY_MODULE else "on a single Module"
            raise RuntimeError(
                f"Cannot use both regular backward hooks and full backward hooks {where}. Please use only one of them."
            )
        self._is_full_backward_hook = full


def add_to_hooks(handle: RemovableHandle, hooks: Any, hook: Callable[..., Any], prepend: bool) -> RemovableHandle:
    """Puts a hook last among others, or first; returns its handle."""
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


class EveryModule(HookTable):
    """The hooks on calls of all modules."""

    def __init__(self):
        self._make_tables()


EVERY_MODULE = EveryModule()
ANYWHERE: dict[
    int, bool
] = {}  # the hooks on calls of all modules, by id: the one thing that a call without hooks looks at


def everywhere(handle: RemovableHandle) -> RemovableHandle:
    """Notes that there is a hook on calls of all modules; returns its handle."""
    ANYWHERE[handle.id] = True
    handle.places = (*handle.places, ANYWHERE)
    return handle


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(module, args)` before every `forward` of all modules."""
    return everywhere(EVERY_MODULE.register_forward_pre_hook(hook))


def register_module_forward_hook(
    hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Calls `hook(module, args, output)` after every `forward` of all modules."""
    return everywhere(EVERY_MODULE.register_forward_hook(hook, with_kwargs=with_kwargs, always_call=always_call))


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(module, grad_output)` before gradients pass through any module."""
    return everywhere(EVERY_MODULE.register_full_backward_pre_hook(hook))


def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(module, grad_input, grad_output)` after gradients have passed through any module."""
    return everywhere(EVERY_MODULE.register_full_backward_hook(hook))


def register_module_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Old: as `register_module_full_backward_hook`, for the gradients at the last operation of each module only."""
    return everywhere(EVERY_MODULE.register_backward_hook(hook))


class HookedCall:
    """One call of a module that has hooks: its arguments and result, as the hooks leave them."""

    kwargs: Any

    def __init__(self, module, args, kwargs):
        self.module = module
        self.args = args
        self.kwargs = kwargs
        self.result = None
        self.called: set[Any] = set()  # the hooks on the result that have been called

    def run(self) -> Any:
        """Calls `forward` between the hooks."""
        try:
            self.before()
            backward = self.watch_inputs()
            self.result = self.module.forward(*self.args, **self.kwargs)
            for table in (EVERY_MODULE, self.module):
                for number, hook in list(table._forward_hooks.items()):
                    self.after(table, number, hook)
        except Exception:
            self.after_error()
            raise
        result = self.result if backward is None else backward.watch_result(self.result)
        self.watch_last_operation(result)
        return result

    def before(self) -> None:
        """The hooks on the arguments."""
        for table in (EVERY_MODULE, self.module):
            for number, hook in list(table._forward_pre_hooks.items()):
                if number in table._forward_pre_hooks_with_kwargs:
                    result = hook(self.module, self.args, self.kwargs)
                    if result is not None:
                        self.args, self.kwargs = pair(result)
                else:
                    result = hook(self.module, self.args)
                    if result is not None:
                        self.args = result if isinstance(result, tuple) else (result,)

    def watch_inputs(self) -> Any:
        """The arguments passed through a node that knows of the hooks on gradients; None where there are no
        such.
        """
        hooks = self.backward_hooks(True)
        pre_hooks = [*EVERY_MODULE._backward_pre_hooks.values(), *self.module._backward_pre_hooks.values()]
        if not hooks and not pre_hooks:
            return None
        backward = BackwardHook(self.module, hooks, pre_hooks)
        self.args = backward.watch_inputs(self.args)
        return backward

    def backward_hooks(self, full: bool) -> Any:
        """The hooks on gradients of one kind."""
        tables = [table for table in (EVERY_MODULE, self.module) if table._is_full_backward_hook is full]
        return [hook for table in tables for hook in table._backward_hooks.values()]

    def watch_last_operation(self, result):
        """Puts the older hooks on gradients to the node that made the result, or the first tensor in it."""
        hooks, whole = self.backward_hooks(False), result
        while hooks and isinstance(result, (tuple, list, dict)) and result:
            result = next(iter(result.values() if isinstance(result, dict) else result))
        node = getattr(result, "grad_fn", None)
        if hooks and node is not None and (missed := missed_at(node, self.args, whole)):
            warn(missed, FutureWarning)
        for hook in hooks if node is not None else ():
            node.register_hook(partial(hook, self.module))

    def after(self, table: Any, number: int, hook: Callable[..., Any]) -> None:
        """One hook on the result."""
        if number in table._forward_hooks_always_called:
            self.called.add(number)
        keywords = (self.kwargs,) if number in table._forward_hooks_with_kwargs else ()
        result = hook(self.module, self.args, *keywords, self.result)
        if result is not None:
            self.result = result

    def after_error(self) -> None:
        """The hooks on the result that are to be called even after an error."""
        for table in (EVERY_MODULE, self.module):
            for number, hook in list(table._forward_hooks.items()):
                if number in table._forward_hooks_always_called and number not in self.called:
                    try:
                        self.after(table, number, hook)
                    except Exception as error:
                        kind = "global module" if table is EVERY_MODULE else "module"
                        warn(
                            f"{kind} forward hook with ``always_call=True`` raised an exception that was silenced as "
                            f"another error was raised in forward: {error}",
                        )


def missed_at(node: Any, args: Any, result: Any) -> str:
    """PyTorch's warning for older hooks at one node that do not see all gradients of a call; none if they do."""
    results = result if isinstance(result, tuple) else (result,)
    if not all(isinstance(r, TensorBase) for r in results):
        use = "non-full backward hooks on a Module that does not return a single Tensor or a tuple of Tensors"
        missing = "of the grad_output"
    elif not all(isinstance(a, TensorBase) for a in args):
        use = "non-full backward hooks on a Module that does not take as input a single Tensor or a tuple of Tensors"
        missing = "of the grad_input"
    elif len({r.grad_fn for r in results} - {None}) > 1:
        use, missing = "a non-full backward hook when outputs are generated by different autograd Nodes", "grad_output"
    elif {a.grad_fn for a in args} - {None} != {before for before, _ in node.next_functions}:
        use, missing = "a non-full backward hook when the forward contains multiple autograd Nodes", "grad_input"
    else:
        return ""
    return (
        f"Using {use} is deprecated and will be removed in future versions. This hook will be missing some {missing}. "
        "Please use register_full_backward_hook to get the documented behavior."
    )


def pair(result: Any) -> Any:
    """What a hook on arguments and keywords returned; RuntimeError unless there are two."""
    if isinstance(result, tuple) and len(result) == 2:
        return result
    raise RuntimeError(f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {result}.")
