"""Policies that decide which submodules are wrapped separately."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from rushlight.nn.modules.container import ModuleDict, ModuleList
from rushlight.nn.modules.module import Module

__all__ = """
    CustomPolicy ModuleWrapPolicy always_wrap_policy enable_wrap lambda_auto_wrap_policy size_based_auto_wrap_policy
    transformer_auto_wrap_policy wrap
""".split()

WRAPPER: ContextVar[tuple[type, dict[str, Any]] | None] = ContextVar("rushlight_wrapper", default=None)


def always_wrap_policy(*args: Any, **kwargs: Any) -> bool:
    """Wraps every submodule."""
    return True


def lambda_auto_wrap_policy(
    module: Module, recurse: bool, nonwrapped_numel: int, lambda_fn: Callable[[Module], bool]
) -> bool:
    """Wraps submodules for which a function is true; with `recurse` it asks whether to visit their submodules."""
    return True if recurse else lambda_fn(module)


def transformer_auto_wrap_policy(
    module: Module, recurse: bool, nonwrapped_numel: int, transformer_layer_cls: Iterable[type[Module]]
) -> bool:
    """Wraps submodules of the given classes."""
    return True if recurse else isinstance(module, tuple(transformer_layer_cls))


def size_based_auto_wrap_policy(
    module: Module,
    recurse: bool,
    nonwrapped_numel: int,
    min_num_params: int = 100_000_000,
    force_leaf_modules: Iterable[type[Module]] | None = None,
    exclude_wrap_modules: Iterable[type[Module]] | None = None,
) -> bool:
    """Wraps submodules with at least so many unwrapped parameters, except lists and dictionaries of modules."""
    large = nonwrapped_numel >= min_num_params
    if recurse:
        return large and not isinstance(module, tuple(force_leaf_modules or ()))
    return large and not isinstance(module, tuple(exclude_wrap_modules or (ModuleList, ModuleDict)))


class ModuleWrapPolicy:
    """Wraps submodules of the given classes."""

    def __init__(self, module_classes: Iterable[type[Module]]) -> None:
        self._module_classes = set(module_classes)

    def __call__(self, module: Module, recurse: bool, *args: Any, **kwargs: Any) -> bool:
        return transformer_auto_wrap_policy(module, recurse, -1, self._module_classes)


class CustomPolicy:
    """Wraps submodules for which a function returns True, or options for their wrapper."""

    def __init__(self, lambda_fn: Callable[[Module], bool | dict[str, Any]]) -> None:
        self._lambda_fn = lambda_fn

    def __call__(self, module: Module, recurse: bool, *args: Any, **kwargs: Any) -> bool | dict[str, Any]:
        return True if recurse else self._lambda_fn(module)


Policy = Callable[..., Any] | ModuleWrapPolicy | CustomPolicy


def wrap_parts(
    module: Module,
    policy: Policy,
    wrapper: Any,
    options: dict[str, Any],
    ignored_modules: set[int],
    ignored_parameters: set[int],
) -> None:
    """Wraps the submodules of a module (not the module itself) that a policy selects, inner ones first.

    ValueError for submodules that are wrapped already.
    """
    made: dict[int, tuple[Module, int]] = {}

    def size(part: Module) -> int:
        return sum(own.numel() for own in part.parameters() if id(own) not in ignored_parameters)

    def wrapped(part: Module) -> tuple[Module, int]:
        """A submodule, and the number of its elements that are wrapped in it."""
        if isinstance(wrapper, type) and isinstance(part, wrapper):
            raise ValueError(
                "FSDP auto wrapping requires modules to not already have FSDP applied, but found "
                f"{type(part).__name__}: wrap the parts by hand, or give a policy."
            )
        numbers = size(part)
        inside = go_through(part, numbers)
        chosen = policy(module=part, recurse=False, nonwrapped_numel=numbers - inside)
        if not chosen:
            return part, inside
        return wrapper(part, **{**options, **(chosen if isinstance(chosen, dict) else {})}), numbers

    def go_through(part: Module, numbers: int) -> int:
        """Wraps submodules of a submodule if the policy visits them; returns the number of wrapped elements."""
        total = 0
        if policy(module=part, recurse=True, nonwrapped_numel=numbers):
            for name, child in list(part.named_children()):
                if id(child) in ignored_modules:
                    continue
                if id(child) not in made:
                    made[id(child)] = wrapped(child)
                setattr(part, name, made[id(child)][0])
                total += made[id(child)][1]
        return total

    go_through(module, size(module))


@contextmanager
def enable_wrap(*, wrapper_cls: Any, **wrapper_kwargs: Any) -> Iterator[None]:
    """A context in which `wrap` wraps modules with a class and its options."""
    before = WRAPPER.set((wrapper_cls, wrapper_kwargs))
    try:
        yield
    finally:
        WRAPPER.reset(before)


def wrap(module: Module, **wrap_overrides: Any) -> Module:
    """The module, wrapped if inside `enable_wrap`."""
    found = WRAPPER.get()
    return module if found is None else found[0](module, **{**found[1], **wrap_overrides})
