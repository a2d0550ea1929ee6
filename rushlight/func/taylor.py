"""Taylor arithmetic: how operators act on truncated power series.

A series is the list of its coefficients [u0, u1, ..., un], the k-th derivative over k!; None stands for a zero. The
recurrences are those of A. Griewank and A. Walther, Evaluating Derivatives, 2nd ed., SIAM 2008, tables 13.1 and 13.2.
An elementwise operator that has none follows from its formula: v = f(u) has v' = f'(u) u'.
"""

from functools import reduce
from operator import add, mul

import numpy as np

from rushlight.core.forward import RULES, Tangents, aligned, apply_formula, fitted, tangent_of, with_tangent, without
from rushlight.core.graph import TensorBase
from rushlight.core.link import LINK
from rushlight.func.taylor_rules import RECURRENCES, REWRITTEN, scaled, total
from rushlight.ops.tangents import ADDITIVE

# Operators that pick elements, which makes them linear nearby.
PICKING = {
    "max_dim", "min_dim", "amax", "amin", "max", "min", "sort", "sort_stable", "topk", "clamp", "clamp_min",
    "clamp_max",
}  # fmt: skip
MASKING = {"masked_fill", "tied"}  # elementwise and linear nearby: their formula serves all coefficients


class Series(Tangents):
    """A level on which the coefficients of Taylor series travel in place of tangents."""

    def push(self, op, args, primals, outs):
        """The coefficients of each output of an operator, None where all are zero."""
        return push_series(op, args, primals, outs, self)


def push_series(op, args, primals, outs, level):
    """The coefficients of each output of an operator, from those of its arguments."""
    several = isinstance(outs, tuple)
    order = max(len(c) for arg in args for c in [coefficients(arg, level)] if c is not None)
    if op.name in REWRITTEN:
        result = REWRITTEN[op.name](*args)
        return [tangent_of(result, level)]
    if op.linear or op.name in ADDITIVE | PICKING | MASKING:
        columns = [linear_term(op, args, primals, outs, level, k) for k in range(1, order + 1)]
        return [as_coefficients(column) for column in zip(*columns, strict=True)]
    if several or op.joint is not None or not op.broadcasts:
        raise NotImplementedError(
            f"func.jet does not cover {op.name}: use nested func.jvp or func.grad, or write it in terms of elementwise "
            "operations and products"
        )
    if op.name in RECURRENCES:
        series = [series_of(arg, primal, level, order) for arg, primal in zip(args, primals, strict=True)]
        found = RECURRENCES[op.name](outs, *series, order)
    else:
        found = by_formula(op, args, primals, outs, level, order)
    return [as_coefficients(None if c is None else fitted(c, outs) for c in found)]


def coefficients(arg, level):
    """The coefficients of an argument beyond the first; of a list of tensors those of one of them. None for none."""
    for item in arg if isinstance(arg, (tuple, list)) else (arg,):
        found = tangent_of(item, level)
        if found is not None:
            return found
    return None


def as_coefficients(values):
    """A tuple of coefficients, None where all of them are zero."""
    values = tuple(values)
    return None if all(v is None for v in values) else values


def series_of(arg, primal, level, order):
    """The whole series of a tensor; anything else as it is."""
    if not isinstance(arg, TensorBase):
        return arg
    return [primal, *(tangent_of(arg, level) or (None,) * order)]


def linear_term(op, args, primals, outs, level, k):
    """The k-th coefficient of each output of a linear operator: products of those of inputs whose orders add to k."""
    several = isinstance(outs, tuple)
    if op.name in PICKING | MASKING:
        return linear_nearby(op, args, primals, outs if several else (outs,), level, k)
    moving = [i for i in op.inputs if coefficients(args[i], level) is not None]
    if op.name in ADDITIVE:
        found = [with_terms(op, args, primals, level, dict.fromkeys(op.inputs, k), True)]
    elif len(moving) == 1:
        found = [with_terms(op, args, primals, level, {moving[0]: k})]
    elif len(moving) == 2:
        found = [with_terms(op, args, primals, level, {moving[0]: j, moving[1]: k - j}) for j in range(k + 1)]
    else:
        raise NotImplementedError(f"func.jet covers {op.name} with series in two of its inputs, not in {len(moving)}")
    found = [part if isinstance(part, tuple) else (part,) for part in found if part is not None]
    return (
        [reduce(add, column) for column in zip(*found, strict=True)]
        if found
        else [None] * (len(outs) if several else 1)
    )


