"""Trees of tuples, named tuples, lists and dictionaries: flattening and unflattening."""

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

__all__ = ["TreeSpec", "tree_flatten", "tree_leaves", "tree_map", "tree_unflatten"]


class Registered(NamedTuple):
    """The functions of a registered container: its items with a context, the container of these, and its keys."""

    flatten: Callable[..., Any]
    unflatten: Callable[..., Any]
    flatten_with_keys: Callable[..., Any] | None = None


_registered: dict[type, Registered] = {}


class SequenceKey(NamedTuple):
    """The index of an item of a list or tuple."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx}]"


class MappingKey(NamedTuple):
    """The key of an item of a dictionary."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"


class GetAttrKey(NamedTuple):
    """The field name of an item of a named tuple."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"


class TreeSpec(NamedTuple):
    """The structure of a tree: a container's type, its context, and the structures of its items.

    The context is what else is needed to rebuild the container, such as the keys of a dictionary. A leaf has no type.
    """

    type: type | None
    context: Any
    children_specs: tuple["TreeSpec", ...]

    @property
    def num_leaves(self) -> int:
        """The number of leaves."""
        return 1 if self.type is None else sum(child.num_leaves for child in self.children_specs)

    @property
    def num_nodes(self) -> int:
        """The number of containers and leaves."""
        return 1 + sum(child.num_nodes for child in self.children_specs)

    @property
    def num_children(self) -> int:
        """The number of items."""
        return len(self.children_specs)

    def is_leaf(self) -> bool:
        """Whether it is the structure of a leaf."""
        return self.type is None

    def children(self) -> list["TreeSpec"]:
        """The structures of the items."""
        return list(self.children_specs)

    def child(self, index: int) -> "TreeSpec":
        """The structure of an item."""
        return self.children_specs[index]

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """The tree with this structure and the given leaves."""
        return tree_unflatten(list(leaves), self)

    def flatten_up_to(self, tree: Any) -> list[Any]:
        """The parts of a tree that stand where this structure has its leaves. ValueError if the tree has another one.

        >>> from rushlight.utils.pytree import tree_flatten
        >>> tree_flatten([1, 2])[1].flatten_up_to([3, {"a": 4}])
        [3, {'a': 4}]
        """
        if self.type is None:
            return [tree]
        kind, context, items = parts(tree)
        if kind is not self.type:
            raise ValueError(f"Node type mismatch; expected {self.type!r}, but got {type(tree)!r}.")
        if len(items) != len(self.children_specs):
            raise ValueError(f"Node arity mismatch; expected {len(self.children_specs)}, but got {len(items)}.")
        if isinstance(tree, dict) and set(tree) == set(keys_of(self)):
            items = [tree[key] for key in keys_of(self)]
        elif context != self.context:
            raise ValueError(f"Node context mismatch; expected {self.context!r}, but got {context!r}.")
        found = (child.flatten_up_to(item) for child, item in zip(self.children_specs, items, strict=True))
        return [part for parts_of_item in found for part in parts_of_item]

    def __repr__(self) -> str:
        if self.type is None:
            return "*"
        return f"TreeSpec({self.type.__name__}, {self.context}, [{', '.join(map(repr, self.children_specs))}])"


def keys_of(spec: TreeSpec) -> list[Any]:
    """The keys of a dictionary's structure, in its order."""
    return spec.context[1] if spec.type is defaultdict else spec.context


LEAF = TreeSpec(None, None, ())


def parts(tree: Any) -> tuple[type | None, Any, list[Any]]:
    """The type, context and items of a container; the type is None for a leaf."""
    kind = type(tree)
    if kind in (dict, OrderedDict):
        return kind, list(tree), list(tree.values())
    if kind is defaultdict:
        return kind, [tree.default_factory, list(tree)], list(tree.values())
    if kind is deque:
        return kind, tree.maxlen, list(tree)
    if kind in (tuple, list) or is_named(kind):
        return kind, None, list(tree)
    if kind in _registered:
        items, context = _registered[kind].flatten(tree)
        return kind, context, list(items)
    return None, None, []


def register(
    kind: type,
    flatten: Callable[..., Any],
    unflatten: Callable[..., Any],
    flatten_with_keys: Callable[..., Any] | None = None,
) -> None:
    """Makes a class a container: `flatten` returns the items and the context, `unflatten` rebuilds it."""
    if kind in _registered:
        raise ValueError(f"{kind} is already registered as pytree node.")
    _registered[kind] = Registered(flatten, unflatten, flatten_with_keys)


def container_types() -> list[type]:
    """The registered types of containers, without named tuples."""
    return [tuple, list, dict, OrderedDict, defaultdict, deque, *_registered]


