"""Attributes of modules: parameters, buffers and submodules are registered when they are assigned."""

from collections import OrderedDict
from collections.abc import Callable
from itertools import chain
from typing import Any

from rushlight.absent.misses import LateText, near_names
from rushlight.core.above import ABOVE
from rushlight.core.advice import advised
from rushlight.core.graph import TensorBase
from rushlight.core.hooks import RemovableHandle, add_hook
from rushlight.naming import typename
from rushlight.nn.parameter import Buffer, Parameter
from rushlight.tensors import Tensor

REGISTRATION_HOOKS: dict[str, OrderedDict[Any, Any]] = {
    "parameter": OrderedDict(),
    "buffer": OrderedDict(),
    "module": OrderedDict(),
}


def register_module_parameter_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(module, name, parameter)` when any module registers a parameter; the hook may return another one."""
    return add_hook(REGISTRATION_HOOKS["parameter"], hook)


def register_module_buffer_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(module, name, buffer)` when any module registers a buffer; the hook may return another one."""
    return add_hook(REGISTRATION_HOOKS["buffer"], hook)


def register_module_module_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(module, name, submodule)` when any module registers a submodule; the hook may return another one."""
    return add_hook(REGISTRATION_HOOKS["module"], hook)


def after_hooks(kind: str, module: Any, name: str, value: Any) -> Any:
    """The value to register, after the registration hooks of its kind, which may replace it."""
    for hook in REGISTRATION_HOOKS[kind].values():
        result = hook(module, name, value)
        if result is not None:
            value = result
    return value


