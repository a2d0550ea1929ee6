"""Taylor mode: operators on truncated power series.

A series is the list of its coefficients [u0, u1, ..., un], where uk is the k-th derivative divided by k!; None stands
for zero. Linear operators act on each coefficient. For an elementwise operator v = f(u) the coefficients follow from
its gradient formula, since v' = f'(u) u'. Other operators have a rule in their entry, as `series`: a function of (op,
args, primals, outs, level, order) that returns the coefficients of each output.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add, mul
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.forward import (
    Tangents,
    aligned,
    apply_formula,
    fitted,
    tangent_of,
    together,
    with_tangent,
    without,
)
from rushlight.core.graph import TensorBase
from rushlight.core.link import LINK
from rushlight.ops.derivatives.recurrences import scaled_product, total


class Series(Tangents):
    """A forward-mode level that carries Taylor coefficients in place of tangents."""

    def push(self, op: Any, args: Any, primals: Any, outs: Any) -> Any:
        """The coefficients of each output of an operator, None if all are zero."""
        order = max(len(c) for arg in args for c in [coefficients(arg, self)] if c is not None)
        rule = op.series or default(op, outs)
        several = outs if isinstance(outs, tuple) else (outs,)
        found = rule(op, args, primals, several, self, order)
        return [as_coefficients(column, out) for column, out in zip(found, several, strict=True)]


def default(op: Any, outs: Any) -> Any:
    """The rule of an operator that has none in its entry. NotImplementedError if no general rule applies."""
    if op.linear:
        return linear
    if op.additive:
        return by_orders(lambda op, outs, primals, terms: [together(op, primals, terms)])
    if isinstance(outs, tuple) or op.joint is not None or not op.broadcasts:
        raise NotImplementedError(
            f"func.jet does not cover {op.name}: use nested func.jvp or func.grad, or write it in terms of elementwise "
            "operations and products"
        )
    return by_formula


def recurrence(function: Callable[..., Any]) -> Callable[..., Any]:
    """The rule of an elementwise operator from its recurrence (see `recurrences`)."""

    def rule(op: Any, args: Any, primals: Sequence[Array], outs: Any, level: Any, order: int) -> Any:
        series = [series_of(arg, primal, level, order) for arg, primal in zip(args, primals, strict=True)]
        return [function(outs[0], *series, order)]

    return rule


def rewritten(function: Callable[..., Any]) -> Callable[..., Any]:
    """The rule of an operator whose value `function` computes from its arguments by other operators."""

    def rule(op: Any, args: Any, primals: Sequence[Array], outs: Any, level: Any, order: int) -> Any:
        return [tangent_of(function(*args), level)]

    return rule


def by_orders(function: Callable[..., Any]) -> Callable[..., Any]:
    """The rule of operators that are locally linear, such as those that select elements.

    `function` of (op, outs, primals, terms) gives the coefficients of one order from those of the arguments,
    as a forward-mode rule does with tangents.
    """

    def rule(op: Any, args: Any, primals: Sequence[Array], outs: Any, level: Any, order: int) -> Any:
        columns = []
        for k in range(1, order + 1):
            terms = [term(arg, level, k) for arg in args]
            still = all(t is None for t in terms)
            columns.append([None] * len(outs) if still else function(op, outs, primals, terms))
        return zip(*columns, strict=True)

    return rule


nearby: Callable[..., Any] = by_orders(
    lambda op, outs, primals, terms: op.tangent(op, outs, primals, terms)
)  # for operators that select elements


def through_formula(op: Any, outs: Sequence[Array], primals: Sequence[Array], terms: Any) -> Any:
    """The coefficients of one order of an elementwise, locally linear operator, from its gradient formula."""
    moving = [(n, terms[i]) for n, i in enumerate(op.inputs) if terms[i] is not None]
    return [total([apply_formula(op, n, t, primals, outs) for n, t in moving])]


masking: Callable[..., Any] = by_orders(through_formula)


def linear(op: Any, args: Any, primals: Sequence[Array], outs: Sequence[Array], level: Any, order: int) -> Any:
    """The rule of linear operators."""
    columns = [linear_term(op, args, primals, len(outs), level, k) for k in range(1, order + 1)]
    return zip(*columns, strict=True)


def as_coefficients(values: Array, out: Any) -> Any:
    """A tuple of coefficients with the shape and dtype of an output, None if all of them are zero."""
    values = tuple([None if v is None else fitted(v, out) for v in values or ()])
    return None if all(v is None for v in values) else values


def coefficients(arg: Any, level: Any) -> Any:
    """The coefficients of an argument after the constant one, None if it has none; for a list, those of one tensor."""
    for item in arg if isinstance(arg, (tuple, list)) else (arg,):
        found = tangent_of(item, level)
        if found is not None:
            return found
    return None


def series_of(arg: Any, primal: Any, level: Any, order: int) -> Any:
    """All coefficients of a tensor's series; any other argument unchanged."""
    if not isinstance(arg, TensorBase):
        return arg
    return [primal, *(tangent_of(arg, level) or (None,) * order)]


