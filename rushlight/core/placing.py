"""The memory layout of results: that of PyTorch's, at the latest when it can be seen.

A result that is contiguous in PyTorch may have another layout while this cannot be seen: layers pass large batches on
with the samples innermost (`kernels.patches`). Such a tensor is unsettled; it is settled (`TensorBase._settled`) before
its strides or memory are shown, or a view of it is made. Views that only have another shape stay unsettled with it.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any
from weakref import ref

import numpy as np

from rushlight.core.above import above
from rushlight.core.aliases import Array
from rushlight.core.arrays import as_array
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.interpreters import noted
from rushlight.core.locks import reentrant_lock
from rushlight.kernels.patches import INNERMOST_FROM, batch_last
from rushlight.layouts import compact, fills, is_repeated, joint_shape, laid_over, overlaps, shown, strides_of_view

SETTLING = reentrant_lock()  # held while the arrays of tensors that share their memory are replaced
NUMBERS = (bool, int, float, complex, np.generic)
ANSWERS = 1024  # kept of a rule that only looks at shapes and strides


def place(op: Any, args: Any, out: TensorBase) -> None:
    """Gives the result of a call the memory layout that the operator's rule says."""
    array = out._array
    rule = RULES[op.layout]
    given = operands_of(op, args) if op.layout == "elementwise" else args
    strides = None if rule is None else rule(array.shape, given)
    if strides is not None:
        out._array = laid(array, strides)
    elif not array.flags.writeable or is_repeated(array) or is_loose(array):
        out._array = np.array(array, order="C")
    else:
        out._unsettled = not array.flags.c_contiguous


def laid(array: np.ndarray, strides: Sequence[int]) -> np.ndarray:
    """An array with some strides, in elements: itself, or a copy if it has others."""
    steps = tuple([step * array.itemsize for step in strides])
    if not array.size:
        return laid_over(array, array.shape, steps)  # a new array would have strides of 0
    if array.strides == steps:
        return array
    out = np.ndarray(array.shape, array.dtype, strides=steps)
    out[...] = array
    return out


def tensors_of(args: Any) -> list[TensorBase]:
    """The tensors among some arguments, and in lists among them."""
    found = []
    for arg in args:
        if isinstance(arg, TensorBase):
            found.append(arg)
        elif isinstance(arg, (tuple, list)):
            found += [item for item in arg if isinstance(item, TensorBase)]
    return found


def operands_of(op: Any, args: Any) -> list[Any]:
    """The tensors among some arguments, and the numbers among the operands, which PyTorch makes tensors of."""
    return [*tensors_of(args), *[args[i] for i in op.operands if isinstance(args[i], NUMBERS)]]


def is_loose(array: np.ndarray) -> bool:
    """Whether an array is contiguous but for the strides of dimensions of size 1."""
    return array.flags.c_contiguous and array.strides != compact(array.shape, array.itemsize)


@above
def settle(tensor: TensorBase) -> None:
    """Gives an unsettled tensor, all that share its memory, and the result that its node saved PyTorch's layout."""
    with SETTLING:
        if not tensor._unsettled:
            return
        base = tensor if tensor._view is None else tensor._view.base
        memory = in_their_order(base._array)
        if base._node is not None:
            base._node.replace_saved({id(base._array): memory})
        for other in (base, *looks_at(base)):
            other._array = memory.reshape(other._array.shape)
            other._unsettled = False


@above
def stretch(tensor: TensorBase) -> None:
    """Gives an empty array, for which NumPy has strides of 0, those of PyTorch, which views of it show."""
    array = tensor._array
    if not any(array.strides) and tensor._view is None:
        tensor._array = laid_over(array, array.shape, shown(array))


in_their_order: Callable[..., Any] = noted(np.ascontiguousarray)


def looks_at(base: TensorBase) -> Any:
    """The unsettled views of a tensor. A saved value shares its version counter, but has memory of its own."""
    looks = [] if base._counter is None else [look() for look in base._counter.looks or ()]
    return [look for look in looks if look is not None and look._view.base is base]


def join(view: Any, source: Any) -> None:
    """Notes that a view of an unsettled tensor must be settled with it."""
    counter = view._counter
    counter.looks = [*(counter.looks or ()), ref(view)]
    view._unsettled = True


