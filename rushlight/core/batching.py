"""How operators compute on batched arrays: each by its batching rule. Most elementwise ones use a default rule.

A rule is a function of (operator, arguments, levels), which returns ordinary arrays with the dimensions of the levels
in front. All levels are handled in one step: a rule that works for one level works for several.
"""

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.arrays import as_array, is_array
from rushlight.core.batched import Batched, aligned, levels_of, lifted, spread
from rushlight.core.codes import BATCHED, CAST, CONJUGATE, RESHAPE
from rushlight.core.graph import TensorBase
from rushlight.core.meta import COPIED_OUT, NO_DATA, is_meta, laid_out, without_samples
from rushlight.core.recording import conjugates
from rushlight.core.turned import Turned, plain

LARGEST_EXAMPLE = 1 << 24  # the most elements that are computed to find a result's shape on the device "meta"
DIMS = frozenset(("dim", "dims", "dim0", "dim1", "dim2"))  # parameters that name dimensions
SHAPES = frozenset(("shape",))  # parameters that are shapes
KEYS = frozenset(("key",))  # parameters that are basic keys: slices and integers


def compute(op: Any, args: Sequence[Any]) -> Array:
    """The result of an operator on arrays of which some are batched, or lazily conjugated."""
    for arg in args:
        if type(arg) is Turned or type(arg) is list or type(arg) is tuple:
            args = plain(args)
            break
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
    """The result of an operator on meta arrays, computed for zero examples or, for layers, zero samples."""
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
    """The rule of operators whose function takes batched arrays directly."""
    return op.forward(*args)


def on_more_levels(op: Any, args: Any, levels: Any) -> Any:
    """`on_batched` where the result may have more levels than an input, whose gradient is then summed over these."""
    return op.forward(*args)


# rules that put batch dimensions in front


def elementwise(op: Any, args: Sequence[Any], levels: Any) -> Any:
    """The rule of operators that broadcast: batch dimensions are treated as ordinary ones."""
    ndim = max([arg.ndim for arg in args if is_array(arg)])
    return op.forward(*[lifted(arg, levels, ndim) if type(arg) is Batched else arg for arg in args])


def leading(op: Any, args: Sequence[Any], levels: Any) -> Array | tuple[Array, ...]:
    """The rule of operators that ignore leading dimensions of all their arrays.

    Dimensions are shifted behind the batch dimensions; shapes and basic keys get the batch dimensions in front.
    """
    if counts_none(op, args):
        return one_by_one(op, args, levels)
    return in_front(op, args, levels)


def inserting(op: Any, args: Sequence[Any], levels: Any) -> Array | tuple[Array, ...]:
    """`leading`, where the dimension is one of the result, such as that of `unsqueeze`: valid for scalars too."""
    return in_front(op, args, levels)


def with_index(op: Any, args: Sequence[Any], levels: Any) -> Array:
    """`leading` for operators with an index into a dimension, as long as all examples have the same index."""
    index = args[op.params.index("index")]
    if type(index) is Batched or counts_none(op, args):
        return one_by_one(op, args, levels)
    return in_front(op, args, levels, index)


def counts_none(op: Any, args: Sequence[Any]) -> bool:
    """Whether dimensions cannot be shifted: an example is 0-dimensional, or a `dim` of None flattens the input."""
    scalars = any(is_array(item) and item.ndim == 0 for arg in args for item in (arg if is_list(arg) else (arg,)))
    for name, arg in zip(op.params, args, strict=False):
        if name in DIMS and not is_array(arg) and ((scalars and arg != ()) or (arg is None and name == "dim")):
            return True
        if name in SHAPES and arg == () and scalars is False and "dim" in op.params:
            return True
    return False


def in_front(op: Any, args: Sequence[Any], levels: Any, kept: Any = None) -> Array | tuple[Array, ...]:
    """Calls the operator on arrays with the dimensions of the levels in front; `kept` is passed as it is."""
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
    """Dimensions moved behind `n` leading ones; negative ones stay. None stands for all dimensions."""
    if dims is None:
        return tuple(range(n, n + ndim))
    if type(dims) is tuple or type(dims) is list:
        return tuple([dim + n if dim >= 0 else dim for dim in dims])
    return dims + n if dims >= 0 else dims


