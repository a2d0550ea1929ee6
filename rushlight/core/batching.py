"""Batching: how an operator computes on batched arrays, by its rule. That of most elementwise ones is not named.

A rule is a function of (operator, arguments, levels), which returns ordinary arrays with the dimensions of the levels
in front. All levels are taken in one step: a rule that serves one serves several.
"""

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.arrays import as_array, is_array
from rushlight.core.batched import Batched, aligned, levels_of, lifted, spread
from rushlight.core.graph import TensorBase
from rushlight.core.meta import COPIED_OUT, NO_DATA, is_meta, laid_out, without_samples
from rushlight.core.turned import plain

RESHAPE, CAST, CONJUGATE, BATCHED = 1, 2, 4, 8  # the numbers of `graph`, which keeps them to itself when compiled

LARGEST_EXAMPLE = 1 << 24  # elements of what is computed to see the shape of a result on the device "meta"
DIMS = frozenset(("dim", "dims", "dim0", "dim1", "dim2"))  # parameters that count dimensions
SHAPES = frozenset(("shape",))  # parameters that are shapes
KEYS = frozenset(("key",))  # parameters that are basic keys: of slices and integers


def compute(op: Any, args: Sequence[Any]) -> Array:
    """The result of an operator on arrays some of which are batched, or turned."""
    args = plain(args)
    if op.batch is on_batched or op.batch is on_more_levels:
        return op.forward(*args)
    levels = levels_of(*args)
    if not levels:
        return op.forward(*args)
    if levels == (NO_DATA,):
        return without_memory(op, args, levels)
    result = (op.batch or elementwise)(op, args, levels)
    if type(result) is tuple or type(result) is list:
        return tuple([Batched(as_array(part), levels) for part in result])
    return Batched(as_array(result), levels)


def without_memory(op: Any, args: Sequence[Any], levels: Any) -> Array:
    """The result of an operator on arrays without memory: of no examples, else (layers) of no samples."""
    try:
        result = (op.batch or elementwise)(op, args, levels)
    except (ZeroDivisionError, NotImplementedError):
        return without_samples(op, args)
    finish = (lambda part: Batched(part, levels)) if op.view else (lambda part: laid_out(Batched(part, levels)))
    if type(result) is tuple or type(result) is list:
        return tuple([finish(as_array(part)) for part in result])
    return finish(as_array(result))


def is_list(value: Any) -> bool:
    """Whether an argument is a list of arrays."""
    return type(value) in (list, tuple) and any(is_array(item) for item in value)


def on_batched(op: Any, args: Any, levels: Any) -> Any:
    """The rule of operators whose function takes batched arrays as they are."""
    return op.forward(*args)


def on_more_levels(op: Any, args: Any, levels: Any) -> Any:
    """The same for those whose result may be on more levels than an input, whose cotangent is summed over these."""
    return op.forward(*args)


# dimensions in front


def elementwise(op: Any, args: Sequence[Any], levels: Any) -> Any:
    """The rule of operators that broadcast: batch dimensions like any others."""
    ndim = max([arg.ndim for arg in args if is_array(arg)])
    return op.forward(*[lifted(arg, levels, ndim) if type(arg) is Batched else arg for arg in args])


def leading(op: Any, args: Sequence[Any], levels: Any) -> Array | tuple[Array, ...]:
    """The rule of operators to which dimensions in front of all arrays make no difference.

    Parameters named for dimensions count from behind them; shapes and basic keys get them in front.
    """
    if counts_none(op, args):
        return one_by_one(op, args, levels)
    return in_front(op, args, levels)


def inserting(op: Any, args: Sequence[Any], levels: Any) -> Array | tuple[Array, ...]:
    """The same where the dimension is one of the result: there is a place for it in a scalar too."""
    return in_front(op, args, levels)


def with_index(op: Any, args: Sequence[Any], levels: Any) -> Array:
    """The same for operators with an index into a dimension, as long as all examples have the same index."""
    index = args[op.params.index("index")]
    if type(index) is Batched or counts_none(op, args):
        return one_by_one(op, args, levels)
    return in_front(op, args, levels, index)


def counts_none(op: Any, args: Sequence[Any]) -> bool:
    """Whether an operator is to count dimensions of what has none, or (None) takes all elements as one dimension."""
    scalars = any(is_array(item) and item.ndim == 0 for arg in args for item in (arg if is_list(arg) else (arg,)))
    for name, arg in zip(op.params, args, strict=False):
        if name in DIMS and not is_array(arg) and ((scalars and arg != ()) or (arg is None and name == "dim")):
            return True
        if name in SHAPES and arg == () and scalars is False and "dim" in op.params:
            return True
    return False


def in_front(op: Any, args: Sequence[Any], levels: Any, kept: Any = None) -> Array | tuple[Array, ...]:
    """The operator on arrays with the dimensions of the levels in front; an array may be kept as it is."""
    arrays = [item for arg in args if arg is not kept for item in (arg if is_list(arg) else (arg,)) if is_array(item)]
    lift = aligned if len(arrays) == 1 else spread
    sizes = lift(arrays[0], levels).shape[: len(levels)]
    n, ndim, moved = len(levels), arrays[0].ndim, []
    for name, arg in zip(op.params, args, strict=False):
        if arg is not kept:
            if is_array(arg):
                arg = lift(arg, levels)
            elif is_list(arg):
                arg = type(arg)([lift(item, levels) for item in arg])
            elif name in DIMS:
                arg = shifted(arg, n, ndim)
            elif name in SHAPES:
                arg = (*sizes, *arg)
            elif name in KEYS:
                arg = (slice(None),) * n + arg
        moved.append(arg)
    return op.forward(*moved)


