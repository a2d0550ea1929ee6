"""`functorch`, the predecessor of `torch.func`: its functions, and modules as functions of their parameters."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, NoReturn

from rushlight.absent.misses import no_such_name as _no_such_name
from rushlight.func import functionalize, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, vjp, vmap
from rushlight.func.modules import functional_call, stack_module_state
from rushlight.nn.modules.module import Module
from rushlight.tensors import Tensor

__all__ = [
    "FunctionalModule",
    "FunctionalModuleWithBuffers",
    "combine_state_for_ensemble",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "make_functional",
    "make_functional_with_buffers",
    "vjp",
    "vmap",
]


class FunctionalModuleWithBuffers(Module):
    """A module as a function of its parameters, its buffers and its arguments."""

    param_names: tuple[str, ...]
    buffer_names: tuple[str, ...]

    def __init__(self, stateless_model: Module, param_names: Sequence[str], buffer_names: Sequence[str]):
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names, self.buffer_names = tuple(param_names), tuple(buffer_names)

    def forward(self, params: Sequence[Tensor], buffers: Sequence[Tensor], *args: Any, **kwargs: Any) -> Any:
        """The module's output with these tensors in place of its own."""
        names = (*self.param_names, *self.buffer_names)
        return functional_call(
            self.stateless_model, dict(zip(names, (*params, *buffers), strict=True)), args, kwargs, tie_weights=False
        )


class FunctionalModule(FunctionalModuleWithBuffers):
    """A module without buffers as a function of its parameters and its arguments."""

    def forward(self, params: Sequence[Tensor], *args: Any, **kwargs: Any) -> Any:
        """The module's output with these tensors in place of its parameters."""
        return super().forward(params, (), *args, **kwargs)


def make_functional(model: Module, disable_autograd_tracking: bool = False) -> tuple[FunctionalModule, tuple[Any, ...]]:
    """A module as a function, and its parameters. RuntimeError for a module with buffers.

    >>> import rushlight as torch
    >>> from rushlight.functorch import make_functional
    >>> call, params = make_functional(torch.nn.Linear(2, 1, bias=False))
    >>> call((torch.tensor([[1.0, 2.0]]),), torch.tensor([3.0, 4.0]))
    tensor([11.])
    """
    if list(model.buffers()):
        raise RuntimeError(
            "make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) instead."
        )
    names, params, _, _ = state_of(model, disable_autograd_tracking)
    return FunctionalModule(deepcopy(model), names, ()), params


def make_functional_with_buffers(
    model: Module, disable_autograd_tracking: bool = False
) -> tuple[FunctionalModuleWithBuffers, tuple[Any, ...], tuple[Any, ...]]:
    """A module as a function, its parameters and its buffers."""
    names, params, buffer_names, buffers = state_of(model, disable_autograd_tracking)
    return FunctionalModuleWithBuffers(deepcopy(model), names, buffer_names), params, buffers


def combine_state_for_ensemble(
    models: Sequence[Module],
) -> tuple[FunctionalModuleWithBuffers, tuple[Any, ...], tuple[Any, ...]]:
    """Modules of one class as a single function for `vmap`, with their parameters and buffers stacked."""
    params, buffers = stack_module_state(models)
    function = FunctionalModuleWithBuffers(deepcopy(models[0]), list(params), list(buffers))
    return function, tuple(params.values()), tuple(buffers.values())


def state_of(model: Module, detached: bool) -> tuple[list[str], tuple[Any, ...], list[str], tuple[Any, ...]]:
    """The names and tensors of a module's parameters and buffers."""
    params, buffers = dict(model.named_parameters()), dict(model.named_buffers())
    values = tuple(p.detach() for p in params.values()) if detached else tuple(params.values())
    return list(params), values, list(buffers), tuple(buffers.values())


def __getattr__(name: str) -> NoReturn:
    """Raises AttributeError with the reason why there is no such name, or similar names."""
    raise _no_such_name("rushlight.functorch", name)
