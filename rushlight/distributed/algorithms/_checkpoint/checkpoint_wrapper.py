"""Wrappers of modules for activation checkpointing: `apply_activation_checkpointing` inserts them."""

from collections.abc import Callable, Iterator
from enum import Enum, auto
from functools import partial
from typing import Any

from rushlight.autograd.graph import save_on_cpu
from rushlight.distributed.checkpoint.state_dict import CHECKPOINTED
from rushlight.distributed.fsdp.wrap import Policy, lambda_auto_wrap_policy, wrap_parts
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter
from rushlight.utils.checkpoint import checkpoint

__all__ = """
    ActivationWrapper CheckpointImpl CheckpointWrapper OffloadWrapper apply_activation_checkpointing checkpoint_wrapper
    offload_wrapper
""".split()


class CheckpointImpl(Enum):
    """How the recomputation is made: `use_reentrant` of `torch.utils.checkpoint`."""

    REENTRANT = auto()
    NO_REENTRANT = auto()


class ActivationWrapper(Module):
    """A wrapper whose attributes, items and names in state dicts are those of the wrapped module."""

    def __init__(self, mod: Module):
        super().__init__()
        self._checkpoint_wrapped_module = mod
        self._register_state_dict_hook(give_state)
        self.register_load_state_dict_pre_hook(take_state)

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            if f"{name}." == CHECKPOINTED:
                raise
            return getattr(self._checkpoint_wrapped_module, name)

    def __getitem__(self, key: Any) -> Any:
        return self._checkpoint_wrapped_module[key]  # type: ignore[index]  # where it is a container

    def named_parameters(self, *args: Any, **kwargs: Any) -> Iterator[tuple[str, Parameter]]:
        """The parameters, by their names without wrappers."""
        for name, parameter in super().named_parameters(*args, **kwargs):
            yield name.replace(CHECKPOINTED, ""), parameter


def give_state(module: Module, state: dict[str, Any], prefix: str, local_metadata: Any) -> None:
    """Renames the wrapped module's entries of a state dict to their names without the wrapper."""
    rename(state, prefix + CHECKPOINTED, prefix)


def take_state(module: Module, state: dict[str, Any], prefix: str, *others: Any) -> None:
    """Renames entries of a state dict to the names of the wrapped module."""
    rename(state, prefix, prefix + CHECKPOINTED)


def rename(state: dict[str, Any], before: str, after: str) -> None:
    """Replaces one prefix of names by another."""
    for key in [key for key in state if key.startswith(before)]:
        state[after + key[len(before) :]] = state.pop(key)


class OffloadWrapper(ActivationWrapper):
    """Keeps a module's saved tensors with `save_on_cpu`."""

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The module's output."""
        with save_on_cpu(pin_memory=True):
            return self._checkpoint_wrapped_module(*args, **kwargs)


class CheckpointWrapper(ActivationWrapper):
    """Calls a module with `torch.utils.checkpoint`, or with a given function of that kind."""

    def __init__(
        self,
        mod: Module,
        checkpoint_impl: CheckpointImpl = CheckpointImpl.NO_REENTRANT,
        checkpoint_fn: Callable[..., Any] | None = None,
        **checkpoint_fn_kwargs: Any,
    ):
        super().__init__(mod)
        self.checkpoint_impl = checkpoint_impl
        if checkpoint_fn is None:
            checkpoint_fn = partial(checkpoint, use_reentrant=checkpoint_impl is CheckpointImpl.REENTRANT)
        self.checkpoint_fn: Callable[..., Any] = partial(checkpoint_fn, **checkpoint_fn_kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The module's output; the backward pass calls the module again."""
        module, names = self._checkpoint_wrapped_module, list(kwargs)
        if not names or self.checkpoint_impl is CheckpointImpl.NO_REENTRANT:
            return self.checkpoint_fn(module, *args, **kwargs)

        def called(*given: Any) -> Any:  # reentrant calls accept no keywords
            return module(*given[: len(args)], **dict(zip(names, given[len(args) :], strict=True)))

        return self.checkpoint_fn(called, *args, *kwargs.values())


def offload_wrapper(module: Module) -> Module:
    """Wraps a module so that its saved tensors are kept with `save_on_cpu`."""
    return OffloadWrapper(module)


def checkpoint_wrapper(
    module: Module,
    checkpoint_impl: CheckpointImpl = CheckpointImpl.NO_REENTRANT,
    checkpoint_fn: Callable[..., Any] | None = None,
    **checkpoint_fn_kwargs: Any,
) -> Module:
    """Wraps a module so that it saves only its arguments: the backward pass calls it again.

    >>> import rushlight as torch
    >>> from rushlight.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
    >>> layer = checkpoint_wrapper(torch.nn.Linear(2, 1))
    >>> list(layer.state_dict())
    ['weight', 'bias']
    """
    return CheckpointWrapper(module, checkpoint_impl, checkpoint_fn, **checkpoint_fn_kwargs)


def everything(module: Module) -> bool:
    """True for each submodule."""
    return True


def apply_activation_checkpointing(
    model: Module,
    checkpoint_wrapper_fn: Callable[..., Module] = checkpoint_wrapper,
    check_fn: Callable[[Module], bool] = everything,
    auto_wrap_policy: Policy | None = None,
) -> None:
    """Wraps the submodules of a model (not the model itself) that a function, or a policy of `fsdp.wrap`, selects."""
    policy = partial(lambda_auto_wrap_policy, lambda_fn=check_fn) if auto_wrap_policy is None else auto_wrap_policy
    wrap_parts(model, policy, checkpoint_wrapper_fn, {}, set(), set())
