"""Forward rules of operators for which transposing the formula would be dear: their tangents written down.

A rule is a function of (op, outs, args, tangents): the operator, its outputs, its arguments without tangents, and by
position the tangents, None where an argument has none. It returns the tangent of each output, or None to leave the
operator to the general way. It is made of operations on tensors, so that it can be differentiated in its turn.
"""

from functools import reduce
from operator import add

import numpy as np

from rushlight.core.forward import RULES, apply_formula
from rushlight.core.graph import TensorBase
from rushlight.ops.gather import _gather
from rushlight.ops.products import linear
from rushlight.ops.reduction import _mean_dims as _mean

__all__ = []


def rule(*names):
    """Enters a rule for operators of some names."""

    def enter(function):
        RULES.update(dict.fromkeys(names, function))
        return function

    return enter


def is_complex(values):
    """Whether one of some values is a complex tensor."""
    return any(isinstance(value, TensorBase) and value._array.dtype.kind == "c" for value in values)


@rule("linear", "convolution", "convolution_transpose")
def with_bias(op, outs, args, tangents):
    """A product of the first two arguments, and a bias: a product for each tangent, and the bias's."""
    input, weight, _, *rest = args
    product = linear if op.name == "linear" else lambda a, b: op(a, b, None, *rest)
    t, tangent_of_weight, tangent_of_bias = tangents[:3]
    parts = [] if t is None else [product(t, weight)]
    if tangent_of_weight is not None:
        parts.append(product(input, tangent_of_weight))
    if tangent_of_bias is not None:
        spatial = 0 if op.name == "linear" else weight._array.ndim - 2
        parts.append(tangent_of_bias.reshape(-1, *(1,) * spatial))
    return [reduce(add, parts)]


@rule("addmm", "addmv", "baddbmm", "addbmm", "addr")
def with_summand(op, outs, args, tangents):
    """beta * input + alpha * product: the product for each tangent, and the input's tangent."""
    input, first, second, beta, alpha = args
    parts = [] if tangents[0] is None else [tangents[0] * beta]
    if tangents[1] is not None:
        parts.append(op(input, tangents[1], second, 0, alpha))
    if tangents[2] is not None:
        parts.append(op(input, first, tangents[2], 0, alpha))
    return [reduce(add, parts)]


# Operators that are linear in all of their inputs together.
ADDITIVE = {
    "scatter", "scatter_add", "index_add", "index_copy", "index_put", "masked_scatter", "put", "index_fill_tensor",
    "select_scatter", "slice_scatter", "diagonal_scatter", "as_strided_scatter", "masked_fill_tensor", "copy",
    "window_replace",
}  # fmt: skip


@rule(*ADDITIVE)
def additive(op, outs, args, tangents):
    """The operator on all tangents, zeros for missing ones."""
    values = list(args)
    for i in op.inputs:
        values[i] = np.zeros_like(args[i]) if tangents[i] is None else tangents[i]
    return [op(*values)]


@rule("softmax", "clamp", "clamp_min", "clamp_max", "keep", "drop", "stable_softplus")
def symmetric(op, outs, args, tangents):
    """Operators whose Jacobian is symmetric: the formula of the cotangent is that of the tangent."""
    return None if is_complex((*args, *outs)) else [apply_formula(op, 0, tangents[op.inputs[0]], args, outs)]


@rule("log_softmax")
def log_softmax(op, outs, args, tangents):
    """t - sum(softmax * t)."""
    t = tangents[0]
    return None if is_complex(args) else [t - np.add.reduce(np.exp(outs[0]) * t, axis=args[1], keepdims=True)]


@rule("logsumexp", "amax", "amin", "max", "min", "prod", "prod_dim", "linalg_vector_norm", "var", "std")
def reduction(op, outs, args, tangents):
    """Reductions: the sum of the tangents, each weighed by the derivative of its element, which the formula gives."""
    if is_complex(args):
        return None
    weights = apply_formula(op, 0, np.ones_like(outs[0]), args, outs)
    if weights is None:
        return [None]
    given = dict(zip(op.params, args, strict=True))
    axes = given.get("dims", given.get("dim"))
    return [np.add.reduce(weights * tangents[0], axis=axes, keepdims=bool(given.get("keepdim", False)))]


@rule("max_dim", "min_dim")
def picked(op, outs, args, tangents):
    """Elements that were picked along a dimension: the tangents at their places."""
    (_, dim, keepdim), index, t = args, outs[1], tangents[0]
    if t._array.ndim == 0:
        return [t, None]
    place = index if keepdim else index.unsqueeze(dim)
    found = _gather(t, dim, place)
    return [found if keepdim else found.squeeze(dim), None]


@rule("sort", "sort_stable", "topk")
def sorted_tangents(op, outs, args, tangents):
    """The tangents in the order of the elements."""
    dim = dict(zip(op.params, args, strict=True))["dim"]
    return [tangents[0] if tangents[0]._array.ndim == 0 else _gather(tangents[0], dim, outs[1]), None]


@rule("layer_norm")
def layer_norm(op, outs, args, tangents):
    """(t - mean(t) - normal * mean(normal * t)) / std of the normalized values, then weight and bias."""
    input, weight, _, dims, eps = args
    t, tangent_of_weight, tangent_of_bias = tangents[:3]
    axes = tuple(range(-dims, 0))
    centred = input - _mean(input, axes, True, None)
    invstd = (_mean(centred * centred, axes, True, None) + eps).rsqrt()
    normal = centred * invstd
    parts = []
    if t is not None:
        tangent = (t - _mean(t, axes, True, None) - normal * _mean(normal * t, axes, True, None)) * invstd
        parts.append(tangent if weight is None else tangent * weight)
    parts += [] if tangent_of_weight is None else [normal * tangent_of_weight]
    parts += [] if tangent_of_bias is None else [tangent_of_bias]
    return [reduce(add, parts), None, None]