def handed_out(grad: Array, compact: bool) -> Array:
    """A gradient's array for users: writable, and contiguous if its layout is not one of PyTorch's.

    `compact` tells whether the tensor that it belongs to is contiguous, or unknown.
    """
    if type(grad) is not np.ndarray:
        return grad
    if 0 in grad.strides and grad.size:
        return grad if grad.flags.writeable else repeated_anew(grad)
    if grad.flags.c_contiguous or not (is_ours(grad, compact) or min(grad.strides) < 0):
        return grad if grad.flags.writeable else np.array(grad, order="K")
    return np.ascontiguousarray(grad)


hand_out: Callable[..., Any] = noted(handed_out)


def as_tensor(grad: Any, model: Array = None) -> Any:
    """A gradient as a tensor for users; `model` is the array of the tensor that it belongs to, where that is known."""
    if grad is None or isinstance(grad, TensorBase):
        return grad
    compact = model is None or model.flags.c_contiguous  # its layout alone: a recorded step would read its values
    return new_tensor(hand_out(as_array(grad), bool(compact)))


def is_ours(grad: Array, compact: bool) -> bool:
    """Whether a gradient has a memory layout that PyTorch's would not have: that of layers for large batches."""
    large = compact and grad.ndim > 2 and grad.shape[0] >= INNERMOST_FROM
    return large and batch_last(grad).flags.c_contiguous


def repeated_anew(grad: Array) -> Array:
    """An expanded array copied, so that it can be written to."""
    once = np.array(grad[tuple([slice(None) if step else slice(0, 1) for step in grad.strides])], order="K")
    strides = [0 if step == 0 else own for step, own in zip(grad.strides, once.strides, strict=True)]
    return np.ndarray(grad.shape, grad.dtype, once, 0, strides)


# layouts of results: the strides, in elements, for a shape and the call's arguments; None for contiguous


def elementwise_strides(shape: Sequence[int], args: Any) -> Any:
    """The strides of an elementwise function of some tensors, and of numbers, which are tensors without dimensions."""
    numbers = [((), ()) for arg in args if isinstance(arg, NUMBERS)]
    return strides_among(shape, *[seen(tensor) for tensor in tensors_of(args)], *numbers)


def tensor_strides(shape: Sequence[int], args: Any) -> Any:
    """The strides of an elementwise function of some tensors, with numbers as options."""
    return elementwise_strides(shape, tensors_of(args))


def strides_in_turn(order: Sequence[int], shape: Sequence[int], args: Any) -> Any:
    """The strides of an elementwise function that takes its tensors in another order than the arguments have."""
    return tensor_strides(shape, [args[i] for i in order])


def real_strides(shape: Sequence[int], args: Any) -> Any:
    """The strides of an elementwise function whose results for complex numbers are contiguous."""
    return None if args[0]._array.dtype.kind == "c" else tensor_strides(shape, args)


def grad_last(shape: Sequence[int], args: Any) -> Any:
    """The strides of a gradient that is chosen by a condition on the operands."""
    return tensor_strides(shape, [*args[1:], args[0]])


@lru_cache(maxsize=ANSWERS)
def strides_among(shape: tuple[int, ...], *operands: tuple[tuple[int, ...], ...]) -> Any:
    """Operands of one gapless layout give it to the result.

    Otherwise the dimensions are sorted by their strides: the first operand that distinguishes two dimensions decides.
    """
    if joint_shape(*[n for n, _ in operands]) != shape:
        return None  # a reduction over all elements
    if all(n == shape for n, _ in operands):
        first = operands[0][1]
        if all(is_contiguous(*operand) for operand in operands):
            return None
        if all(is_channels_last(*operand) for operand in operands):
            return strides_in([1, 3, 2, 0], shape)
        if all(strides == first for _, strides in operands) and fills(shape, first, 1):
            return first
    return strides_in(by_strides(shape, [expanded(shape, *operand) for operand in operands]), shape)


def strides_in(order: Sequence[int], shape: Sequence[int]) -> tuple[int, ...] | None:
    """The strides of an array with its dimensions in an order, the innermost first; None for contiguous."""
    if order == list(reversed(range(len(shape)))):
        return None
    strides, step = [0] * len(shape), 1
    for dim in order:
        strides[dim] = step
        step *= shape[dim]
    return tuple(strides)


