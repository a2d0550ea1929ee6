"""Custom functions whose gradient is not that of what they compute."""

import contextlib
import io
import warnings
from typing import Any

import numpy as np

from rushlight.core.graph import TensorBase, new_tensor
from rushlight.explain.finding import finder, found, kind
from rushlight.explain.sites import Site
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
STEP = 1e-6


@finder
def wrong_derivatives(case):
    """Custom functions that central differences refute; not those that are meant to differ."""
    for function, args in case.readings.functions.items():
        key = (function, "refuted")
        if key not in case.checked:
            with contextlib.suppress(Exception):
                case.checked[key] = refuted(function, args)
        gap = case.checked.get(key)
        if gap is not None:
            code = getattr(function.backward, "__code__", None) or function.forward.__code__
            yield found(
                WRONG,
                Site(code, -1),
                f"the backward of {function.__name__} is not the derivative of its forward: along a "
                f"random direction it gives {gap[0]:.4g}, central differences give {gap[1]:.4g}",
                "autograd takes a custom function's backward on trust",
                "work out the derivative again; torch.autograd.gradcheck compares every entry, in float64",
                weight=6,
            )


def refuted(function, args) -> tuple[float, float] | None:
    """The derivative along a random direction by the function's backward and by central differences, if they differ.

    None where they agree, and for functions that are not meant to have the derivative of what they compute: those that
    are flat (straight-through estimators) and those that hand their input on (reversed or clipped gradients).
    """
    rng = np.random.default_rng(0)
    needs = [i for i, a in enumerate(args) if hasattr(a, "array") and a.needs]
    base: list[Any] = [
        a.array.astype(np.float64) if hasattr(a, "array") and a.array.dtype.kind == "f" else None for a in args
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


def is_float(value) -> bool:
    """Whether a value is a tensor of floats in the graph or out of it."""
    return isinstance(value, TensorBase) and value._array.dtype.kind == "f"
