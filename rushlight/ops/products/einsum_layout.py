"""Memory layouts of what `einsum` computes, and of its gradients and those of `tensordot`.

PyTorch multiplies pairs of operands as matrices.
"""

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from rushlight.core.placing import ANSWERS, by_strides, seen, strides_among, strides_in
from rushlight.layouts import compact, strides_of_view

Layout = tuple[tuple[int, ...], tuple[int, ...]]  # the sizes and the strides of an operand


def contracted(shape: Sequence[int], args: Any) -> tuple[int, ...]:
    """The strides of an einsum."""
    operands, subscripts, output = args
    return strides_of_einsum(tuple([seen(x) for x in operands]), tuple(subscripts), output)


@lru_cache(maxsize=ANSWERS)
def strides_of_einsum(operands: tuple[Layout, ...], subscripts: tuple[str, ...], output: str) -> tuple[int, ...]:
    """The strides of the result of an equation without ellipses."""
    letters = [*output, *sorted(set("".join(subscripts)) - set(output))]
    first, *rest = [aligned(letters, term, *operand) for term, operand in zip(subscripts, operands, strict=True)]
    summed = range(len(output), len(letters))
    left = Counter(dim for sizes, _ in (first, *rest) for dim in summed if sizes[dim] != 1)
    if not rest:
        own = [dim for dim in summed if left[dim]]
        first = without(first, own) if own else gapless(first[0], by_strides(first[0], [first[1]])[::-1])
    for other in rest:
        both = [dim for dim in summed if first[0][dim] != 1 and other[0][dim] != 1]
        last = [dim for dim in both if left[dim] == 2]
        for alone in (first, other):
            own = [dim for dim in summed if dim not in both and left[dim] == 1 and alone[0][dim] != 1]
            left.subtract(own)
            if own and alone is first:
                first = without(first, own)
            elif own:
                other = without(other, own)
        left.subtract(both)
        left.subtract(last)
        first = multiplied(first, other, last)
    sizes, strides = first
    if not (rest and summed):
        return strides[: len(output)]
    shape = sizes[: len(output)]
    return strides_of_view(sizes, strides, shape, 1) or compact(shape, 1)


def sloped(shape: Sequence[int], args: Any) -> Any:
    """The strides of an operand's gradient: its product with the other one is a batch of products of matrices."""
    _, _, shapes, subscripts, output, i = args
    found = strides_of_slope(tuple(shapes), tuple(subscripts), output, i) if len(subscripts) == 2 else None
    return NotImplemented if found is None else found


@lru_cache(maxsize=ANSWERS)
def strides_of_slope(
    shapes: tuple[tuple[int, ...], ...], subscripts: tuple[str, ...], output: str, i: int
) -> tuple[int, ...] | None:
    """The strides of the gradient of operand `i` of two; None if the other one is not multiplied as matrices."""
    if any(len(set(term)) < len(term) for term in subscripts):
        return None
    letters = [*output, *sorted(set("".join(subscripts)) - set(output))]
    own, other = [
        {letter for letter, n in zip(term, sizes, strict=True) if n != 1}
        for term, sizes in zip(*[(x[i], x[1 - i]) for x in (subscripts, shapes)], strict=True)
    ]
    summed = [letter for letter in letters[len(output) :] if letter in own | other]
    if not summed or any(letter not in own & other for letter in summed):
        return None
    shared = [letter for letter in output if letter in own & other]
    mine = [letter for letter in output if letter in own - other]
    left, right = (own, other) if i == 0 else (other, own)
    first = [letter for letter in output if letter in left - right]
    second = [letter for letter in output if letter not in left]
    swapped = bool(first and second) and output.index(second[-1]) < output.index(first[0])
    order = [*mine, *summed] if swapped == bool(i) else [*summed, *mine]
    order = [*shared, *order, *[letter for letter in letters if letter not in own]]
    sizes = dict(zip(subscripts[i], shapes[i], strict=True))
    strides = dict(zip(order, compact([sizes.get(letter, 1) for letter in order], 1), strict=True))
    return tuple([strides[letter] for letter in subscripts[i]])


def of_factor(left: bool, shape: Sequence[int], args: Any) -> tuple[int, ...]:
    """The strides of the gradient of a factor of `tensordot`: by columns if the factor is, as a matrix."""
    *_, dims, dims_other, strides = args
    summed = dims if left else dims_other
    free = [dim for dim in range(len(shape)) if dim not in summed]
    rows, columns = (free, summed) if left else (summed, free)
    order = [*rows, *columns]
    sizes = math.prod([shape[dim] for dim in rows]), math.prod([shape[dim] for dim in columns])
    own = strides or compact(shape, 1)
    matrix = strides_of_view(tuple([shape[dim] for dim in order]), tuple([own[dim] for dim in order]), sizes, 1)
    if matrix == (1, sizes[0]):
        order = [*columns, *rows]
    return strides_in(order[::-1], shape) or compact(shape, 1)


def aligned(letters: Sequence[str], term: str, sizes: Sequence[int], strides: Sequence[int]) -> Layout:
    """An operand with a dimension for each letter: a diagonal for one that occurs twice, size 1 for an absent one."""
    dims = [[dim for dim, own in enumerate(term) if own == letter] for letter in letters]
    return tuple([sizes[at[0]] if at else 1 for at in dims]), tuple(
        [sum(strides[dim] for dim in at) if at else 1 for at in dims]
    )


def gapless(sizes: Sequence[int], order: Sequence[int]) -> Layout:
    """The layout with dimensions in an order, the outermost first."""
    return tuple(sizes), strides_in(list(reversed(order)), sizes) or compact(sizes, 1)


def without(operand: Layout, dims: Sequence[int]) -> Layout:
    """An operand summed over some dimensions, which keep size 1."""
    sizes = tuple([1 if dim in dims else n for dim, n in enumerate(operand[0])])
    return sizes, compact(sizes, 1)


def multiplied(left: Layout, right: Layout, summed: Sequence[int]) -> Layout:
    """The product of two operands, summed over dimensions that both have.

    Dimensions of both come first in memory, then those of the left one, unless all of the right one's precede these.
    """
    sizes = [1 if dim in summed else max(n, m) for dim, (n, m) in enumerate(zip(left[0], right[0], strict=True))]
    if not summed:
        return tuple(sizes), strides_among(tuple(sizes), left, right) or compact(sizes, 1)
    lefts = [n != 1 for n in left[0]]
    rights = [n != 1 for n in right[0]]
    kept = [dim for dim in range(len(sizes)) if dim not in summed]
    shared = [dim for dim in kept if lefts[dim] and rights[dim]]
    own = [dim for dim in kept if lefts[dim] and not rights[dim]]
    rest = [dim for dim in kept if dim not in shared and dim not in own]
    if own and rest and rest[-1] < own[0]:
        own, rest = rest, own
    return gapless(sizes, [*shared, *own, *summed, *rest])