def shifted(dims: Any, n: int, ndim: int) -> Any:
    """Dimensions counted from behind `n` more; those that count from the end stay. None is all."""
    if dims is None:
        return tuple(range(n, n + ndim))
    if type(dims) is tuple or type(dims) is list:
        return tuple([dim + n if dim >= 0 else dim for dim in dims])
    return dims + n if dims >= 0 else dims


# rules of their own


def by(function: Callable[..., Any]) -> Callable[..., Any]:
    """The rule of operators of which a batch is computed by a function of their arguments.

    It is called with the number of batch dimensions, then the arguments, each array with all examples.
    """

    def rule(op, args, levels):
        return function(len(levels), *[spread(arg, levels) if is_array(arg) else arg for arg in args])

    return rule


def over_all(reduction: Callable[..., Any]) -> Callable[..., Any]:
    """The rule of reductions of all elements, by a function of an array and of the dimensions to reduce."""
    return by(lambda n, input: reduction(input, tuple(range(n, input.ndim))))


def one_by_one(op, args, levels):
    """The rule of operators that have to be computed example by example."""
    sizes = tuple([level.size for level in levels])
    if levels[0] is NO_DATA and sum([arg.size for arg in args if type(arg) is Batched]) > LARGEST_EXAMPLE:
        raise NotImplementedError(
            f"Could not run '{op.name}' on the device meta for so many elements: it takes memory. Make the tensors "
            "smaller, or use the CPU."
        )
    indices = list(np.ndindex(sizes))
    results = [op.forward(*[example(arg, levels, index) for arg in args]) for index in indices or [None]]
    if isinstance(results[0], (tuple, list)):
        return tuple([piled(op, column, sizes, len(indices)) for column in zip(*results, strict=True)])
    return piled(op, results, sizes, len(indices))


def example(arg: Any, levels: Any, index: Sequence[int] | None) -> Any:
    """One example of an argument; of no examples (None), one to tell shapes by."""
    if type(arg) is Batched:
        if index is None:
            return arg.example()
        array = aligned(arg, levels)
        return array[(*[i if n > 1 else 0 for i, n in zip(index, array.shape, strict=False)], ...)]
    if type(arg) is tuple or type(arg) is list:
        return type(arg)([example(item, levels, index) for item in arg])
    return arg


def piled(op: Any, results: Any, sizes: Any, n: int) -> Array:
    """The results for all examples as one array."""
    if len({np.shape(result) for result in results}) > 1:
        raise refusal(op.name)
    array = np.stack(results)[:n]
    return array.reshape(sizes + array.shape[1:])


def dynamic(op: Any, args: Any, levels: Any) -> NoReturn:
    """The rule of operators whose result's shape depends on values: there can be no batch of such results."""
    raise refusal(op.name)


def refusal(name: Any) -> Any:
    """The error for results whose shape is not the same for all examples."""
    return RuntimeError(
        "vmap: We do not support batching operators that can output dynamic shape. Attempted to use "
        f"`{name}`: use torch.where or a mask of a fixed shape instead, or loop over the examples."
    )


# changes in place


def write_examples(target: Array, array: Array) -> None:
    """Overwrites the elements of all examples. RuntimeError where they share the target and not the values."""
    if is_meta(array) and not is_meta(target):
        raise NotImplementedError(COPIED_OUT)
    if any(level not in levels_of(target) for level in levels_of(array)):
        raise RuntimeError(
            "vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a Tensor `other` in "
            "extra_args that has more elements than `self`. This happened due to `other` being vmapped over but `self` "
            "not being vmapped over in a vmap. Please try to use out-of-place operators instead of inplace arithmetic: "
            "y = x + other, not x += other; and make new tensors with x.new_zeros or torch.zeros_like(x)."
        )
    np.copyto(target.array, lifted(array, target.levels, target.ndim), casting="unsafe")


# the graph


def adjust(node, op, args, result):
    """Notes what must be done to cotangents, for a call with batched arguments: see `operators.adjust`.

    Where an input is not on a level that the result is on, all examples share the input: its cotangent is the sum.
    """
    metas = []
    levels = () if op.batch is on_batched else levels_of(result)
    for i in op.inputs:
        for item in args[i] if i in op.lists else (args[i],):
            if isinstance(item, TensorBase):
                array = item._array
                metas.append((array.shape if op.broadcasts else None, array.dtype, shared_levels(array, levels)))
            else:
                metas.append(None)
    node.inputs = tuple(metas)
    node.flags = BATCHED | RESHAPE | CAST | (CONJUGATE if op.holomorphic and result.dtype.kind == "c" else 0)


def shared_levels(array: Array, levels: Any) -> Any:
    """Those of the levels of a result that an argument is not on."""
    held = levels_of(array) if levels else ()
    return tuple([level for level in levels if level not in held])
