"""`jet`: higher-order directional derivatives, in one pass by Taylor arithmetic."""

from collections.abc import Callable, Sequence
from itertools import accumulate
from operator import mul
from typing import Any

import numpy as np

from rushlight.core.forward import tangent_of, with_tangent, without
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.interpreters import Within
from rushlight.core.link import LINK
from rushlight.func.arguments import beyond_inference
from rushlight.ops.derivatives.series import Series
from rushlight.tensors import Tensor
from rushlight.utils.pytree import tree_flatten, tree_unflatten

__all__ = ["jet"]


@beyond_inference
def jet(func: Callable[..., Any], primals: Sequence[Tensor], series: Sequence[Sequence[Tensor]]) -> tuple[Any, Any]:
    """The output of `func`, and its derivatives along a curve: the Taylor series of func(x(t)) at t = 0.

    `primals` are the arguments x(0), and `series` has for each of them the derivatives x'(0), x''(0), ... of the curve,
    the same number for all: `[v, zeros, zeros]` for the straight line along v. Returned are the output, and for each
    tensor in it a list of as many derivatives. All results can be differentiated. The convention is that of
    jax.experimental.jet. Nested `grad` costs exponentially more with each order; here the cost of order n grows as n²
    for nonlinear operations and as n for linear ones.

    Each operation is applied to truncated power series (A. Griewank and A. Walther, Evaluating Derivatives, 2nd ed.,
    SIAM 2008, ch. 13). Elementwise operations, products and all linear operations are supported; NotImplementedError
    names an operation that is not. ValueError for series of different lengths or shapes.

    >>> import rushlight as torch
    >>> x, one, zero = torch.tensor(0.0), torch.tensor(1.0), torch.tensor(0.0)
    >>> torch.func.jet(torch.sin, (x,), ([one, zero, zero],))
    (tensor(0.), [tensor(1.), tensor(0.), tensor(-1.)])
    """
    order = check_series(primals, series)
    factorials = list(accumulate(range(1, order + 1), mul))
    with Within(Series) as level:
        duals = [
            with_tangent(LINK(x), tuple(c / f for c, f in zip(terms, factorials, strict=True)), level)
            for x, terms in zip(primals, series, strict=True)
        ]
        outputs, spec = tree_flatten(func(*duals))
        for out in outputs:
            if not isinstance(out, TensorBase):
                raise TypeError(f"jet: expected func to return only tensors, got {type(out).__name__}")
        values = [without(out, level) for out in outputs]
        terms = [derivatives(out, value, level, factorials) for out, value in zip(outputs, values, strict=True)]
    return tree_unflatten(values, spec), tree_unflatten(terms, spec)


def check_series(primals: Sequence[Any], series: Sequence[Any]) -> int:
    """The order of the series; ValueError if their shapes differ from the primals', or their lengths differ."""
    if len(primals) != len(series):
        raise ValueError(f"jet: got {len(primals)} primals and {len(series)} series")
    orders = {len(terms) for terms in series}
    if len(orders) != 1 or 0 in orders:
        raise ValueError(f"jet terms have inconsistent lengths for different arguments: {sorted(orders)}")
    for i, (x, terms) in enumerate(zip(primals, series, strict=True)):
        for k, term in enumerate(terms):
            if term.shape != x.shape:
                raise ValueError(f"jet: derivative {k + 1} of argument {i} has shape {term.shape}, expected {x.shape}")
    return orders.pop()


def derivatives(out: Tensor, value: Tensor, level: int, factorials: list[int]) -> list[Tensor]:
    """The derivatives of an output: its Taylor coefficients times k!, zeros for missing ones."""
    coefficients = tangent_of(out, level) or (None,) * len(factorials)
    zeros = np.zeros_like(value._array)
    return [new_tensor(zeros.copy()) if c is None else c * f for c, f in zip(coefficients, factorials, strict=True)]
