"""`scan`, a recurrence along a dimension, and `map`."""

from collections.abc import Callable
from typing import Any

from rushlight.ops.shapes.joining import stack
from rushlight.utils._pytree import tree_leaves, tree_map

__all__ = ["map", "scan"]


def scan(
    combine_fn: Callable[[Any, Any], tuple[Any, Any]], init: Any, xs: Any, *, dim: int = 0, reverse: bool = False
) -> tuple[Any, Any]:
    """The last carry, and all outputs stacked, of `carry, output = combine_fn(carry, x)` over slices of `xs`.

    `init` and `xs` are tensors or trees of them. The slices lack `dim`, and outputs are stacked along it.
    `reverse` goes from the last slice to the first; outputs lie where their slices do. RuntimeError for no slices.

    >>> import rushlight as torch
    >>> from rushlight._higher_order_ops import scan
    >>> scan(lambda total, x: (total + x, total * x), torch.tensor(0.0), torch.tensor([1.0, 2.0, 3.0]))
    (tensor(6.), tensor([0., 2., 9.]))
    """
    leaves = tree_leaves(xs)
    count = leaves[0].shape[dim] if leaves else 0
    if count == 0 or any(leaf.shape[dim] != count for leaf in leaves):
        raise RuntimeError("All xs leaves must at least have 'dim' number of dimensions and scan dimension > 0")
    carry, outputs = init, []
    for i in reversed(range(count)) if reverse else range(count):
        carry, output = combine_fn(carry, tree_map(lambda leaf, i=i: leaf.select(dim, i), xs))
        outputs.append(output)
    ordered = outputs[::-1] if reverse else outputs
    return carry, tree_map(lambda *slices: stack(slices, dim), ordered[0], *ordered[1:])


def map(f: Callable[..., Any], xs: Any, *args: Any) -> Any:
    """The results of `f(x, *args)` for the slices of tensors along their first dimension, stacked.

    RuntimeError for no slices.

    >>> import rushlight as torch
    >>> from rushlight._higher_order_ops import map
    >>> map(lambda x, y: x.sum() * y, torch.ones(2, 3), 2)
    tensor([6., 6.])
    """
    return scan(lambda nothing, x: (nothing, f(x, *args)), None, xs)[1]
