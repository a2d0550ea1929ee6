"""Trees under the names of PyTorch's own module: `torch.utils._pytree`."""

import json
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.utils.pytree import (
    LEAF,
    GetAttrKey,
    MappingKey,
    SequenceKey,
    TreeSpec,
    broadcast_leaves,
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
    "BUILTIN_TYPES",
    "Context",
    "GetAttrKey",
    "KeyEntry",
    "KeyPath",
    "LeafSpec",
    "MappingKey",
    "PyTree",
    "SequenceKey",
    "TreeSpec",
    "arg_tree_leaves",
    "is_namedtuple",
    "key_get",
    "keystr",
    "register_constant",
    "register_dataclass",
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
    "treespec_dumps",
    "treespec_loads",
]

PyTree = Any
Context = Any
KeyEntry = SequenceKey | MappingKey | GetAttrKey
KeyPath = tuple[KeyEntry, ...]
BUILTIN_TYPES = frozenset({tuple, list, dict, namedtuple, OrderedDict, defaultdict, deque})
PyTreeSpec = TreeSpec
Kinds = type | tuple[type, ...] | Callable[[Any], bool]


class LeafSpec(TreeSpec):
    """The structure of a leaf: `LeafSpec()`."""

    def __new__(cls) -> Any:
        """The one structure of leaves."""
        return LEAF


def register_pytree_node(
    cls: type,
    flatten_fn: Callable[..., Any],
    unflatten_fn: Callable[..., Any],
    *,
    serialized_type_name: str | None = None,
    to_dumpable_context: Callable[[Any], Any] | None = None,
    from_dumpable_context: Callable[[Any], Any] | None = None,
    flatten_with_keys_fn: Callable[..., Any] | None = None,
) -> None:
    """Makes a class a container: `flatten_fn(tree)` returns its items and a context, `unflatten_fn` rebuilds it.

    `flatten_with_keys_fn` returns each item with its key in paths. A class with a `serialized_type_name` can be in what
    `treespec_dumps` writes; the other two functions make of its context what JSON holds, and back. ValueError for a
    class that is a container already, and if one of these two is missing.

    >>> from rushlight.utils import _pytree
    >>> class Pair:
    ...     def __init__(self, items):
    ...         self.items = items
    >>> _pytree.register_pytree_node(
    ...     Pair, lambda pair: (pair.items, None), lambda items, context: Pair(items), serialized_type_name="Pair"
    ... )
    >>> _pytree.treespec_dumps(_pytree.tree_structure(Pair([1, 2])))[:42]
    '[1, {"type": "Pair", "context": "null", "c'
    """
    if (to_dumpable_context is None) != (from_dumpable_context is None):
        raise ValueError(
            f"Both to_dumpable_context and from_dumpable_context for {cls} must be None or registered: give both."
        )
    register(cls, flatten_fn, unflatten_fn, flatten_with_keys_fn)
    if serialized_type_name is not None:
        WRITTEN[serialized_type_name] = Written(
            cls, to_dumpable_context or json.dumps, from_dumpable_context or json.loads
        )


_register_pytree_node = register_pytree_node


def register_dataclass(
    cls: type, *, field_names: list[str] | None = None, drop_field_names: list[str] | None = None, **options: Any
) -> None:
    """Makes a dataclass a container of its fields, or of those of some names.

    ValueError for another class, and for one that is a container already.

    >>> from dataclasses import dataclass
    >>> from rushlight.utils import _pytree
    >>> @dataclass
    ... class Point:
    ...     x: float
    ...     y: float
    >>> _pytree.register_dataclass(Point)
    >>> _pytree.tree_map(lambda value: value + 1, Point(1.0, 2.0))
    Point(x=2.0, y=3.0)
    """
    if not is_dataclass(cls):
        raise ValueError(f"register_dataclass: {cls} is no dataclass: decorate it with dataclasses.dataclass")
    names = field_names or [field.name for field in fields(cls) if field.name not in (drop_field_names or ())]
    register(
        cls,
        lambda tree: ([getattr(tree, name) for name in names], None),
        lambda items, context: cls(**dict(zip(names, items, strict=True))),
    )


def register_constant(cls: type) -> None:
    """Makes the values of a class containers without items: no function is applied to them."""
    register(cls, lambda tree: ([], tree), lambda items, context: context)


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


class Containers(Mapping[type, Any]):
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


def _is_leaf(tree: PyTree, is_leaf: Callable[..., Any] | None = None) -> bool:
    """Whether a tree is a leaf."""
    return tree_is_leaf(tree, is_leaf)


def _broadcast_to_and_flatten(
    tree: PyTree, treespec: TreeSpec, is_leaf: Callable[..., Any] | None = None
) -> list[Any] | None:
    """The leaves of a tree that is a prefix of a structure, repeated for all leaves below; None if it is not one."""
    return broadcast_leaves(tree, treespec)