def linear_nearby(op, args, primals, outs, level, k):
    """The k-th coefficient of each output of an operator that picks or masks elements."""
    terms = [term(arg, level, k) for arg in args]
    if all(t is None for t in terms):
        return [None] * len(outs)
    if op.name in PICKING:
        return RULES[op.name](op, outs, primals, terms)
    moving = [(n, terms[i]) for n, i in enumerate(op.inputs) if terms[i] is not None]
    return [total([apply_formula(op, n, t, primals, outs) for n, t in moving])]


def with_terms(op, args, primals, level, orders, filled=False):
    """An operator with coefficients of given orders in the places of some inputs; None where one is zero."""
    values = list(primals)
    for i, k in orders.items():
        if k == 0:
            continue
        if isinstance(args[i], (tuple, list)):
            terms = [term(a, level, k) for a in args[i]]
            values[i] = (
                None
                if all(t is None for t in terms)
                else [np.zeros_like(p) if t is None else t for t, p in zip(terms, primals[i], strict=True)]
            )
        else:
            values[i] = term(args[i], level, k)
        if values[i] is not None and op.view:
            values[i] = aligned(values[i], primals[i])
    missing = [i for i in orders if values[i] is None]
    if missing and (not filled or len(missing) == len(orders)):
        return None
    for i in missing:
        values[i] = np.zeros_like(primals[i])
    return op(*values)


def term(arg, level, k):
    """The k-th coefficient of a tensor; None for a zero, and for what is no tensor."""
    found = tangent_of(arg, level)
    return None if found is None else found[k - 1]


def by_formula(op, args, primals, out, level, order):
    """Elementwise operators: k v_k is the sum of j u_j w_(k-j) over their inputs, where w = f'(u) is their formula.

    The formula is evaluated on series itself; again for each order where it is made of the result.
    """
    v = [None] * order
    moving = [n for n, i in enumerate(op.inputs) if tangent_of(args[i], level) is not None]
    slopes = {}
    for k in range(1, order + 1):
        parts = []
        for n in moving:
            u = tangent_of(args[op.inputs[n]], level)
            if k == 1 or (n in slopes and len(slopes[n]) < k):
                depth = k if uses_result(op, n) else order
                slopes[n] = slope(op, n, args, primals, out, v, level, depth)
            terms = [scaled(mul, u[j - 1], slopes[n][k - j], j) for j in range(1, k + 1)]
            parts.extend(t for t in terms if t is not None)
        v[k - 1] = total(parts, 1 / k)
    return v


def uses_result(op, n):
    """Whether the formula of an input is made of the result."""
    plan = op.plan(1 << n)
    return any(plan.is_result(k) for k in range(len(plan.sources)))


def slope(op, n, args, primals, out, v, level, depth):
    """The series of a formula on ones, of arguments and result of which `depth` coefficients are known."""
    values = [cut(arg, primal, tangent_of(arg, level), depth, level) for arg, primal in zip(args, primals, strict=True)]
    result = cut(out, out, v, depth, level)
    found = apply_formula(op, n, np.ones_like(out), values, (result,))
    return [without(found, level), *(tangent_of(found, level) or (None,) * (depth - 1))]


def cut(value, primal, coefficients, depth, level):
    """A tensor with the first `depth` coefficients of its series, the constant one among them."""
    if not isinstance(value, TensorBase) or coefficients is None or depth == 1:
        return primal
    kept = tuple(coefficients[: depth - 1])
    return primal if all(c is None for c in kept) else with_tangent(LINK(primal), kept, level)
