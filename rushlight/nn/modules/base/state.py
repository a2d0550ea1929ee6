"""The state of a module and its submodules as a dictionary of tensors: `state_dict` and `load_state_dict`."""

import weakref
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

import numpy as np

from rushlight.core.advice import advised
from rushlight.core.hooks import RemovableHandle, add_hook
from rushlight.core.lines import warn
from rushlight.core.meta import COPIED_OUT
from rushlight.nn.modules.base.traversal import Traversal
from rushlight.nn.parameter import Parameter
from rushlight.tensors import Tensor

_EXTRA_STATE_KEY_SUFFIX = "_extra_state"
NO_OPERATION = (
    "for {}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current model, which is a "
    "no-op. (Did you mean to pass `assign=True` to assign items in the state dictionary to their corresponding key in "
    "the module instead of copying them in place?)"
)


class _Keys(NamedTuple):
    missing_keys: list[str]
    unexpected_keys: list[str]


class _IncompatibleKeys(_Keys):
    """The result of `load_state_dict`: the keys that the state dict lacks, and those that the module lacks."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


class State(Traversal):
    """Saves and loads the state of a module."""

    _version = 1
    _state_dict_pre_hooks: OrderedDict[Any, Any]
    _state_dict_hooks: OrderedDict[Any, Any]
    _load_state_dict_pre_hooks: OrderedDict[Any, Any]
    _load_state_dict_post_hooks: OrderedDict[Any, Any]

    def state_dict(
        self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> dict[str, Any]:
        """The parameters and persistent buffers of this module and its submodules, by full name.

        They share memory with the module's, and are detached unless `keep_vars`.

        >>> import rushlight as torch
        >>> list(torch.nn.Sequential(torch.nn.Linear(2, 3)).state_dict())
        ['0.weight', '0.bias']
        """
        if args:
            destination, prefix, keep_vars = positional(args, destination, prefix, keep_vars)
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        local_metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = local_metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            result = hook(self, destination, prefix, local_metadata)
            if result is not None:
                if getattr(hook, "_from_public_api", False):
                    raise RuntimeError("state_dict post-hook must return None")
                destination = result
        return destination

    def _save_to_state_dict(self, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
        """Adds the state of this module, without submodules, to a state dict."""
        members = [*self._parameters.items(), *self._persistent_buffers().items()]
        for name, member in members:
            if member is not None:
                destination[prefix + name] = member if keep_vars else member.detach()
        if type(self).get_extra_state is not State.get_extra_state:
            destination[prefix + _EXTRA_STATE_KEY_SUFFIX] = self.get_extra_state()

    def _persistent_buffers(self) -> dict[str, Tensor | None]:
        """The persistent buffers, which belong to the state dict."""
        return {name: b for name, b in self._buffers.items() if name not in self._non_persistent_buffers_set}

    def get_extra_state(self) -> Any:
        """Additional state for the state dict; subclasses may define it, together with `set_extra_state`."""
        raise RuntimeError("define get_extra_state() and set_extra_state() together to store more in a state_dict")

    def set_extra_state(self, state: Any) -> None:
        """Restores what `get_extra_state` returned; for subclasses to define."""
        raise RuntimeError("define get_extra_state() and set_extra_state() together to store more in a state_dict")

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> _IncompatibleKeys:
        """Copies a state dict into the parameters and buffers of this module and its submodules.

        With `strict`, the keys must be those of the module's own state dict. With `assign`, the tensors of the state
        dict replace the module's, including dtypes and memory, instead of being copied. Returns the missing and the
        unexpected keys. RuntimeError for such keys (with `strict`) and for shapes that differ.

        >>> import rushlight as torch
        >>> a, b = torch.nn.Linear(2, 3), torch.nn.Linear(2, 3)
        >>> b.load_state_dict(a.state_dict())
        <All keys matched successfully>
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(advised(f"Expected state_dict to be dict-like, got {type(state_dict)}."))
        loading = Loading(getattr(state_dict, "_metadata", None), assign)
        loading.load(self, OrderedDict(state_dict), "")
        errors = loading.errors
        if strict:
            for kind, keys in (("Unexpected", loading.unexpected), ("Missing", loading.missing)):
                if keys:
                    quoted = ", ".join(f'"{key}"' for key in keys)
                    errors.insert(0, f"{kind} key(s) in state_dict: {quoted}. ")
        if errors:
            message = f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(errors)
            raise RuntimeError(advised(message))
        return _IncompatibleKeys(loading.missing, loading.unexpected)

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Loads the state of this module, without submodules, and adds what went wrong to the three lists."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        every = {**self._parameters, **self._persistent_buffers()}
        members = {name: member for name, member in every.items() if member is not None}
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, member in members.items():
            key = prefix + name
            if key in state_dict:
                problem = self._load_member(name, key, member, state_dict[key], assign)
                if problem:
                    error_msgs.append(problem)
            elif strict:
                missing_keys.append(key)
        self._load_extra_state(state_dict, prefix + _EXTRA_STATE_KEY_SUFFIX, strict, missing_keys, unexpected_keys)
        if strict:
            unexpected_keys.extend(key for key in state_dict if self._is_unexpected(key, prefix, members))

    def _load_member(self, name: str, key: str, member: Tensor, value: Any, assign: bool) -> str | None:
        """Loads one parameter or buffer. Returns an error message, or None."""
        if not isinstance(value, Tensor):
            return (
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from '
                f"checkpoint but received {type(value)}"
            )
        if member.ndim == 0 and value.shape == (1,):
            value = value[0]
        if value.shape != member.shape:
            return (
                f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, the shape in "
                f"current model is {member.shape}."
            )
        if not assign and member.is_meta and not value.is_meta:
            warn(NO_OPERATION.format(key))
        elif not assign:
            if value.is_meta:
                raise NotImplementedError(COPIED_OUT)
            if member._array is None:  # a sparse tensor
                member.copy_(value)
            else:
                np.copyto(member._array, value._array, casting="unsafe")
                member._bump()
        elif not isinstance(member, Parameter):
            setattr(self, name, value)
        elif isinstance(value, Parameter):
            setattr(self, name, value.requires_grad_(member.requires_grad))
        else:
            setattr(self, name, Parameter(value, member.requires_grad))
        return None

    def _load_extra_state(
        self, state_dict: Mapping[str, Any], key: str, strict: bool, missing_keys: list[str], unexpected_keys: list[str]
    ) -> None:
        """Loads what `get_extra_state` returned."""
        if type(self).set_extra_state is not State.set_extra_state:
            if key in state_dict:
                self.set_extra_state(state_dict[key])
            elif strict:
                missing_keys.append(key)
        elif strict and key in state_dict:
            unexpected_keys.append(key)

    def _is_unexpected(self, key: str, prefix: str, members: Collection[str]) -> bool:
        """Whether a key with this module's prefix matches none of its members."""
        if not key.startswith(prefix) or key == prefix + _EXTRA_STATE_KEY_SUFFIX:
            return False
        name, dot, _ = key[len(prefix) :].partition(".")
        return name not in (self._modules if dot else members)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls `hook(module, prefix, keep_vars)` before the state dict is made."""
        return add_hook(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook: Any) -> RemovableHandle:
        """Calls `hook(module, state_dict, prefix, local_metadata)`, which may change the new state dict in place."""
        hook._from_public_api = True
        return add_hook(self._state_dict_hooks, hook)

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """The same for hooks that may also return another state dict."""
        return add_hook(self._state_dict_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls a hook before the module's own state is loaded.

        Its arguments are `(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
        error_msgs)`.
        """
        return add_hook(self._load_state_dict_pre_hooks, ModuleHook(hook, self))

    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], with_module: bool = False
    ) -> RemovableHandle:
        """The same for hooks that are not passed the module, unless `with_module`."""
        return add_hook(self._load_state_dict_pre_hooks, ModuleHook(hook, self) if with_module else hook)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls `hook(module, incompatible_keys)` after loading; it may change the lists of keys in place."""
        return add_hook(self._load_state_dict_post_hooks, hook)


def positional(args: Any, destination: Any, prefix: str, keep_vars: Any) -> Any:
    """The arguments of `state_dict` given by position, which PyTorch has deprecated."""
    warn("Positional args are being deprecated, use kwargs instead.", FutureWarning)
    given = (*args, *(None,) * (3 - len(args)))
    return (
        (given[0] if destination is None else destination),
        prefix or given[1] or "",
        keep_vars or bool(given[2]),
    )


class ModuleHook:
    """A hook that is called with its module; it holds only a weak reference to the module."""

    def __init__(self, hook: Callable[..., Any], module: Any):
        self.hook = hook
        self.module = weakref.ref(module)

    def __call__(self, *args: Any) -> Any:
        """Calls the hook with the module as its first argument."""
        return self.hook(self.module(), *args)

    def __reduce__(self) -> Any:
        return ModuleHook, (self.hook, self.module())


class Loading:
    """One call of `load_state_dict` for a module and its submodules, with the errors collected so far."""

    def __init__(self, metadata: Any, assign: Any):
        self.metadata = metadata
        self.assign = assign
        self.missing: list[Any] = []
        self.unexpected: list[Any] = []
        self.errors: list[Any] = []

    def load(self, module: Any, state_dict: Any, prefix: str) -> None:
        """Loads the part of a state dict that belongs to a module and its submodules."""
        metadata = {} if self.metadata is None else self.metadata.get(prefix[:-1], {})
        if self.assign:
            metadata["assign_to_params_buffers"] = True
        module._load_from_state_dict(state_dict, prefix, metadata, True, self.missing, self.unexpected, self.errors)
        for name, child in module._modules.items():
            if child is not None:
                below = f"{prefix}{name}."
                self.load(child, {key: v for key, v in state_dict.items() if key.startswith(below)}, below)
        for hook in module._load_state_dict_post_hooks.values():
            if hook(module, _IncompatibleKeys(self.missing, self.unexpected)) is not None:
                raise AssertionError(
                    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new "
                    "values, if incompatible_keys need to be modified, it should be done inplace."
                )
