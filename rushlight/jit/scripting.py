"""`script`, `trace` and related functions: programs run as Python."""

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
    """PyTorch raises it for errors in compiled code; here the code's own exceptions are raised."""


class ScriptWarning(Warning):
    """The category of warnings of PyTorch's compiler."""


class TracerWarning(Warning):
    """The category of warnings of PyTorch's tracer."""


class ScriptModule(Module):
    """In PyTorch a module with compiled methods; here an ordinary module."""


class ScriptFunction:
    """The class of PyTorch's compiled functions, for `isinstance`: here functions stay as they are."""

    def __init__(self) -> None:
        raise TypeError(
            "torch.jit.ScriptFunction: No constructor defined! torch.jit.script gives functions as they are."
        )


def script(obj: Any, optimize: Any = None, _frames_up: int = 0, _rcb: Any = None, example_inputs: Any = None) -> Any:
    """Returns the module, function or class.

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
    """Returns the function or module, after calling it with the example, so that errors appear at once as in PyTorch.

    PyTorch records that call and replays it; here conditions and loops are evaluated in each call.

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
    """Returns the module, after calling each method that `inputs` has an example for."""
    if not isinstance(inputs, dict):
        raise AttributeError("expected a dictionary of (method_name, input) pairs")
    for name, example in inputs.items():
        trace(mod if name == "forward" else getattr(mod, name), example)
    return mod


def freeze(mod: Module, preserved_attrs: list[str] | None = None, optimize_numerics: bool = True) -> Module:
    """Returns the module. RuntimeError for one in training mode, as in PyTorch."""
    if mod.training:
        raise RuntimeError(
            "Freezing is currently only implemented for modules in eval mode. Please call .eval() first."
        )
    return mod


def optimize_for_inference(mod: Module, other_methods: list[str] | None = None) -> Module:
    """Returns the module."""
    return mod


def run_frozen_optimizations(
    mod: Module, optimize_numerics: bool = True, preserved_methods: list[str] | None = None
) -> None:
    """Does nothing: modules are not compiled."""
