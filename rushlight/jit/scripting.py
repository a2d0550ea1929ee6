"""`script`, `trace` and what goes with them: programs run as the Python that they are."""

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.nn.modules.module import Module

__all__ = [
    "Error",
    "ScriptFunction",
    "ScriptModule",
    "ScriptWarning",
    "TracerWarning",
    "freeze",
    "optimize_for_inference",
    "run_frozen_optimizations",
    "script",
    "trace",
    "trace_module",
]


class Error(RuntimeError):
    """What PyTorch raises for an error in compiled code; here errors are those of the code itself."""


class ScriptWarning(Warning):
    """What PyTorch's compiler warns with."""


class TracerWarning(Warning):
    """What PyTorch's recorder of traces warns with."""


class ScriptModule(Module):
    """A module whose methods PyTorch compiles; here an ordinary one."""


class ScriptFunction:
    """The class of PyTorch's compiled functions, for `isinstance`: here functions stay what they are."""

    def __init__(self):
        raise TypeError(
            "torch.jit.ScriptFunction: No constructor defined! torch.jit.script gives functions as they are."
        )


def script(obj: Any, optimize: Any = None, _frames_up: int = 0, _rcb: Any = None, example_inputs: Any = None) -> Any:
    """The module, function or class itself.

    >>> import rushlight as torch
    >>> @torch.jit.script
    ... def clamped(x, low: float):
    ...     return x if bool(x.min() > low) else x.clamp(min=low)
    >>> clamped(torch.tensor([1.0, 3.0]), 2.0)
    tensor([2., 3.])
    """
    return obj


def trace(
    func: Callable[..., Any],
    example_inputs: Any = None,
    optimize: Any = None,
    check_trace: bool = True,
    check_inputs: Any = None,
    check_tolerance: float = 1e-5,
    strict: bool = True,
    _force_outplace: bool = False,
    _module_class: Any = None,
    _compilation_unit: Any = None,
    example_kwarg_inputs: dict[Any, Any] | None = None,
    _store_inputs: bool = True,
) -> Callable[..., Any]:
    """The function or module itself, after a call with the example, whose errors come at once as in PyTorch.

    PyTorch records that call and repeats it; here conditions and loops are run anew in each call.

    >>> import rushlight as torch
    >>> double = torch.jit.trace(lambda x: 2 * x, torch.ones(2))
    >>> double(torch.tensor([1.0, 2.0, 3.0]))
    tensor([2., 4., 6.])
    """
    if example_kwarg_inputs is not None:
        func(**example_kwarg_inputs)
    elif example_inputs is None:
        raise RuntimeError("example_kwarg_inputs should be a dict: give trace the arguments of a call as an example.")
    elif isinstance(example_inputs, Sequence):
        func(*example_inputs)
    else:
        func(example_inputs)
    return func


def trace_module(mod: Module, inputs: dict[str, Any], *args: Any, **kwargs: Any) -> Module:
    """The module itself, after a call of each method that `inputs` has an example for."""
    if not isinstance(inputs, dict):
        raise AttributeError("expected a dictionary of (method_name, input) pairs")
    for name, example in inputs.items():
        trace(mod if name == "forward" else getattr(mod, name), example)
    return mod


def freeze(mod: Module, preserved_attrs: list[str] | None = None, optimize_numerics: bool = True) -> Module:
    """The module itself. RuntimeError for one in training mode, as in PyTorch."""
    if mod.training:
        raise RuntimeError(
            "Freezing is currently only implemented for modules in eval mode. Please call .eval() first."
        )
    return mod


def optimize_for_inference(mod: Module, other_methods: list[str] | None = None) -> Module:
    """The module itself."""
    return mod


def run_frozen_optimizations(
    mod: Module, optimize_numerics: bool = True, preserved_methods: list[str] | None = None
) -> None:
    """Nothing: modules run as they are."""
