"""`Module`, the base class of all modules."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Self

from rushlight.core.above import ABOVE
from rushlight.core.advice import advised
from rushlight.core.aliases import Array
from rushlight.core.interpreters import noted, writer
from rushlight.nn.modules.base.attributes import (
    REGISTRATION_HOOKS,
    register_module_buffer_registration_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from rushlight.nn.modules.base.conversion import Conversion
from rushlight.nn.modules.base.hooks import (
    ANYWHERE,
    EVERY_MODULE,
    HookedCall,
    HookTable,
    register_module_backward_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
)
from rushlight.nn.modules.base.state import _EXTRA_STATE_KEY_SUFFIX as _EXTRA_STATE_KEY_SUFFIX
from rushlight.nn.modules.base.state import State
from rushlight.nn.modules.base.state import _IncompatibleKeys as _IncompatibleKeys
from rushlight.nn.modules.wrapped_hooks import _WrappedHook as _WrappedHook

__all__ = [
    "Module",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]


def _forward_unimplemented(self: Any, *input: Any) -> None:
    """The default `forward`, which raises NotImplementedError: subclasses define what they compute."""
    raise NotImplementedError(advised(f'Module [{type(self).__name__}] is missing the required "forward" function'))


class Module(State, Conversion, HookTable):
    """The base class of layers and networks: parameters, buffers and submodules, and a computation, `forward`.

    A subclass calls `super().__init__()` first, assigns its parts, and defines `forward`, which a call of the module
    calls.

    AttributeError if a part is assigned before `super().__init__()`, NotImplementedError for a call without `forward`.

    >>> import rushlight as torch
    >>> class Network(torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.layer = torch.nn.Linear(2, 3)
    ...
    ...     def forward(self, x):
    ...         return torch.relu(self.layer(x))
    >>> Network()
    Network(
      (layer): Linear(in_features=2, out_features=3, bias=True)
    )
    """

    training: bool
    call_super_init = False
    forward: Callable[..., Any] = _forward_unimplemented

    def __init__(self, *args: Any, **kwargs: Any):
        name = type(self).__name__
        if kwargs and not self.call_super_init:
            raise TypeError(f"{name}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'")
        if args and not self.call_super_init:
            raise TypeError(f"{name}.__init__() takes 1 positional argument but {len(args) + 1} were given")
        own = self.__dict__
        own["training"] = True
        own["_parameters"], own["_buffers"], own["_modules"] = {}, {}, {}
        own["_non_persistent_buffers_set"] = set()
        for hooks in STATE_HOOKS:
            own[hooks] = OrderedDict()
        self._make_tables()
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls `forward` and the hooks."""
        own = self.__dict__
        if (
            own["_forward_hooks"]
            or own["_forward_pre_hooks"]
            or own["_backward_hooks"]
            or own["_backward_pre_hooks"]
            or ANYWHERE
        ):
            return HookedCall(self, args, kwargs).run()
        return self.forward(*args, **kwargs)

    def train(self, mode: bool = True) -> Self:
        """Sets this module and its submodules to training mode, or to evaluation mode.

        Dropout and batch normalization, for example, depend on the mode. ValueError for anything but True and False.
        """
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Sets this module and its submodules to evaluation mode."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Sets whether the parameters of this module and its submodules require gradients."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Sets the gradients of all parameters to None, or to zeros."""
        clear_gradients(self.parameters(), set_to_none)

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Compiles the calls of this module's `forward` with `torch.compile`, which takes these arguments.

        >>> import rushlight as torch
        >>> layer = torch.nn.Linear(2, 1)
        >>> layer.compile()
        >>> layer(torch.ones(3, 2)).shape
        torch.Size([3, 1])
        """
        self.__dict__["forward"] = ABOVE.compile(self.forward, *args, **kwargs)

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """The module's arguments as `repr` shows them; for subclasses to define."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [f"({name}): {_addindent(repr(module), 2)}" for name, module in self._modules.items()]
        if len(lines) == 1 and not children:
            return f"{self._get_name()}({lines[0]})"
        lines += children
        inside = "\n  " + "\n  ".join(lines) + "\n" if lines else ""
        return f"{self._get_name()}({inside})"


# The hooks of all modules, under the names by which programs look at them.
_global_forward_pre_hooks = EVERY_MODULE._forward_pre_hooks
_global_forward_hooks = EVERY_MODULE._forward_hooks
_global_forward_hooks_with_kwargs = EVERY_MODULE._forward_hooks_with_kwargs
_global_forward_hooks_always_called = EVERY_MODULE._forward_hooks_always_called
_global_backward_pre_hooks = EVERY_MODULE._backward_pre_hooks
_global_backward_hooks = EVERY_MODULE._backward_hooks
_global_parameter_registration_hooks, _global_buffer_registration_hooks, _global_module_registration_hooks = (
    REGISTRATION_HOOKS[kind] for kind in ("parameter", "buffer", "module")
)


def _has_any_global_hook() -> bool:
    """Whether a hook is registered that every call of a module runs."""
    return bool(ANYWHERE)


STATE_HOOKS = (
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)


def _addindent(s_: str, numSpaces: int) -> str:
    """A text in which all lines but the first and the empty ones are indented."""
    first, *others = s_.split("\n")
    return "\n".join([first, *(numSpaces * " " + line if line.strip() else "" for line in others)])


def fill_with(array: Array, value: int) -> None:
    """Overwrites all elements of an array."""
    array.fill(value)


fill: Callable[..., Any] = noted(fill_with, changes=(0,))


def clear_gradients(parameters: Any, set_to_none: bool) -> None:
    """Sets the gradients of parameters to None, or to zeros."""
    writes = writer()
    for parameter in parameters:
        grad = parameter._grad
        if writes is not None:
            writes.grads_of(parameter, set_to_none)
        if grad is None:
            continue
        if set_to_none:
            parameter._grad = None
            continue
        if grad.grad_fn is not None:
            grad.detach_()
        else:
            grad.requires_grad_(False)
        if grad._array is None:  # a sparse tensor
            grad.zero_()
        else:
            fill(grad._array, 0)
        grad._bump()
