"""`rearrange`: dimensions permuted, merged and split by a pattern of names, as `einops.rearrange` does."""

import math
import re
from functools import lru_cache

from rushlight.ops.shapes.joining import stack
from rushlight.tensors import Tensor

__all__ = ["rearrange"]

ELLIPSIS = "..."
Side = tuple[tuple[str, ...], ...]  # the names of each dimension; none for one of size 1


def rearrange(tensor: Tensor | list[Tensor] | tuple[Tensor, ...], pattern: str, **axes_lengths: int) -> Tensor:
    """Permutes, merges and splits dimensions as a pattern says: `"b (h h2) w -> b h (h2 w)"`.

    Each side of the pattern names the dimensions: names in parentheses are merged into one dimension, the first
    outermost; `1` or `()` is a dimension of size 1; `...` stands for any number of dimensions, only on the right inside
    parentheses. To split a dimension, give the sizes of all of its names but one as keyword arguments. A sequence of
    tensors is stacked first: the first name is that of the list. The result is a view where it can be one; any dtype.

    ValueError for a pattern that is not well formed, that has other names on one side than on the other, or that does
    not fit the tensor's shape; TypeError for a size that is no integer.

    >>> import rushlight as torch
    >>> images = torch.zeros(32, 30, 40, 3)
    >>> torch.func.rearrange(images, "b (h h2) (w w2) c -> b h w (c h2 w2)", h2=2, w2=2).shape
    torch.Size([32, 15, 20, 12])
    >>> torch.func.rearrange([images, images], "n b ... c -> c (n b) (...)").shape
    torch.Size([3, 64, 1200])
    """
    if not isinstance(tensor, Tensor):
        tensor = stack(tensor)
    left, right = parsed(pattern, tensor.dim(), tuple(axes_lengths))
    for length in axes_lengths.values():
        if type(length) is not int:
            raise TypeError(f"rearrange axis lengths must be integers, got: {type(length)}")
    sizes = [size for group, n in zip(left, tensor.shape, strict=True) for size in split(group, n, axes_lengths)]
    order = {name: i for i, name in enumerate(name for group in left for name in group)}
    result = tensor.reshape(sizes).permute([order[name] for group in right for name in group])
    return result.reshape([math.prod(sizes[order[name]] for name in group) for group in right])


@lru_cache(256)
def parsed(pattern: str, ndim: int, given: tuple[str, ...]) -> tuple[Side, Side]:
    """The names on both sides, with one for each dimension that the ellipsis stands for.

    ValueError for a pattern that is not well formed, has names on one side only, not all that are given, or another
    number of dimensions.
    """
    sides = pattern.split("->")
    if len(sides) != 2:
        raise ValueError("Pattern must contain a single '->' separator")
    left, right = (names_on_side(side) for side in sides)
    if ELLIPSIS in right and ELLIPSIS not in left:
        raise ValueError(f"Ellipsis found in right side, but not left side of a pattern {pattern}")
    if re.search(r"\([^()]*\.", sides[0]):
        raise ValueError(f"Ellipsis is parenthesis in the left side is not allowed: {pattern}")
    if any(name.isdecimal() for name in (*left, *right)):
        raise ValueError("rearrange only supports unnamed axes of size 1")
    if apart := set(left) ^ set(right):
        raise ValueError(f"Identifiers only on one side of rearrange expression (should be on both): {apart}")
    if unknown := set(given) - set(left):
        raise ValueError(f"Identifiers not found in rearrange expression: {unknown}")
    more = " ".join(f"_{i}" for i in range(ndim - check_count(sides[0], ndim)))
    first, second = (groups(side.replace(ELLIPSIS, f" {more} ")) for side in sides)
    return first, second


def groups(side: str) -> Side:
    """The names of each dimension on one side of a pattern."""
    found = re.findall(r"\(([^()]*)\)|(\w+)", side)
    return tuple(tuple(name for name in (inside or alone).split() if name != "1") for inside, alone in found)


def names_on_side(side: str) -> list[str]:
    """All names on one side of a pattern. ValueError if it is not well formed."""
    if strange := re.search(r"[^\w\s().]", side):
        raise ValueError(f"Unknown character '{strange[0]}'")
    if side.count(".") != 3 * side.count(ELLIPSIS) or side.count(ELLIPSIS) > 1:
        raise ValueError("Expression may contain dots only inside ellipsis (...); only one ellipsis for tensor")
    if re.search(r"\([^)]*\(", side):
        raise ValueError("Axis composition is one-level (brackets inside brackets not allowed)")
    if re.search(r"[()]", re.sub(r"\([^()]*\)", "", side)):
        raise ValueError(f"Imbalanced parentheses in expression: '{side}'")
    names = [name for name in re.findall(r"\.\.\.|\w+", side) if name != "1"]
    for i, name in enumerate(names):
        if name in names[:i]:
            raise ValueError(f"Indexing expression contains duplicate dimension '{name}'")
        if name != ELLIPSIS and not name.isdecimal() and (not name.isidentifier() or name.strip("_") != name):
            raise ValueError(f"Invalid axis identifier: {name}\nIt must not start or end with an underscore.")
    return names


def check_count(left: str, ndim: int) -> int:
    """The number of dimensions that the left side names. ValueError if a tensor of `ndim` dimensions does not fit."""
    named = len(groups(left.replace(ELLIPSIS, " ")))
    if named > ndim or (named < ndim and ELLIPSIS not in left):
        relation = "less than or equal" if ELLIPSIS in left else "equal"
        raise ValueError(
            f"Number of dimensions in pattern ({named}) must be {relation} to the number of dimensions in the tensor "
            f"({ndim})"
        )
    return named


def split(group: tuple[str, ...], size: int, lengths: dict[str, int]) -> list[int]:
    """The sizes of the names that one dimension is split into. ValueError if they do not fit, or are not known."""
    known = math.prod(lengths[name] for name in group if name in lengths)
    missing = [name for name in group if name not in lengths]
    if len(missing) > 1:
        raise ValueError(f"cannot infer the sizes of two dimensions at once {missing[0]} and {missing[1]}")
    if size != known and (not missing or known == 0 or size % known):
        raise ValueError(f"Dimension sizes to do not match ({size} != {known}) when matching dimension pack {group}")
    return [lengths.get(name, size // max(known, 1)) for name in group]
