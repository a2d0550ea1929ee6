"""Custom functions that give a gradient which is not one."""

import contextlib
import io
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.kinds import kind_of
from rushlight.explain.finding import finder, found, kind
from rushlight.explain.sites import DEFINED, Site
from rushlight.explain.writing import return_of, returned
from rushlight.random import fork_rng

WRONG = kind(
    "wrong-derivative",
    "wrong",
    "the backward of a custom function is not the derivative of its forward",
    """
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x

w = torch.randn(4, requires_grad=True)
Cube.apply(w).sum().backward()
""",
    """
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x ** 2

w = torch.randn(4, requires_grad=True)
Cube.apply(w).sum().backward()
""",
)
MISRETURNED = kind(
    "misreturned",
    "error",
    "a custom function saves or returns what it must not",
    """
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor

w = torch.randn(4, requires_grad=True)
Scale.apply(w, 3.0).sum().backward()
""",
    """
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None

w = torch.randn(4, requires_grad=True)
Scale.apply(w, 3.0).sum().backward()
""",
)
STEP = 1e-6
MISTAKES = (  # what the error says, what to do
    (
        "incorrect number",
        "return a gradient for each argument of forward, in their order, and None for what is no tensor",
    ),
    ("different than None", "return None for an argument that is no tensor: gradients come in the order of forward's"),
    ("invalid gradient", "bring each gradient to its input's shape: sum over the dimensions that were broadcast"),
    ("", "return tensors, or None, one for each argument of forward"),
)


@finder
def misreturned(case: Any) -> Iterator[Any]:
    """The error for what the backward of a custom function returned."""
    for error, site in case.errors:
        function = getattr(error, "function", None)
        if function is not None:
            if isinstance(error, TypeError):
                yield found(
                    MISRETURNED,
                    site,
                    f"the forward of {function.__name__} saves what is no tensor: {error}",
                    "save_for_backward takes tensors, which it watches for changes in place",
                    "keep numbers and other values as attributes: ctx.factor = factor",
                    ("forward", Site(function.forward.__code__, DEFINED)),
                    weight=10,
                )
                continue
            yield found(
                MISRETURNED,
                return_of(backward_of(function)) or definition(function),
                f"the backward of {function.__name__} does not return what is needed: {error}",
                "backward gets a gradient for each result of forward, and gives one for each of its arguments",
                next(do for words, do in MISTAKES if words in str(error)),
                ("the pass", site),
                weight=10,
            )


def definition(function: Any) -> Site:
    """Where the backward of a custom function is defined."""
    return Site(backward_of(function), DEFINED)


def backward_of(function):
    """The code of the backward of a custom function."""
    return next(f.__code__ for f in (function.backward, function.forward) if hasattr(f, "__code__"))


@finder
def wrong_derivatives(case: Any) -> Iterator[Any]:
    """Custom functions that central differences refute; not those that are meant to differ."""
    for function, args in case.readings.functions.items():
        key = (function, "refuted")
        if key not in case.checked:
            with contextlib.suppress(Exception):
                case.checked[key] = refuted(function, args)
        gap = case.checked.get(key)
        if gap is not None:
            yield found(
                WRONG,
                returned(backward_of(function)) or definition(function),
                f"the backward of {function.__name__} is not the derivative of its forward: "
                f"along a random direction it gives {gap[0]:.4g}, central differences give {gap[1]:.4g}",
                "autograd takes a custom function's backward on trust",
                "work out the derivative again; torch.autograd.gradcheck compares every entry, in float64",
                ("backward", definition(function)),
                weight=6,
            )


def refuted(function: Any, args: Any) -> tuple[float, float] | None:
    """The derivative along a random direction by the function's backward and by central differences, if they differ.

    None where they agree, and for functions that are not meant to have the derivative of what they compute: those that
    are flat (straight-through estimators) and those that hand their input on (reversed or clipped gradients).
    """
    rng = np.random.default_rng(0)
    needs = [i for i, a in enumerate(args) if hasattr(a, "array") and a.needs]
    base: list[Any] = [
        a.array.astype(np.float64) if hasattr(a, "array") and kind_of(a.array.dtype) == "f" else None for a in args
    ]
    directions = {i: rng.standard_normal(base[i].shape) for i in needs}

    def call(step: float, recorded: bool):
        values = []
        for i, a in enumerate(args):
            if not hasattr(a, "array"):
                values.append(a)
                continue
            array = a.array.copy() if base[i] is None else base[i] + (step * directions[i] if i in directions else 0)
            tensor = new_tensor(array)
            tensor.requires_grad = recorded and i in directions
            values.append(tensor)
        result = function.apply(*values)
        return values, [r for r in (result if isinstance(result, tuple) else (result,)) if is_float(r)]

    with fork_rng(), contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values, outs = call(0.0, True)
        again = call(0.0, False)[1]
        if any(not np.array_equal(a._array, b._array) for a, b in zip(outs, again, strict=True)):
            return None  # random
        weights = [rng.standard_normal(o._array.shape) for o in outs]
        numeric, finer = (
            sum(
                float(((a._array - b._array) * w).sum()) / (2 * step)
                for a, b, w in zip(call(step, False)[1], call(-step, False)[1], weights, strict=True)
            )
            for step in (STEP, STEP / 4)
        )
        if abs(numeric - finer) > 1e-2 * abs(numeric):
            return None  # a jump lies near
        handed_on = any(o._array.shape == base[i].shape and np.allclose(o._array, base[i]) for o in outs for i in needs)
        total = sum((o * new_tensor(w)).sum() for o, w in zip(outs, weights, strict=True))
        total.backward()
        ours = sum(float((values[i]._grad._array * directions[i]).sum()) for i in needs if values[i]._grad is not None)
    differs = abs(ours - numeric) > 1e-3 * max(abs(ours), abs(numeric), 1e-3)
    return (ours, numeric) if differs and abs(numeric) > 1e-7 and not handed_on else None


def is_float(value: Any) -> bool:
    """Whether a value is a tensor of floats in the graph or out of it."""
    return isinstance(value, TensorBase) and kind_of(value._array.dtype) == "f"
