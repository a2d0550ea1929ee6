"""`associative_scan`: all partial results of an associative function, in a logarithmic number of calls."""

from collections.abc import Callable
from typing import Any

from rushlight.func import vmap
from rushlight.ops.shapes.joining import cat
from rushlight.tensors import Tensor
from rushlight.utils._pytree import tree_flatten, tree_leaves, tree_unflatten

__all__ = ["associative_scan"]

Combine = Callable[[list[Tensor], list[Tensor]], list[Tensor]]


def associative_scan(
    combine_fn: Callable[[Any, Any], Any], xs: Any, dim: int, reverse: bool = False, combine_mode: str = "pointwise"
) -> Any:
    """The partial results of an associative `combine_fn` over slices of a tensor, or of a tree of them, along `dim`.

    `combine_fn` gets two slices, without `dim`; it is called under `vmap`. Shape: that of `xs`. ValueError for a
    `combine_mode` other than pointwise and generic, which are computed alike.

    >>> import rushlight as torch
    >>> from rushlight._higher_order_ops import associative_scan
    >>> associative_scan(torch.mul, torch.tensor([1.0, 2.0, 3.0, 4.0]), 0)
    tensor([ 1.,  2.,  6., 24.])
    """
    if combine_mode not in ("pointwise", "generic"):
        raise ValueError(f"Combine_mode must either 'pointwise' or 'generic', but got {combine_mode}")
    leaves, structure = tree_flatten(xs)
    first = [leaf.movedim(dim, 0).flip(0) if reverse else leaf.movedim(dim, 0) for leaf in leaves]

    def combine(before: list[Tensor], after: list[Tensor]) -> list[Tensor]:
        pair = tree_unflatten(before, structure), tree_unflatten(after, structure)
        return tree_leaves(vmap(combine_fn)(*pair))

    found = partial_results(combine, first)
    back = [leaf.flip(0).movedim(0, dim) if reverse else leaf.movedim(0, dim) for leaf in found]
    return tree_unflatten(back, structure)


def partial_results(combine: Combine, leaves: list[Tensor]) -> list[Tensor]:
    """The partial results along the first dimension: those of neighbours combined, and from them the others."""
    count = leaves[0].shape[0]
    if count < 2:
        return leaves
    pairs = combine([leaf[: count - 1 : 2] for leaf in leaves], [leaf[1::2] for leaf in leaves])
    odd = partial_results(combine, pairs)
    later = [leaf[2::2] for leaf in leaves]
    even = combine([leaf[: later[0].shape[0]] for leaf in odd], later) if count > 2 else later
    return [woven(cat([leaf[:1], e]), o) for leaf, e, o in zip(leaves, even, odd, strict=True)]


def woven(even: Tensor, odd: Tensor) -> Tensor:
    """Slices of two tensors in turn, the first of `even` first."""
    both = even[: odd.shape[0]].unsqueeze(1), odd.unsqueeze(1)
    return cat([cat(both, 1).flatten(0, 1), even[odd.shape[0] :]])