def arg_tree_leaves(*args: PyTree, **kwargs: PyTree) -> list[Any]:
    """The leaves of a call's arguments.

    >>> from rushlight.utils import _pytree
    >>> _pytree.arg_tree_leaves(1, [2, 3], last=4)
    [1, 2, 3, 4]
    """
    return tree_leaves((args, kwargs))


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
    type_or_types_or_pred: Kinds, func: Callable[..., Any], tree: PyTree, is_leaf: Callable[..., Any] | None = None
) -> PyTree:
    """The tree with a function applied to the leaves of some types."""
    return tree_map(only(type_or_types_or_pred, func), tree, is_leaf=is_leaf)


def tree_map_only_(
    type_or_types_or_pred: Kinds, func: Callable[..., Any], tree: PyTree, is_leaf: Callable[..., Any] | None = None
) -> PyTree:
    """Calls a function for the leaves of some types; returns the tree."""
    return tree_map_(only(type_or_types_or_pred, func), tree, is_leaf=is_leaf)


def tree_all(pred: Callable[[Any], bool], tree: PyTree, is_leaf: Callable[..., Any] | None = None) -> bool:
    """Whether a predicate holds for all leaves."""
    return all(map(pred, tree_leaves(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: PyTree, is_leaf: Callable[..., Any] | None = None) -> bool:
    """Whether a predicate holds for any leaf."""
    return any(map(pred, tree_leaves(tree, is_leaf)))


def tree_all_only(
    type_or_types: type | tuple[type, ...],
    pred: Callable[..., Any],
    tree: PyTree,
    is_leaf: Callable[..., Any] | None = None,
) -> bool:
    """Whether a predicate holds for all leaves of some types."""
    return all(pred(leaf) for leaf in tree_leaves(tree, is_leaf) if is_one(type_or_types, leaf))


def tree_any_only(
    type_or_types: type | tuple[type, ...],
    pred: Callable[..., Any],
    tree: PyTree,
    is_leaf: Callable[..., Any] | None = None,
) -> bool:
    """Whether a predicate holds for any leaf of some types."""
    return any(pred(leaf) for leaf in tree_leaves(tree, is_leaf) if is_one(type_or_types, leaf))


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


def key_get(obj: Any, kp: tuple[Any, ...]) -> Any:
    """What is at a path of a tree.

    >>> from rushlight.utils import _pytree
    >>> _pytree.key_get({"a": [1, 2]}, (_pytree.MappingKey("a"), _pytree.SequenceKey(1)))
    2
    """
    for key in kp:
        obj = getattr(obj, key.name) if isinstance(key, GetAttrKey) else obj[key[0]]
    return obj


class Written(NamedTuple):
    """A container that can be written as JSON, and the functions that write and read its context."""

    kind: type
    dump: Callable[[Any], Any]
    load: Callable[[Any], Any]


WRITTEN = {
    f"{kind.__module__}.{kind.__name__}": Written(kind, json.dumps, json.loads)
    for kind in (tuple, list, dict, OrderedDict, deque)
}


def treespec_dumps(treespec: TreeSpec, protocol: int | None = None) -> str:
    """A structure of tuples, lists and dictionaries as JSON, as PyTorch writes it, for `treespec_loads`.

    NotImplementedError for other containers, TypeError for keys that JSON cannot hold.

    >>> from rushlight.utils import _pytree
    >>> spec = _pytree.tree_structure({"a": [1, 2]})
    >>> _pytree.treespec_loads(_pytree.treespec_dumps(spec)) == spec
    True
    """
    return json.dumps([1 if protocol is None else protocol, as_json(treespec)])


def as_json(spec: TreeSpec) -> dict[str, Any]:
    """A structure as what JSON holds: the name of the container, its context, its items."""
    if spec.type is None:
        return {"type": None, "context": None, "children_spec": []}
    name = next((name for name, written in WRITTEN.items() if written.kind is spec.type), None)
    if name is None:
        raise NotImplementedError(
            f"treespec_dumps: {spec.type} cannot be written: use tuples, lists and dictionaries, or register it with a "
            "serialized_type_name"
        )
    context = WRITTEN[name].dump(spec.context)
    return {"type": name, "context": context, "children_spec": [*map(as_json, spec.children_specs)]}


def treespec_loads(serialized: str) -> TreeSpec:
    """The structure that `treespec_dumps` wrote, here or in PyTorch."""
    return read(json.loads(serialized)[1])


def read(spec: dict[str, Any]) -> TreeSpec:
    """The structure that `written` gave."""
    if spec["type"] is None:
        return LEAF
    written = WRITTEN[spec["type"]]
    return TreeSpec(written.kind, written.load(spec["context"]), tuple(map(read, spec["children_spec"])))


_explain_misses(globals())