def seen(tensor: TensorBase) -> tuple[tuple[int, ...], ...]:
    """The shape and the strides, in elements, that a tensor shows."""
    array = tensor._array
    if tensor._unsettled:
        return array.shape, compact(array.shape, 1)
    return array.shape, tuple([step // array.itemsize for step in shown(array)])


def is_contiguous(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether elements are contiguous; strides of dimensions of size 1 do not matter."""
    pairs = zip(shape, strides, compact(shape, 1), strict=True)
    return 0 in shape or all(n == 1 or step == wanted for n, step, wanted in pairs)


def is_channels_last(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether elements of four dimensions are contiguous with the second innermost."""
    return len(shape) == 4 and is_contiguous(*[[n[0], n[2], n[3], n[1]] for n in (shape, strides)])


def expanded(shape: Sequence[int], own: Sequence[int], strides: Sequence[int]) -> list[int]:
    """An operand's strides along the dimensions of the result: 0 where it is broadcast."""
    pairs = zip(shape[len(shape) - len(own) :], own, strides, strict=True)
    return [0] * (len(shape) - len(own)) + [0 if n == 1 and size != 1 else step for size, n, step in pairs]


def by_strides(shape: Sequence[int], operands: Sequence[Sequence[int]]) -> list[int]:
    """The dimensions, the innermost in memory first, sorted as PyTorch's TensorIterator does."""
    order = list(reversed(range(len(shape))))
    for i in range(1, len(order)):
        place = i
        for before in reversed(range(i)):
            found = compared(shape, operands, order[before], order[place])
            if found > 0:
                order[before], order[place] = order[place], order[before]
                place = before
            elif found < 0:
                break
    return order


def compared(shape: Sequence[int], operands: Sequence[Sequence[int]], inner: int, outer: int) -> int:
    """Positive where two dimensions must be swapped, negative where they must not, 0 if no operand decides."""
    for strides in operands:
        if strides[inner] == 0 or strides[outer] == 0:
            continue
        if strides[inner] != strides[outer]:
            return 1 if strides[inner] > strides[outer] else -1
        if shape[inner] > shape[outer]:
            return 1
    return 0


def like_first(shape: Sequence[int], args: Sequence[Any]) -> Any:
    """The strides of a copy of the first operand: its own if it has no gaps."""
    own, strides = seen(args[0])
    return strides_of_copy(own, strides) if own == shape else strides_among(shape, (own, strides))


def like_input(shape: tuple[int, ...], args: Sequence[Any]) -> Any:
    """The strides of a copy of the input, whose own come last; None if it lies in order."""
    return args[-1] and strides_of_copy(shape, args[-1])


def strides_of_copy(shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    """The strides of a copy: its own if there are no gaps, else the dimensions are sorted by them."""
    return strides if fills(shape, strides, 1) else strides_among(shape, (shape, strides))


def with_gaps(shape: Sequence[int], args: Sequence[Any]) -> Any:
    """The strides of a copy of the first operand together with all of its memory, if no elements share any."""
    own, strides = seen(args[0])
    return like_first(shape, args) if overlaps(own, strides, 1) else strides


def turned(shape: Sequence[int], args: Sequence[Any]) -> Any:
    """The strides of a copy of the first operand rotated so many times by 90 degrees."""
    input, turns, dims = args
    return None if turns % 4 == 0 else strides_of_turned(*seen(input), turns % 2, *dims)


@lru_cache(maxsize=ANSWERS)
def strides_of_turned(
    shape: tuple[int, ...], strides: tuple[int, ...], swapped: int, first: int, second: int
) -> tuple[int, ...]:
    """The strides of a copy in which two dimensions may be swapped."""
    steps = list(strides_of_copy(shape, strides) or compact(shape, 1))
    if swapped:
        steps[first], steps[second] = steps[second], steps[first]
    return tuple(steps)


def padded(shape: Sequence[int], args: Sequence[Any]) -> Any:
    """Channels last if the operand is; those of a copy of a part of it if nothing is added."""
    input, widths, _ = args
    if any(n > 0 for pair in widths for n in pair):
        return channels_last(shape, args)
    return strides_of_copy(tuple(shape), seen(input)[1])


def viewed(shape: Sequence[int], args: Sequence[Any]) -> Any:
    """The strides of a view of the first operand in another shape; contiguous where there is no such view."""
    if args[0]._unsettled:
        return None
    strides = strides_of_view(*seen(args[0]), tuple(shape), 1)
    return strides if strides is not None and fills(shape, strides, 1) else None


def as_computed(shape: Any, args: Any) -> Any:
    """No rule: the layout of what was computed is the right one."""
    return NotImplemented


def columns(shape: Any, args: Any) -> Any:
    """Each matrix in column-major order, as LAPACK leaves it; inputs below two dimensions are contiguous."""
    first = args[1] if isinstance(args[0], (list, tuple)) else args[0]  # a gradient's cotangents are a list
    if len(shape) < max(2, first._array.ndim):
        return None
    if len(shape) == 2:
        return 1, max(shape[0], 1)
    sizes = [max(n, 1) for n in shape]
    return (*compact(sizes, 1)[:-2], 1, sizes[-2])


def joined(shape: Sequence[int], args: Any) -> Any:
    """Channels last if all tensors of a list are."""
    tensors, rank = args[0], len(shape)
    same = rank in (4, 5) and all(x._array.ndim == rank and suggests_channels_last(*seen(x)) for x in tensors)
    return channels_last(shape, tensors[:1]) if same else None


def channels_last(shape: Sequence[int], args: Any, ranks: Sequence[int] = (4, 5)) -> Any:
    """Channels last if an operand is; `ranks` are the numbers of dimensions for which this applies."""
    if len(shape) not in ranks or 0 in shape:
        return None
    for x in tensors_of(args):
        if not x._unsettled and x._array.ndim == len(shape) and suggests_channels_last(*seen(x)):
            return strides_in([1, *reversed(range(2, len(shape))), 0], shape)
    return None


def piled(shape: Sequence[int], args: Any) -> Any:
    """The strides of a stack: tensors are joined along a dimension, which is then split, except for the last one."""
    dim = args[1]
    whole = [*shape[:dim], shape[dim] * shape[dim + 1], *shape[dim + 2 :]] if dim + 1 < len(shape) else []
    strides = joined(whole, args)
    return strides and (*strides[:dim], strides[dim] * shape[dim + 1], *strides[dim:])


def reduced(shape: Sequence[int], args: Any) -> Any:
    """The strides of the gradient of a reduction, computed from the cotangent, the result and the input.

    The formula's last two arguments are the dimensions and whether they were kept.
    """
    grad, input, result, *_, dims, _ = args
    return strides_among(tuple(shape), kept(grad, shape, dims), kept(result, shape, dims), seen(input))


def scaled(shape: Sequence[int], args: Any) -> Any:
    """The strides of the gradient of a p-norm: the cotangent comes first for p = 2, else the input."""
    grad, input, _, p, dims, _ = args
    operands = [kept(grad, shape, dims), seen(input)]
    return strides_among(tuple(shape), *(operands if p == 2 else reversed(operands)))


def kept(tensor: TensorBase, shape: Sequence[int], dims: int | Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """The shape and strides of the result of a reduction with the dimensions that it lacks, of size 1."""
    sizes, strides = map(list, seen(tensor))
    if len(sizes) < len(shape):
        for dim in sorted(d % len(shape) for d in ((dims,) if isinstance(dims, int) else dims)):
            sizes.insert(dim, 1)
            strides.insert(dim, 1)
    return tuple(sizes), tuple(strides)


def tall_columns(shape: Any, args: Any) -> Any:
    """Column-major order of a gradient, unless the matrices are wider than tall."""
    return columns(shape, args) if shape[-2] >= shape[-1] else None


def halved(shape: Sequence[int], args: Any) -> Any:
    """The strides of an elementwise function of two halves of a tensor."""
    strides = seen(args[0])[1]
    return strides_among(shape, (shape, strides), (shape, strides))


def convolution(shape: Sequence[int], args: Any) -> Any:
    """Channels last if input or weight is; for 1-d convolutions only the weight counts."""
    return channels_last(shape, args[1:2] if len(shape) == 3 else args[:2], ranks=(3, 4, 5))


@lru_cache(maxsize=ANSWERS)
def suggests_channels_last(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether PyTorch counts strides as channels last; gaps do not matter."""
    least = 0
    for dim in (1, *reversed(range(2, len(shape))), 0):
        if shape[dim] == 0 or strides[dim] < least or strides[1] == 0 or (dim == 0 and least == strides[1]):
            return False
        least = strides[dim] * max(shape[dim], 1)
    return True


def spectral(shape: Sequence[int], args: Any, pinned: bool = False) -> tuple[int, ...] | None:
    """The strides of a transform of some dimensions; with `pinned` the last of them is the innermost of all."""
    input, sizes, dims, *_ = args
    own, strides = seen(input)
    if not pinned and len(dims) > 1 and input._array.dtype.kind == "f":  # real numbers become complex ones first
        strides = strides_of_copy(own, strides) or compact(own, 1)
    return strides_of_transform(shape, own, strides, tuple(read_sizes(sizes, args)), tuple(dims), pinned)


@lru_cache(maxsize=ANSWERS)
def strides_of_transform(
    shape: tuple[int, ...],
    own: tuple[int, ...],
    strides: tuple[int, ...],
    sizes: tuple[int, ...],
    transformed: tuple[int, ...],
    pinned: bool,
) -> tuple[int, ...] | None:
    """The transformed dimensions innermost; among them, and among the others, sorted by the strides of the input."""
    dims = [dim % len(shape) for dim in transformed]
    if dims == list(range(len(shape) - len(dims), len(shape))) and 1 not in own and is_contiguous(own, strides):
        return None
    if any(size > own[dim] for size, dim in zip(sizes, dims, strict=True)):
        strides = compact([max(size, 1) for size in own], 1)  # it is continued with zeros first
    last = [dims.pop()] if pinned else []
    inner = sorted(dims, key=lambda dim: -strides[dim])
    rest = parted(len(shape), dims + last)[: len(shape) - len(dims + last)]
    outer = sorted(rest, key=lambda dim: -strides[dim])
    return strides_in([*last, *reversed(inner), *reversed(outer)], shape)


def parted(ndim: int, transformed: Sequence[int]) -> list[int]:
    """The dimensions, those that are not transformed first, in the order that C++'s `std::partition` leaves."""
    order, first, last = list(range(ndim)), 0, ndim - 1
    while True:
        while first <= last and order[first] not in transformed:
            first += 1
        while first <= last and order[last] in transformed:
            last -= 1
        if first >= last:
            return order
        order[first], order[last] = order[last], order[first]
        first, last = first + 1, last - 1


def indexed(shape: Sequence[int], args: Any) -> Any:
    """Dimensions that are not indexed are sorted by the input's strides; those of the indices count as contiguous."""
    input, key = args
    strides = seen(input)[1]
    rest, places, dim = [], [], 0
    for number, item in enumerate(key):
        if isinstance(item, slice):
            rest.append(strides[dim])
            dim += 1
        else:
            places.append((number, len(rest)))
            dim += item.ndim if item.dtype == bool else 1
    rest += strides[dim:]
    together = places[-1][0] - places[0][0] < len(places)
    place, count = places[0][1] if together else 0, len(shape) - len(rest)
    indexes = range(place, place + count)
    steps = compact([n if dim in indexes else 1 for dim, n in enumerate(shape)], 1)
    index = [step if dim in indexes or shape[dim] == 1 else 0 for dim, step in enumerate(steps)]
    return strides_in(by_strides(shape, [[*rest[:place], *[0] * count, *rest[place:]], index]), shape)


def read_sizes(sizes: Sequence[int], args: Any) -> Sequence[int]:
    """How much of the transformed dimensions is read: half of the last one, if a half spectrum becomes real numbers."""
    return sizes if len(args) > 4 else [*sizes[:-1], sizes[-1] // 2 + 1]


def half_spectral(shape: Sequence[int], args: Any) -> tuple[int, ...] | None:
    """`spectral` for half a spectrum, whose last dimension is transformed separately; whole with `onesided=False`."""
    return spectral(shape, args, pinned=args[4:] != (False,))


RULES: dict[str, Callable[..., Any] | None] = {
    "contiguous": None,
    "kept": None,  # contiguous, and dimensions of size 1 have strides like others
    "elementwise": elementwise_strides,
    "elementwise of tensors": tensor_strides,
    "elementwise, complex contiguous": real_strides,
    "elementwise, last first": partial(strides_in_turn, (1, 0)),
    "elementwise, grad last": grad_last,
    "elementwise, other before input": partial(strides_in_turn, (0, 2, 1)),  # of (grad, input, other, ...)
    "elementwise, other first": partial(strides_in_turn, (2, 0, 1)),
    "elementwise, result before other": partial(strides_in_turn, (0, 3, 2)),
    "like first": like_first,
    "with gaps": with_gaps,
    "turned": turned,
    "padded": padded,
    "viewed": viewed,
    "as computed": as_computed,
    "columns": columns,
    "like input": like_input,
    "tall columns": tall_columns,
    "reduced": reduced,
    "scaled": scaled,
    "channels last": channels_last,
    "joined": joined,
    "piled": piled,
    "halved": halved,
    "channels last, planes": partial(channels_last, ranks=(4,)),
    "channels last, lines": partial(channels_last, ranks=(3, 4)),
    "convolution": convolution,
    "spectral": spectral,
    "half spectral": half_spectral,
    "indexed": indexed,
}
