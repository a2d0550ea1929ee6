"""Trees of tuples, named tuples, lists and dictionaries, taken apart into leaves and put together."""

from collections import OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = ["TreeSpec", "tree_flatten", "tree_leaves", "tree_map", "tree_unflatten"]


class TreeSpec(NamedTuple):
    """The structure of a tree: a container's type, what else is needed to make one (the keys of a dictionary),
    and the structures of its items. A leaf has no type.
    """

    type: type | None
    context: Any
    children: tuple["TreeSpec", ...]

    @property
    def num_leaves(self) -> int:
        """The number of leaves."""
        return 1 if self.type is None else sum(child.num_leaves for child in self.children)

    def __repr__(self):
        if self.type is None:
            return "*"
        return f"TreeSpec({self.type.__name__}, {self.context}, [{', '.join(map(repr, self.children))}])"


LEAF = TreeSpec(None, None, ())


def parts(tree: Any) -> tuple[type | None, Any, list]:
    """The type, context and items of a container; no type for a leaf."""
    kind = type(tree)
    if kind in (dict, OrderedDict):
        return kind, list(tree), list(tree.values())
    if kind is defaultdict:
        return kind, [tree.default_factory, list(tree)], list(tree.values())
    if kind in (tuple, list) or is_named(kind):
        return kind, None, list(tree)
    return None, None, []


def is_named(kind: type) -> bool:
    """Whether a type is one of named tuples, or of the results of operators with several outputs."""
    return issubclass(kind, tuple) and (hasattr(kind, "_fields") or "return_types" in kind.__module__)


def tree_flatten(tree: Any) -> tuple[list, TreeSpec]:
    """The leaves of a tree from left to right, and its structure.

    >>> from rushlight.utils.pytree import tree_flatten
    >>> tree_flatten((1, {"a": [2, 3]}))
    ([1, 2, 3], TreeSpec(tuple, None, [*, TreeSpec(dict, ['a'], [TreeSpec(list, None, [*, *])])]))
    """
    kind, context, items = parts(tree)
    if kind is None:
        return [tree], LEAF
    leaves, children = [], []
    for item in items:
        found, spec = tree_flatten(item)
        leaves += found
        children.append(spec)
    return leaves, TreeSpec(kind, context, tuple(children))


def tree_unflatten(leaves: list, spec: TreeSpec) -> Any:
    """The tree of a structure with some leaves. ValueError for another number of leaves than it has."""
    if len(leaves) != spec.num_leaves:
        raise ValueError(
            f"tree_unflatten(leaves, treespec): `leaves` has length {len(leaves)} but the spec refers to a pytree that "
            f"holds {spec.num_leaves} items ({spec})."
        )
    return build(iter(leaves), spec)


def build(leaves, spec: TreeSpec) -> Any:
    """The tree of a structure with the next leaves."""
    if spec.type is None:
        return next(leaves)
    items = [build(leaves, child) for child in spec.children]
    if spec.type is defaultdict:
        factory, keys = spec.context
        return defaultdict(factory, zip(keys, items, strict=True))
    if spec.context is not None:
        return spec.type(zip(spec.context, items, strict=True))
    return spec.type(*items) if hasattr(spec.type, "_fields") else spec.type(items)


def tree_leaves(tree: Any) -> list:
    """The leaves of a tree from left to right."""
    return tree_flatten(tree)[0]


def tree_map(function: Callable, tree: Any, *rests: Any) -> Any:
    """The tree of a function's results for each leaf, and for the leaves of further trees of the same structure.

    >>> from rushlight.utils.pytree import tree_map
    >>> tree_map(lambda n: n + 1, {"a": 1, "b": (2, 3)})
    {'a': 2, 'b': (3, 4)}
    """
    leaves, spec = tree_flatten(tree)
    columns = [leaves, *[tree_leaves(rest) for rest in rests]]
    return tree_unflatten([function(*values) for values in zip(*columns, strict=True)], spec)


def broadcast_leaves(tree: Any, spec: TreeSpec) -> list | None:
    """The leaves of a tree that is a beginning of a structure, each repeated for all below it; None where it is not.

    >>> from rushlight.utils.pytree import broadcast_leaves, tree_flatten
    >>> broadcast_leaves((0, 1), tree_flatten((5, [6, 7]))[1])
    [0, 1, 1]
    """
    kind, context, items = parts(tree)
    if kind is None:
        return [tree] * spec.num_leaves
    if kind is not spec.type or context != spec.context or len(items) != len(spec.children):
        return None
    found: list[Any] = [broadcast_leaves(item, child) for item, child in zip(items, spec.children, strict=True)]
    return None if None in found else [leaf for leaves in found for leaf in leaves]
