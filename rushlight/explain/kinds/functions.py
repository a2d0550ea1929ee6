"""Custom functions whose backward returns a wrong gradient."""

import contextlib
import io
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.kinds import kind_of
from rushlight.explain.finding import finder, found, kind
from rushlight.explain.returning import call_in, factor_of, return_of, returned
from rushlight.explain.sites import DEFINED, Site
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
-         return grad * 3 * x
+         return grad * 3 * x ** 2

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
-         return grad * ctx.factor
+         return grad * ctx.factor, None

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
    """Explains the error for a wrong return value of a custom function's backward."""
    for error, site in case.errors:
        function = getattr(error, "function", None)
        if function is not None:
            if isinstance(error, TypeError):
                yield found(
                    MISRETURNED,
                    call_in(function.forward.__code__, "save_for_backward") or site,
                    f"the forward of {function.__name__} saves what is no tensor: {error}",
                    "save_for_backward takes tensors, which it watches for changes in place",
                    "keep numbers and other values as attributes: ctx.factor = factor",
                    ("forward", Site(function.forward.__code__, DEFINED)),
                    ("called", site),
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
    """The line where the backward of a custom function is defined."""
    return Site(backward_of(function), DEFINED)


def backward_of(function: Any) -> Any:
    """The code object of a custom function's backward."""
    return next(f.__code__ for f in (function.backward, function.forward) if hasattr(f, "__code__"))


@finder
def wrong_derivatives(case: Any) -> Iterator[Any]:
    """Finds custom functions whose gradient differs from finite differences, except where that is intended."""
    for function, args in case.readings.functions.items():
        key = (function, "refuted")
        if key not in case.checked:
            with contextlib.suppress(Exception):
                case.checked[key] = refuted(function, args)
        gap = case.checked.get(key)
        if gap is not None:
            yield found(
                WRONG,
                factor_of(backward_of(function))
                or returned(backward_of(function), part=gap.argument)
                or definition(function),
                f"the backward of {function.__name__} is not the derivative of its forward: "
                f"along a random direction it gives {gap.ours:.4g}, central differences give {gap.numeric:.4g}",
                "autograd takes a custom function's backward on trust",
                "work out the derivative again; torch.autograd.gradcheck compares every entry, in float64",
                ("backward", definition(function)),
                weight=6,
            )


class Gap(NamedTuple):
    """A wrong derivative: along a random direction, by backward and by central differences."""

    ours: float
    numeric: float
    kinks: float  # an upper bound for the error of `numeric` due to kinks and jumps
    argument: int  # the position of the argument that is differentiated by


class Trial:
    """A custom function with recorded arguments as float64, to be called again with one argument changed."""

    def __init__(self, function: Any, args: Sequence[Any]):
        rng = np.random.default_rng(0)
        self.function = function
        self.args = args
        self.needs: list[int] = [i for i, a in enumerate(args) if hasattr(a, "array") and a.needs]
        self.base: list[Any] = [
            a.array.astype(np.float64) if hasattr(a, "array") and kind_of(a.array.dtype) == "f" else None for a in args
        ]
        self.directions = {i: rng.standard_normal(self.base[i].shape) for i in self.needs}
        self.values, self.outs = self.call(recorded=True)
        self.weights = [rng.standard_normal(out._array.shape) for out in self.outs]

    def call(self, moved: int = -1, step: float = 0.0, recorded: bool = False) -> tuple[list[Any], list[Any]]:
        """The arguments, one of them moved by a step, and the float results."""
        values = list(self.args)
        for i, a in enumerate(self.args):
            if hasattr(a, "array"):
                base = a.array.copy() if self.base[i] is None else self.base[i]
                values[i] = new_tensor(base + step * self.directions[i] if i == moved else base.copy())
                values[i].requires_grad = recorded and i in self.directions
        result = self.function.apply(*values)
        return values, [r for r in (result if isinstance(result, tuple) else (result,)) if is_float(r)]

    def is_random(self) -> bool:
        """Whether a second call gives a different result."""
        return any(not np.array_equal(a._array, b._array) for a, b in zip(self.outs, self.call()[1], strict=True))

    def hands_on(self) -> bool:
        """Whether a result is one of the arguments."""
        return any(
            out._array.shape == self.base[i].shape and np.allclose(out._array, self.base[i])
            for out in self.outs
            for i in self.needs
        )

    def numeric(self, argument: int, step: float = STEP) -> tuple[float, float]:
        """The derivative of the weighted sum of the results by central differences, and how far kinks may change it."""
        above, below = self.call(argument, step)[1], self.call(argument, -step)[1]
        slope = kinks = 0.0
        for a, b, out, w in zip(above, below, self.outs, self.weights, strict=True):
            slope += float(((a._array - b._array) * w).sum())
            kinks += float(np.abs((a._array + b._array - 2 * out._array) * w).sum())
        return slope / (2 * step), kinks / (2 * step)

    def ours(self, argument: int) -> float:
        """The same derivative by backward, which has already run."""
        grad = self.values[argument]._grad
        return 0.0 if grad is None else float((grad._array * self.directions[argument]).sum())


def refuted(function: Any, args: Sequence[Any]) -> Gap | None:
    """The first derivative by the function's backward that finite differences contradict, or None.

    None also for functions whose backward differs on purpose: those whose result does not change with an argument
    (straight-through estimators), and those that return an argument (reversed or clipped gradients).
    """
    with fork_rng(), contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trial = Trial(function, args)
        if trial.is_random() or trial.hands_on():
            return None
        total = sum((out * new_tensor(w)).sum() for out, w in zip(trial.outs, trial.weights, strict=True))
        total.backward()
        gaps = [Gap(trial.ours(i), *trial.numeric(i), i) for i in trial.needs]
        if any(abs(gap.numeric) <= 1e-7 and gap.ours for gap in gaps):
            return None  # a straight-through estimator
        return next((gap for gap in gaps if differs(gap) and is_smooth(trial, gap)), None)


def differs(gap: Gap) -> bool:
    """Whether the two derivatives differ by more than the error of finite differences and nearby kinks explain."""
    return abs(gap.ours - gap.numeric) > 1e-3 * max(abs(gap.ours), abs(gap.numeric), 1e-3) + 2 * gap.kinks


def is_smooth(trial: Trial, gap: Gap) -> bool:
    """Whether there is no jump nearby: a shorter step gives the same derivative."""
    return abs(gap.numeric - trial.numeric(gap.argument, STEP / 4)[0]) <= 1e-2 * abs(gap.numeric)


def is_float(value: Any) -> bool:
    """Whether a value is a tensor of a floating-point dtype."""
    return isinstance(value, TensorBase) and kind_of(value._array.dtype) == "f"
