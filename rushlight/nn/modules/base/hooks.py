"""Module hooks: functions called before and after `forward`, and with gradients in the backward pass."""

from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any

from rushlight.core.graph import TensorBase
from rushlight.core.hooks import RemovableHandle, add_hook
from rushlight.core.lines import warn
from rushlight.nn.modules.base.backward_hook import BackwardHook


class HookTable:
    """The hooks of one module, or of all modules, in the order in which they are called, and their options by id."""

    _forward_pre_hooks: OrderedDict[int, Callable[..., Any]]
    _forward_hooks: OrderedDict[int, Callable[..., Any]]
    _backward_pre_hooks: OrderedDict[int, Callable[..., Any]]
    _backward_hooks: OrderedDict[int, Callable[..., Any]]
    _forward_pre_hooks_with_kwargs: OrderedDict[int, bool]
    _forward_hooks_with_kwargs: OrderedDict[int, bool]
    _forward_hooks_always_called: OrderedDict[int, bool]
    _is_full_backward_hook: bool | None = None  # which kind of backward hooks is in use, None if there are none

    def _make_tables(self) -> None:
        """Creates the empty tables."""
        own = self.__dict__
        for name in (
            "_forward_pre_hooks",
            "_forward_pre_hooks_with_kwargs",
            "_forward_hooks",
            "_forward_hooks_with_kwargs",
            "_forward_hooks_always_called",
            "_backward_pre_hooks",
            "_backward_hooks",
        ):
            own[name] = OrderedDict()

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Calls `hook(module, args)` before every `forward`; a result other than None replaces the arguments.

        With `with_kwargs`, calls `hook(module, args, kwargs)`, which may return `(args, kwargs)`. `prepend` puts the
        hook before the existing ones.
        """
        options = [self._forward_pre_hooks_with_kwargs] if with_kwargs else []
        return add_hook(self._forward_pre_hooks, hook, prepend, options)

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Calls `hook(module, args, output)` after every `forward`; a result other than None replaces the output.

        With `with_kwargs`, calls `hook(module, args, kwargs, output)`; with `always_call`, also if `forward` raises.
        `prepend` puts the hook before the existing ones.

        >>> import rushlight as torch
        >>> layer = torch.nn.Linear(2, 3)
        >>> handle = layer.register_forward_hook(lambda module, args, output: print(output.shape))
        >>> _ = layer(torch.ones(4, 2))
        torch.Size([4, 3])
        >>> handle.remove()
        """
        options = [self._forward_hooks_with_kwargs] if with_kwargs else []
        if always_call:
            options.append(self._forward_hooks_always_called)
        return add_hook(self._forward_hooks, hook, prepend, options)

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls `hook(module, grad_output)` before gradients pass through the module; the hook may return others."""
        return add_hook(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls `hook(module, grad_input, grad_output)` once the gradients of the module's inputs are computed.

        The hook may return other gradients for the inputs. Entries are None for arguments that are not tensors or do
        not require grad.
        """
        self._use_backward_hooks(full=True)
        return add_hook(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Legacy: calls `hook(module, grad_input, grad_output)` with the gradients of the module's last operation only.

        Use `register_full_backward_hook` instead. RuntimeError if the module has full backward hooks.
        """
        self._use_backward_hooks(full=False)
        return add_hook(self._backward_hooks, hook)

    def _use_backward_hooks(self, full: bool) -> None:
        """Records which kind of backward hooks is in use. RuntimeError if there are hooks of the other kind."""
        if self._is_full_backward_hook is (not full):
            where = "as a global Module hook" if self is EVERY_MODULE else "on a single Module"
            raise RuntimeError(
                f"Cannot use both regular backward hooks and full backward hooks {where}. Please use only one of them."
            )
        self._is_full_backward_hook = full


class EveryModule(HookTable):
    """The hooks of all modules."""

    def __init__(self) -> None:
        self._make_tables()


EVERY_MODULE: EveryModule = EveryModule()
ANYWHERE: dict[int, bool] = {}  # global hooks by id; a call of a module without hooks checks only whether this is empty


def everywhere(handle: RemovableHandle) -> RemovableHandle:
    """Records that there is a global hook; returns its handle."""
    ANYWHERE[handle.id] = True
    handle.places = (*handle.places, ANYWHERE)
    return handle


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(module, args)` before every `forward` of any module."""
    return everywhere(EVERY_MODULE.register_forward_pre_hook(hook))


def register_module_forward_hook(
    hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Calls `hook(module, args, output)` after every `forward` of any module."""
    return everywhere(EVERY_MODULE.register_forward_hook(hook, with_kwargs=with_kwargs, always_call=always_call))


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(module, grad_output)` before gradients pass through any module."""
    return everywhere(EVERY_MODULE.register_full_backward_pre_hook(hook))


def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(module, grad_input, grad_output)` after gradients have passed through any module."""
    return everywhere(EVERY_MODULE.register_full_backward_hook(hook))


def register_module_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Legacy: `register_module_full_backward_hook` with the gradients of each module's last operation only."""
    return everywhere(EVERY_MODULE.register_backward_hook(hook))


class HookedCall:
    """One call of a module that has hooks, with the arguments and the result as the hooks change them."""

    kwargs: Any

    def __init__(self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.module = module
        self.args = args
        self.kwargs = kwargs
        self.result = None
        self.called: set[Any] = set()  # the hooks on the result that were called

    def run(self) -> Any:
        """Calls the hooks and `forward`."""
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
        result = self.result if backward is None else backward.setup_output_hook(self.result)
        self.watch_last_operation(result)
        return result

    def before(self) -> None:
        """Calls the forward pre-hooks."""
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
        """Passes the arguments through an identity node that calls the backward hooks; None if there are none."""
        hooks = self.backward_hooks(True)
        pre_hooks = [*EVERY_MODULE._backward_pre_hooks.values(), *self.module._backward_pre_hooks.values()]
        if not hooks and not pre_hooks:
            return None
        backward = BackwardHook(self.module, hooks, pre_hooks)
        self.args = backward.setup_input_hook(self.args)
        return backward

    def backward_hooks(self, full: bool) -> Any:
        """The backward hooks of one kind."""
        tables = [table for table in (EVERY_MODULE, self.module) if table._is_full_backward_hook is full]
        return [hook for table in tables for hook in table._backward_hooks.values()]

    def watch_last_operation(self, result: Any) -> None:
        """Adds the legacy backward hooks to the node that made the result, or its first tensor."""
        hooks, whole = self.backward_hooks(False), result
        while hooks and isinstance(result, (tuple, list, dict)) and result:
            result = next(iter(result.values() if isinstance(result, dict) else result))
        node: Any = getattr(result, "grad_fn", None)
        if hooks and node is not None and (missed := missed_at(node, self.args, whole)):
            warn(missed, FutureWarning)
        for hook in hooks if node is not None else ():
            node.register_hook(partial(hook, self.module))

    def after(self, table: Any, number: int, hook: Callable[..., Any]) -> None:
        """Calls one forward hook."""
        if number in table._forward_hooks_always_called:
            self.called.add(number)
        keywords = (self.kwargs,) if number in table._forward_hooks_with_kwargs else ()
        result = hook(self.module, self.args, *keywords, self.result)
        if result is not None:
            self.result = result

    def after_error(self) -> None:
        """After an error, calls the forward hooks registered with `always_call`."""
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
    """PyTorch's warning for legacy hooks at a node that does not see all gradients of a call; "" if it does."""
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
    """The args and kwargs that a pre-hook returned; RuntimeError unless it returned these two."""
    if isinstance(result, tuple) and len(result) == 2:
        return result
    raise RuntimeError(f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {result}.")
