"""Trees under the names of PyTorch's own module: `torch.utils._pytree`."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.utils.pytree import (
    LEAF,
    TreeSpec,
    build,
    container_types,
    is_named,
    keys,
    parts,
    register,
    tree_flatten,
    tree_leaves,
    tree_map,
    tree_unflatten,
    with_paths,
)

__all__ = [
    "LeafSpec",
    "PyTree",
    "TreeSpec",
    "is_namedtuple",
    "keystr",
    "register_pytree_node",
    "tree_all",
    "tree_all_only",
    "tree_any",
    "tree_any_only",
    "tree_flatten",
    "tree_flatten_with_path",
    "tree_is_leaf",
    "tree_iter",
    "tree_leaves",
    "tree_leaves_with_path",
    "tree_map",
    "tree_map_",
    "tree_map_only",
    "tree_map_only_",
    "tree_map_with_path",
    "tree_structure",
    "tree_unflatten",
]

PyTree = Any
PyTreeSpec = TreeSpec
Kinds = type | tuple[type, ...] | Callable[[Any], bool]


def LeafSpec() -> TreeSpec:
    """The structure of a leaf."""
    return LEAF


def register_pytree_node(
    cls: type,
    flatten_fn: Callable[..., Any],
    unflatten_fn: Callable[..., Any],
    *,
    serialized_type_name: str | None = None,
    **options: Any,
) -> None:
    """Makes a class a container: `flatten_fn(tree)` returns its items and a context, `unflatten_fn` rebuilds it.

    ValueError for a class that is a container already.
    """
    register(cls, flatten_fn, unflatten_fn)


_register_pytree_node = register_pytree_node


class NodeDef(NamedTuple):
    """The functions that flatten and unflatten a container."""

    type: type
    flatten_fn: Callable[[Any], tuple[list[Any], Any]]
    unflatten_fn: Callable[[Any, Any], Any]


def _dict_flatten(d: dict[Any, Any]) -> tuple[list[Any], list[Any]]:
    """The values and the keys of a dictionary; libraries use it to register dictionary classes."""
    return list(d.values()), list(d)


def _dict_unflatten(values: Any, context: list[Any]) -> dict[Any, Any]:
    """The dictionary of given values and keys."""
    return dict(zip(context, values, strict=True))


def _dict_flatten_with_keys(d: dict[Any, Any]) -> tuple[list[tuple[Any, Any]], list[Any]]:
    """The values of a dictionary, each with its key, and the list of keys."""
    return list(zip(keys(d, len(d)), d.values(), strict=True)), list(d)


class Containers(Mapping):
    """The registered types of containers, each with its `NodeDef`."""

    def __getitem__(self, kind: type) -> NodeDef:
        if kind not in self:
            raise KeyError(kind)
        unflatten = lambda items, context: build(iter(items), TreeSpec(kind, context, (LEAF,) * len(list(items))))
        return NodeDef(kind, lambda tree: (parts(tree)[2], parts(tree)[1]), unflatten)

    def __contains__(self, kind: object) -> bool:
        return kind in container_types() or (isinstance(kind, type) and is_named(kind))

    def __iter__(self) -> Iterator[type]:
        return iter(container_types())

    def __len__(self) -> int:
        return len(container_types())


SUPPORTED_NODES = Containers()


def _get_node_type(tree: Any) -> Any:
    """The type of a container, or of a leaf."""
    return type(tree)


def is_namedtuple(obj: Any) -> bool:
    """Whether an object is a named tuple."""
    return is_named(obj if isinstance(obj, type) else type(obj))


def tree_iter(tree: PyTree, is_leaf: Callable[..., Any] | None = None) -> Any:
    """Iterates over the leaves of a tree."""
    return iter(tree_leaves(tree, is_leaf))


def tree_structure(tree: PyTree, is_leaf: Callable[..., Any] | None = None) -> TreeSpec:
    """The structure of a tree."""
    return tree_flatten(tree, is_leaf)[1]


def tree_is_leaf(tree: PyTree, is_leaf: Callable[..., Any] | None = None) -> bool:
    """Whether a tree is a leaf."""
    return tree_structure(tree, is_leaf) is LEAF


def tree_map_(
    func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: Callable[..., Any] | None = None
) -> PyTree:
    """Calls a function for each leaf; returns the tree."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def only(kinds: Kinds, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that leaves values of other types unchanged."""
    return lambda value: function(value) if is_one(kinds, value) else value


def is_one(kinds: Kinds, value: Any) -> bool:
    """Whether a value is of some types, or satisfies a predicate."""
    return isinstance(value, kinds) if isinstance(kinds, (type, tuple)) else kinds(value)


def tree_map_only(
    kinds: Kinds, func: Callable[..., Any], tree: PyTree, is_leaf: Callable[..., Any] | None = None
) -> PyTree:
    """The tree with a function applied to the leaves of some types."""
    return tree_map(only(kinds, func), tree, is_leaf=is_leaf)


def tree_map_only_(
    kinds: Kinds, func: Callable[..., Any], tree: PyTree, is_leaf: Callable[..., Any] | None = None
) -> PyTree:
    """Calls a function for the leaves of some types; returns the tree."""
    return tree_map_(only(kinds, func), tree, is_leaf=is_leaf)


def tree_all(pred: Callable[[Any], bool], tree: PyTree, is_leaf: Callable[..., Any] | None = None) -> bool:
    """Whether a predicate holds for all leaves."""
    return all(map(pred, tree_leaves(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: PyTree, is_leaf: Callable[..., Any] | None = None) -> bool:
    """Whether a predicate holds for any leaf."""
    return any(map(pred, tree_leaves(tree, is_leaf)))


def tree_all_only(
    kinds: type | tuple[type, ...], pred: Callable[..., Any], tree: PyTree, is_leaf: Callable[..., Any] | None = None
) -> bool:
    """Whether a predicate holds for all leaves of some types."""
    return all(pred(leaf) for leaf in tree_leaves(tree, is_leaf) if is_one(kinds, leaf))


def tree_any_only(
    kinds: type | tuple[type, ...], pred: Callable[..., Any], tree: PyTree, is_leaf: Callable[..., Any] | None = None
) -> bool:
    """Whether a predicate holds for any leaf of some types."""
    return any(pred(leaf) for leaf in tree_leaves(tree, is_leaf) if is_one(kinds, leaf))


def tree_leaves_with_path(tree: PyTree, is_leaf: Callable[..., Any] | None = None) -> list[tuple[tuple[Any, ...], Any]]:
    """The leaves of a tree, each with its path."""
    return with_paths(tree, is_leaf)


def tree_flatten_with_path(
    tree: PyTree, is_leaf: Callable[..., Any] | None = None
) -> tuple[list[tuple[tuple[Any, ...], Any]], TreeSpec]:
    """The leaves of a tree, each with its path, and the structure."""
    return with_paths(tree, is_leaf), tree_structure(tree, is_leaf)


def tree_map_with_path(
    func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: Callable[..., Any] | None = None
) -> PyTree:
    """The tree of a function's results for the path and value of each leaf."""
    found, spec = tree_flatten_with_path(tree, is_leaf)
    columns = [tree_leaves(rest, is_leaf) for rest in rests]
    return tree_unflatten([func(*pair, *more) for pair, *more in zip(found, *columns, strict=True)], spec)


def keystr(kp: tuple[Any, ...]) -> str:
    """A path as an index: `['a'][0].b`."""
    return "".join(map(str, kp))


_explain_misses(globals())