class Attributes:
    """Stores the parameters, buffers and submodules of a module in three dictionaries, accessible as attributes."""

    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _non_persistent_buffers_set: set[str]
    _modules: "dict[str, Attributes | None]"

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Adds a parameter, or None for a parameter that the module does not have.

        TypeError for anything else; KeyError for a name that is taken, empty or has a dot; ValueError for a tensor that
        is not a leaf.
        """
        self._check_name("parameter", name, "_parameters")
        if param is not None:
            if not isinstance(param, Parameter):
                raise TypeError(
                    f"cannot assign '{typename(param)}' object to parameter '{name}' "
                    "(torch.nn.Parameter or None required)"
                )
            if param.grad_fn:
                raise ValueError(
                    f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created "
                    f"explicitly. To express '{name}' as a function of another Tensor, compute the value in the "
                    "forward() method."
                )
            param = after_hooks("parameter", self, name, param)
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Adds a tensor that is part of the module's state but not trained, such as a running mean.

        A buffer that is not persistent is left out of `state_dict()`. TypeError for anything but a tensor or None;
        KeyError for a name that is taken, empty or has a dot.

        >>> import rushlight as torch
        >>> module = torch.nn.Module()
        >>> module.register_buffer("mean", torch.zeros(1))
        >>> module.mean
        tensor([0.])
        """
        self._check_name("buffer", name, "_buffers")
        if tensor is not None and not isinstance(tensor, TensorBase):
            raise TypeError(
                advised(f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)")
            )
        self._buffers[name] = after_hooks("buffer", self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: "Attributes | None") -> None:
        """Adds a submodule under a name; `self.name = module` does the same.

        TypeError for anything that is not a module; KeyError for a name that is taken, empty or has a dot.
        """
        if not isinstance(module, Attributes) and module is not None:
            raise TypeError(advised(f"{typename(module)} is not a Module subclass"))
        if isinstance(name, str) and "." in name:
            raise KeyError(advised(f'module name can\'t contain ".", got: {name}'))
        self._check_name("module", name, "_modules")
        self._modules[name] = after_hooks("module", self, name, module)

    def register_module(self, name: str, module: "Attributes | None") -> None:
        """Another name of `add_module`."""
        self.add_module(name, module)

    def _check_name(self, kind: str, name: str, registry: str) -> None:
        """Raises PyTorch's errors for names that cannot be registered."""
        if registry not in self.__dict__:
            raise AttributeError(advised(f"cannot assign {kind} before Module.__init__() call"))
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
        if "." in name:
            raise KeyError(advised(f'{kind} name can\'t contain ".", got: {name}'))
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if hasattr(self, name) and name not in self.__dict__[registry]:
            raise KeyError(f"attribute '{name}' already exists")

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        try:
            found = own["_parameters"]
            if name in found:
                return found[name]
            found = own["_modules"]
            if name in found:
                return found[name]
            found = own["_buffers"]
            if name in found:
                return found[name]
        except KeyError:  # Module.__init__() has not been called yet
            pass
        raise AttributeError(LateText(no_such_attribute, self, name))

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        if isinstance(value, Parameter):
            self._make_way(name, "parameters", "_parameters")
            self.register_parameter(name, value)
        elif name in own.get("_parameters", ()):
            require_none(value, f"as parameter '{name}' (torch.nn.Parameter or None expected)")
            own["_parameters"][name] = None
        elif isinstance(value, Attributes):
            self._make_way(name, "module", "_modules")
            own["_modules"][name] = after_hooks("module", self, name, value)
        elif name in own.get("_modules", ()):
            require_none(value, f"as child module '{name}' (torch.nn.Module or None expected)")
            own["_modules"][name] = after_hooks("module", self, name, None)
        elif isinstance(value, Buffer) or name in own.get("_buffers", ()):
            self._set_buffer(name, value)
        else:
            object.__setattr__(self, name, value)

    def _set_buffer(self, name: str, value: Any) -> None:
        """Assigns a buffer, which stays persistent or not as before."""
        if value is not None and not isinstance(value, TensorBase):
            require_none(value, f"as buffer '{name}' (torch.nn.Buffer, torch.Tensor or None expected)")
        persistent = value.persistent if isinstance(value, Buffer) else name not in self._non_persistent_buffers_set
        self.register_buffer(name, value, persistent)

    def _make_way(self, name: str, kind: str, registry: str) -> None:
        """Removes an attribute from the other registries before a value of another kind gets its name."""
        own = self.__dict__
        if registry not in own:
            raise AttributeError(advised(f"cannot assign {kind} before Module.__init__() call"))
        own.pop(name, None)
        own["_non_persistent_buffers_set"].discard(name)
        for other in ("_parameters", "_buffers", "_modules"):
            if other != registry:
                own[other].pop(name, None)

    def __delattr__(self, name: str) -> None:
        if name in self._parameters:
            del self._parameters[name]
        elif name in self._buffers:
            del self._buffers[name]
            self._non_persistent_buffers_set.discard(name)
        elif name in self._modules:
            del self._modules[name]
        else:
            object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        own = self.__dict__
        kept = (own.get(kind, ()) for kind in ("_parameters", "_modules", "_buffers"))  # empty before Module.__init__()
        names = [*dir(type(self)), *own, *chain(*kept)]
        return sorted(name for name in names if not name[0].isdigit())


SCRIPTED = ("inlined_graph", "save", "save_to_buffer")  # what PyTorch's torch.jit.script gives a module


def no_such_attribute(module: Any, name: str) -> str:
    """The message for a missing attribute of a module, with similar names; a method of TorchScript with the reason."""
    if name in SCRIPTED:
        return (
            f"'{type(module).__name__}' object has no attribute '{name}' in rushlight: {ABOVE.reason('torch.jit.save')}"
        )
    near = near_names(name, [known for known in dir(module) if known[0] != "_"])
    hint = f". Did you mean {' or '.join(near)}?" if near else ""
    return f"'{type(module).__name__}' object has no attribute '{name}'{hint}"


def require_none(value: Any, place: Any) -> None:
    """Raises PyTorch's TypeError for a value that is neither None nor of the kind that a name is registered for."""
    if value is not None:
        raise TypeError(advised(f"cannot assign '{typename(value)}' {place}"))