def linear_term(op: Any, args: Any, primals: Sequence[Array], number: Any, level: Any, k: Any) -> Any:
    """The k-th coefficient of each output of a linear operator: products of coefficients whose orders add up to k."""
    moving = [i for i in op.inputs if coefficients(args[i], level) is not None]
    if len(moving) > 2:
        raise NotImplementedError(f"func.jet covers {op.name} with series in two of its inputs, not in {len(moving)}")
    orders = [(k,)] if len(moving) == 1 else [(j, k - j) for j in range(k + 1)]
    found = [with_terms(op, args, primals, level, zip(moving, given, strict=True)) for given in orders]
    found = [part if isinstance(part, tuple) else (part,) for part in found if part is not None]
    return [reduce(add, column) for column in zip(*found, strict=True)] if found else [None] * number


def with_terms(op: Any, args: Any, primals: Sequence[Array], level: Any, orders: Any) -> Any:
    """Applies an operator to the coefficients of given orders in place of some inputs; None if one of them is zero."""
    values = list(primals)
    for i, k in orders:
        if k == 0:
            continue
        if isinstance(args[i], (tuple, list)):
            terms = [term(a, level, k) for a in args[i]]
            if all(t is None for t in terms):
                return None
            values[i] = [np.zeros_like(p) if t is None else t for t, p in zip(terms, primals[i], strict=True)]
        else:
            values[i] = term(args[i], level, k)
            if values[i] is None:
                return None
        if op.view:
            values[i] = aligned(values[i], primals[i])
    return op(*values)


def term(arg: Any, level: Any, k: Any) -> Any:
    """The k-th coefficient of a tensor; None if it is zero or the argument is not a tensor."""
    found = tangent_of(arg, level)
    return None if found is None else found[k - 1]


def by_formula(op: Any, args: Any, primals: Sequence[Array], outs: Any, level: Any, order: int) -> Any:
    """The rule of elementwise operators: k v_k is the sum of j u_j w_(k-j) over their inputs, where w = f'(u).

    The gradient formula is evaluated on series; if it uses the result, it is evaluated again for each order.
    """
    (out,), v = outs, [None] * order
    moving = [n for n, i in enumerate(op.inputs) if tangent_of(args[i], level) is not None]
    slopes: dict[int, Any] = {}
    for k in range(1, order + 1):
        parts: list[Any] = []
        for n in moving:
            u = tangent_of(args[op.inputs[n]], level)
            if k == 1 or (n in slopes and len(slopes[n]) < k):
                depth = k if uses_result(op, n) else order
                slopes[n] = slope(op, n, args, primals, out, v, level, depth)
            terms = [scaled_product(mul, u[j - 1], slopes[n][k - j], j) for j in range(1, k + 1)]
            parts.extend(t for t in terms if t is not None)
        v[k - 1] = total(parts, 1 / k)
    return [v]


def uses_result(op: Any, n: int) -> Any:
    """Whether the gradient formula of the n-th input uses the operator's result."""
    plan = op.plan(1 << n)
    return any(plan.is_result(k) for k in range(len(plan.sources)))


def slope(op: Any, n: int, args: Any, primals: Sequence[Array], out: Any, v: Array, level: Any, depth: Any) -> Any:
    """The series of f'(u): the gradient formula of ones, with the first `depth` coefficients of its arguments."""
    values = [cut(arg, primal, tangent_of(arg, level), depth, level) for arg, primal in zip(args, primals, strict=True)]
    result = cut(out, out, v, depth, level)
    found = apply_formula(op, n, np.ones_like(out), values, (result,))
    return [without(found, level), *(tangent_of(found, level) or (None,) * (depth - 1))]


def cut(value: Any, primal: Any, coefficients: Any, depth: Any, level: Any) -> Any:
    """A tensor with the first `depth` coefficients of its series, counting the constant one."""
    if not isinstance(value, TensorBase) or coefficients is None or depth == 1:
        return primal
    kept = tuple(coefficients[: depth - 1])
    return primal if all(c is None for c in kept) else with_tangent(LINK(primal), kept, level)
