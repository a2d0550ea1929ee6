"""Functions and classes of higher files that lower ones use: each is registered when its file is loaded.

So imports run one way, and the compiled core can still reach what it rarely needs: `ABOVE.settle(tensor)`. The table
`LATE` has the names of files that are loaded at the first use of such a name, which keeps `import rushlight` fast.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

__all__ = ["ABOVE", "above"]

LATE = {
    "SyncBatchNorm": "nn.parallel.synchronized",
    "apply_batched": "autograd.function_batched",
    "apply_dual": "autograd.function_forward",
    "array_namespace": "array_api",
    "call_function": "numpy_functions",
    "call_ufunc": "numpy_functions",
    "call_without_classes": "dispatch.interpreter",
    "call_without_overrides": "overrides.calls",
    "check_gradients": "autograd.gradcheck_comparisons",
    "compile": "compiler",
    "count_object": "dispatch.interpreter",
    "default_torch_function": "overrides.calls",
    "gradient_for": "sparse.gradients",
    "gradient_to_check": "autograd.gradcheck_comparisons",
    "install_switches": "overrides.switches",
    "lay_slope": "ops.derivatives.slopes",
    "load": "serialization.loading",
    "make_wrapper_subclass": "dispatch.wrappers",
    "other_form": "refusals.forms",
    "parameter_of": "dispatch.wrappers",
    "patterns_of_advice": "core.advice.patterns",
    "prepare_class": "dispatch.wrappers",
    "reason": "absent.left_out",
    "rebuilt_sparse": "sparse.creation",
    "sparse_of": "sparse.tensor",
    "sparse_parts": "sparse.parts",
    "sparse_text": "sparse.printing",
    "tap": "explain.taps",
    "vmap": "func.vectorization",
    "watch_class": "overrides.switches",
}


class Above:
    """The registered functions, by name."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Loads the file of a function that was not called before. AttributeError for a name that none registers."""
        if name not in LATE:
            raise AttributeError(f"No file has registered a function named {name} for files below.")
        import_module(f"rushlight.{LATE[name]}")
        function: Callable[..., Any] = self.__dict__[name]
        return function


ABOVE: Any = Above()


def above(function: Callable[..., Any]) -> Any:
    """Registers a function, under its name, for the files below its own.

    RuntimeError for a function of that name in another file. In the same file it is the same function: the file runs
    again where its first import was interrupted.
    """
    before = ABOVE.__dict__.setdefault(function.__name__, function)
    if before.__module__ != function.__module__:
        raise RuntimeError(f"There are two functions named {function.__name__} for files below.")
    setattr(ABOVE, function.__name__, function)
    return function