# rules that name a function


def by(function: Callable[..., Any]) -> Callable[..., Any]:
    """The rule of operators whose batch is computed by a function of their arguments.

    The function gets the number of batch dimensions, then the arguments, where each array holds all examples.
    """

    def rule(op: Any, args: Sequence[Any], levels: Any) -> Any:
        return function(len(levels), *[spread(arg, levels) if is_array(arg) else arg for arg in args])

    return rule


def over_all(reduction: Callable[..., Any]) -> Callable[..., Any]:
    """The rule of reductions of all elements, given a function of an array and of the dimensions to reduce."""
    return by(lambda n, input: reduction(input, tuple(range(n, input.ndim))))


def one_by_one(op: Any, args: Sequence[Any], levels: Any) -> Any:
    """The rule of operators that must be computed example by example."""
    sizes = tuple([level.size for level in levels])
    if levels[0] is NO_DATA and sum([arg.size for arg in args if type(arg) is Batched]) > LARGEST_EXAMPLE:
        raise NotImplementedError(
            f"Could not run '{op.name}' on the device meta for so many elements: it takes memory. Make the tensors "
            "smaller, or use the CPU."
        )
    indices: list[Any] = list(np.ndindex(sizes))
    results = [op.forward(*[example(arg, levels, index) for arg in args]) for index in indices or [None]]
    if isinstance(results[0], (tuple, list)):
        return tuple([piled(op, column, sizes, len(indices)) for column in zip(*results, strict=True)])
    return piled(op, results, sizes, len(indices))


def example(arg: Any, levels: Any, index: Sequence[int] | None) -> Any:
    """One example of an argument; with index None, for an empty batch, a placeholder of the right shape."""
    if type(arg) is Batched:
        if index is None:
            return arg.example()
        array = aligned(arg, levels)
        return array[(*[i if n > 1 else 0 for i, n in zip(index, array.shape, strict=False)], ...)]
    if type(arg) is tuple or type(arg) is list:
        return type(arg)([example(item, levels, index) for item in arg])
    return arg


def piled(op: Any, results: Any, sizes: Any, n: int) -> Array:
    """Stacks the results for all examples into one array."""
    if len({np.shape(result) for result in results}) > 1:
        raise refusal(op.name)
    array = np.stack(results)[:n]
    return array.reshape(sizes + array.shape[1:])


def dynamic(op: Any, args: Any, levels: Any) -> NoReturn:
    """The rule of operators whose result's shape depends on values: a batch of such results is refused."""
    raise refusal(op.name)


def refusal(name: Any) -> Any:
    """The error for results whose shapes differ between examples."""
    return RuntimeError(
        "vmap: We do not support batching operators that can output dynamic shape. Attempted to use "
        f"`{name}`: use torch.where or a mask of a fixed shape instead, or loop over the examples."
    )


# in-place changes


def write_examples(target: Array, array: Array) -> None:
    """Overwrites the elements of all examples. RuntimeError where the examples share the target but not the values."""
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


def adjust(node: Any, op: Any, args: Sequence[Any], result: Any) -> None:
    """Records how gradients must be adjusted for a call with batched arguments: see `operators.adjust`.

    If the result has a level that an input has not, all examples share that input: its gradient is the sum over them.
    """
    metas: list[Any] = []
    levels = () if op.batch is on_batched else levels_of(result)
    for i in op.inputs:
        for item in args[i] if i in op.lists else (args[i],):
            if isinstance(item, TensorBase):
                array = item._array
                metas.append((array.shape if op.broadcasts else None, array.dtype, shared_levels(array, levels)))
            else:
                metas.append(None)
    node.inputs = tuple(metas)
    node.flags = BATCHED | RESHAPE | CAST | (CONJUGATE if result.dtype.kind == "c" and conjugates(node) else 0)


def shared_levels(array: Array, levels: Any) -> Any:
    """The levels of a result that an argument is not batched on."""
    held = levels_of(array) if levels else ()
    return tuple([level for level in levels if level not in held])
