"""Batching: how an operator computes on batched arrays, by its rule or else example by example.

A rule is a function of (operator, arguments, levels), which returns ordinary arrays with the dimensions of the levels
in front. All levels are taken in one step: a rule that serves one serves several.
"""

import numpy as np

from rushlight.core.batched import Batched, aligned, levels_of, spread
from rushlight.core.graph import TensorBase

RESHAPE, CAST, CONJUGATE, BATCHED = 1, 2, 4, 8  # the numbers of `graph`, which keeps them to itself when compiled

DIMS = frozenset(("dim", "dims", "dim0", "dim1", "dim2"))  # parameters that count dimensions
SHAPES = frozenset(("shape",))  # parameters that are shapes
KEYS = frozenset(("key",))  # parameters that are basic keys: of slices and integers


def compute(op, args):
    """The result of an operator on arrays some of which are batched."""
    if op.batch is on_batched:
        return op.forward(*args)
    levels = levels_of(*args)
    rule = op.batch or (elementwise if op.broadcasts else one_by_one)
    result = rule(op, args, levels)
    if type(result) is tuple or type(result) is list:
        return tuple([Batched(np.asarray(part), levels) for part in result])
    return Batched(np.asarray(result), levels)


def is_array(value):
    """Whether an argument is an array, batched or not."""
    return isinstance(value, (Batched, np.ndarray))


def on_batched(op, args, levels):
    """The rule of operators whose function takes batched arrays as they are."""
    return op.forward(*args)


def elementwise(op, args, levels):
    """The rule of elementwise operators: batch dimensions are broadcast like any others."""
    ndim = max([arg.ndim for arg in args if is_array(arg)])
    return op.forward(*[lifted(arg, levels, ndim) if type(arg) is Batched else arg for arg in args])


def lifted(array, levels, ndim):
    """An array with the batch dimensions in front, then enough dimensions of size 1 for an example to have `ndim`."""
    missing = ndim - array.ndim
    array = aligned(array, levels)
    return array[(slice(None),) * len(levels) + (None,) * missing] if missing else array


def leading(op, args, levels):
    """The rule of operators to which dimensions in front of all arrays make no difference.

    Parameters named for dimensions count from behind them; shapes and basic keys get them in front.
    """
    arrays = [item for arg in args for item in (arg if type(arg) in (list, tuple) else (arg,)) if is_array(item)]
    if any(array.ndim == 0 for array in arrays) and any(dims_given(op, args)):
        return one_by_one(op, args, levels)
    lift = aligned if len(arrays) == 1 else spread
    sizes = lift(arrays[0], levels).shape[: len(levels)]
    return op.forward(*[in_front(name, arg, lift, levels, sizes) for name, arg in zip(op.params, args, strict=True)])


def dims_given(op, args):
    """The arguments of an operator that count dimensions."""
    for name, arg in zip(op.params, args, strict=True):
        if name in DIMS:
            yield from arg if isinstance(arg, tuple) else (arg is not None,)


def in_front(name, arg, lift, levels, sizes):
    """An argument of an operator for arrays with batch dimensions of some sizes in front."""
    if is_array(arg):
        return lift(arg, levels)
    if type(arg) in (list, tuple) and any(is_array(item) for item in arg):
        return type(arg)([lift(item, levels) for item in arg])
    if name in DIMS:
        return shifted(arg, len(levels))
    if name in SHAPES:
        return (*sizes, *arg)
    if name in KEYS:
        return (slice(None),) * len(levels) + arg
    return arg


def shifted(dims, n):
    """Dimensions counted from behind `n` more; those that count from the end stay."""
    if dims is None:
        return None
    if type(dims) is tuple or type(dims) is list:
        return tuple([dim + n if dim >= 0 else dim for dim in dims])
    return dims + n if dims >= 0 else dims


def one_by_one(op, args, levels):
    """The rule of operators that have none: each example by itself."""
    sizes = tuple([level.size for level in levels])
    indices = list(np.ndindex(sizes))
    results = [op.forward(*[example(arg, levels, index) for arg in args]) for index in indices or [None]]
    if isinstance(results[0], (tuple, list)):
        return tuple([piled(column, sizes, len(indices)) for column in zip(*results, strict=True)])
    return piled(results, sizes, len(indices))


def example(arg, levels, index):
    """One example of an argument; of no examples (None), one to tell shapes by."""
    if type(arg) is Batched:
        if index is None:
            return arg.example()
        array = aligned(arg, levels)
        return array[*(i if n > 1 else 0 for i, n in zip(index, array.shape, strict=False)), ...]
    if type(arg) is tuple or type(arg) is list:
        return type(arg)([example(item, levels, index) for item in arg])
    return arg


def piled(results, sizes, n):
    """The results for all examples as one array."""
    if len({np.shape(result) for result in results}) > 1:
        raise refuse_shapes("an operator whose result's shape depends on values")
    array = np.stack(results)[:n]
    return array.reshape(sizes + array.shape[1:])


def refuse_shapes(what):
    """The error for results whose shape is not the same for all examples."""
    return RuntimeError(
        "vmap: We do not support batching operators that can output dynamic shape. "
        f"Attempted to vmap over {what}: use torch.where or masks of a fixed shape, or loop over the examples."
    )


def dynamic(op, args, levels):
    """The rule of operators whose result's shape depends on values: there can be no batch of such results."""
    raise refuse_shapes(op.name)


def by(function):
    """The rule of operators whose batches are computed by a function of all arguments, arrays with as many examples."""

    def rule(op, args, levels):
        lifted = [in_front("", arg, spread, levels, None) for arg in args]
        return function(len(levels), *lifted)

    return rule


# the graph


def adjust(node, op, args, result):
    """Notes what must be done to cotangents, for a call with batched arguments: see `operators.adjust`.

    Where an input is not on a level that the result is on, all examples share the input: its cotangent is the sum.
    """
    items = [item for i in op.inputs for item in (args[i] if i in op.lists else (args[i],))]
    metas = []
    for item in items:
        array = item._array if isinstance(item, TensorBase) else None
        knows = array is None or op.batch is on_batched
        shared = () if knows else tuple([level for level in levels_of(result) if level not in levels_of(array)])
        metas.append(None if array is None else (array.shape if op.broadcasts else None, array.dtype, shared))
    node.inputs = tuple(metas)
    node.flags = BATCHED | RESHAPE | CAST | (CONJUGATE if op.holomorphic and result.dtype.kind == "c" else 0)