def keys(tree: Any, number: int) -> list[Any]:
    """The key of each of a container's items."""
    if isinstance(tree, dict):
        return [MappingKey(key) for key in tree]
    if hasattr(type(tree), "_fields"):
        return [GetAttrKey(name) for name in tree._fields]
    registered = _registered.get(type(tree))
    if registered is not None and registered.flatten_with_keys is not None:
        return [key for key, _ in registered.flatten_with_keys(tree)[0]]
    return [SequenceKey(i) for i in range(number)]


def with_paths(
    tree: Any, is_leaf: Callable[..., Any] | None = None, path: tuple[Any, ...] = ()
) -> list[tuple[tuple[Any, ...], Any]]:
    """The leaves of a tree, each with its path."""
    kind, _, items = parts(tree)
    if kind is None or (is_leaf is not None and is_leaf(tree)):
        return [(path, tree)]
    below = zip(keys(tree, len(items)), items, strict=True)
    return [found for key, item in below for found in with_paths(item, is_leaf, (*path, key))]


def is_named(kind: type) -> bool:
    """Whether a type is a named tuple, or the result type of operators with several outputs."""
    return issubclass(kind, tuple) and (hasattr(kind, "_fields") or "return_types" in kind.__module__)


def tree_flatten(tree: Any, is_leaf: Callable[..., Any] | None = None) -> tuple[list[Any], TreeSpec]:
    """The leaves of a tree from left to right, and its structure; containers for which `is_leaf` is true are leaves.

    >>> from rushlight.utils.pytree import tree_flatten
    >>> tree_flatten((1, {"a": [2, 3]}))
    ([1, 2, 3], TreeSpec(tuple, None, [*, TreeSpec(dict, ['a'], [TreeSpec(list, None, [*, *])])]))
    """
    kind, context, items = parts(tree)
    if kind is None or (is_leaf is not None and is_leaf(tree)):
        return [tree], LEAF
    leaves, children = [], []
    for item in items:
        found, spec = tree_flatten(item, is_leaf)
        leaves += found
        children.append(spec)
    return leaves, TreeSpec(kind, context, tuple(children))


def tree_unflatten(leaves: list[Any], treespec: TreeSpec) -> Any:
    """The tree of a structure with given leaves. ValueError for a wrong number of leaves."""
    if len(leaves) != treespec.num_leaves:
        raise ValueError(
            f"tree_unflatten(leaves, treespec): `leaves` has length {len(leaves)} but the spec refers to a pytree that "
            f"holds {treespec.num_leaves} items ({treespec})."
        )
    return build(iter(leaves), treespec)


def build(leaves: Any, spec: TreeSpec) -> Any:
    """The tree of a structure with the next leaves."""
    if spec.type is None:
        return next(leaves)
    items = [build(leaves, child) for child in spec.children_specs]
    if spec.type is defaultdict:
        factory, names = spec.context
        return defaultdict(factory, zip(names, items, strict=True))
    if spec.type is deque:
        return deque(items, spec.context)
    if spec.type in _registered:
        return _registered[spec.type].unflatten(items, spec.context)
    if spec.context is not None:
        return spec.type(zip(spec.context, items, strict=True))
    return spec.type(*items) if hasattr(spec.type, "_fields") else spec.type(items)


def tree_leaves(tree: Any, is_leaf: Callable[..., Any] | None = None) -> list[Any]:
    """The leaves of a tree from left to right."""
    return tree_flatten(tree, is_leaf)[0]


def tree_map(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: Callable[..., Any] | None = None) -> Any:
    """The tree of a function's results for each leaf, together with those of further trees of the same structure.

    >>> from rushlight.utils.pytree import tree_map
    >>> tree_map(lambda n: n + 1, {"a": 1, "b": (2, 3)})
    {'a': 2, 'b': (3, 4)}
    """
    leaves, spec = tree_flatten(tree, is_leaf)
    columns = [leaves, *[tree_leaves(rest, is_leaf) for rest in rests]]
    return tree_unflatten([func(*values) for values in zip(*columns, strict=True)], spec)


def broadcast_leaves(tree: Any, spec: TreeSpec) -> list[Any] | None:
    """The leaves of a tree that is a prefix of a structure, repeated for all leaves below; None if it is not a prefix.

    >>> from rushlight.utils.pytree import broadcast_leaves, tree_flatten
    >>> broadcast_leaves((0, 1), tree_flatten((5, [6, 7]))[1])
    [0, 1, 1]
    """
    kind, context, items = parts(tree)
    if kind is None:
        return [tree] * spec.num_leaves
    if kind is not spec.type or context != spec.context or len(items) != len(spec.children_specs):
        return None
    found: list[Any] = [broadcast_leaves(item, child) for item, child in zip(items, spec.children_specs, strict=True)]
    return None if None in found else [leaf for leaves in found for leaf in leaves]
