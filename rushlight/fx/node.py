"""A node of a graph: one call, input, attribute or output."""

import builtins
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import rushlight
from rushlight.fx.immutable_collections import immutable_dict, immutable_list
from rushlight.fx.naming import shown_target, type_name

if TYPE_CHECKING:
    from rushlight.fx.graph import Graph

__all__ = ["Argument", "Node", "Target", "has_side_effect", "map_aggregate", "map_arg"]

Argument = Any
Target = Callable[..., Any] | str
OPS = ("placeholder", "get_attr", "call_function", "call_method", "call_module", "output")
base_types: tuple[type, ...] = (
    str,
    int,
    float,
    bool,
    complex,
    rushlight.dtype,
    rushlight.Tensor,
    rushlight.device,
    rushlight.memory_format,
    rushlight.layout,
    range,
)
IMPURE: set[Callable[..., Any]] = {operator.setitem, builtins.print}


def has_side_effect(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Keeps calls of a function in graphs even if their results are unused; also as a decorator."""
    IMPURE.add(fn)
    return fn


def map_aggregate(a: Argument, fn: Callable[[Argument], Argument]) -> Argument:
    """Applies a function to everything in an argument, also inside tuples, lists, dictionaries and slices."""
    if isinstance(a, tuple):
        items = [map_aggregate(item, fn) for item in a]
        return type(a)(*items) if hasattr(a, "_fields") else tuple(items)
    if isinstance(a, list):
        return immutable_list(map_aggregate(item, fn) for item in a)
    if isinstance(a, dict):
        return immutable_dict((key, map_aggregate(value, fn)) for key, value in a.items())
    if isinstance(a, slice):
        return slice(*(map_aggregate(part, fn) for part in (a.start, a.stop, a.step)))
    return fn(a)


def map_arg(a: Argument, fn: Callable[["Node"], Argument]) -> Argument:
    """Applies a function to each node in an argument.

    >>> from rushlight.fx import Graph, map_arg
    >>> graph = Graph()
    >>> x = graph.placeholder("x")
    >>> map_arg((x, [1, x]), lambda node: node.name)
    ('x', [1, 'x'])
    """
    return map_aggregate(a, lambda item: fn(item) if isinstance(item, Node) else item)


class Node:
    """One step of a graph: what `op` is (`placeholder`, `get_attr`, `call_function`, `call_method`, `call_module` or
    `output`), its `target`, and `args` and `kwargs`, in which other nodes stand for their results.

    ValueError for a `call_function` of what cannot be called, and for another target that is no string.
    """

    graph: "Graph"
    name: str
    op: str
    type: Any

    _prev: "Node"
    _next: "Node"

    def __init__(
        self,
        graph: "Graph",
        name: str,
        op: str,
        target: Target,
        args: tuple[Any, ...],
        kwargs: dict[Any, Any],
        return_type: Any = None,
    ):
        callable_wanted = op == "call_function"
        if callable(target) != callable_wanted if callable_wanted else not isinstance(target, str):
            raise ValueError(
                f"Node [graph = {graph}, name = '{name}'] target {target} has type {rushlight.typename(target)} but a "
                f"{'Callable' if callable_wanted else 'str'} is expected"
            )
        self.graph, self.name, self.op, self.type = graph, name, op, return_type
        self.target: Target = target
        self.users: dict[Node, None] = {}
        self.meta: dict[str, Any] = {}
        self._inputs: dict[Node, None] = {}
        self._prev = self._next = self
        self._erased = False
        self._use(args, kwargs)

    def __repr__(self) -> str:
        return self.name

    def _use(self, args: tuple[Any, ...], kwargs: dict[Any, Any]) -> None:
        """Sets new arguments, and registers the node as a user of the nodes in them."""
        for node in self._inputs:
            node.users.pop(self, None)
        self._inputs = {}
        note = lambda node: (self._inputs.setdefault(node), node.users.setdefault(self), node)[-1]
        self._args, self._kwargs = map_arg(tuple(args), note), map_arg(dict(kwargs), note)

    @property
    def args(self) -> tuple[Any, ...]:
        """The positional arguments; they can be assigned."""
        return self._args

    @args.setter
    def args(self, args: tuple[Any, ...]) -> None:
        self._use(args, self._kwargs)

    @property
    def kwargs(self) -> dict[str, Argument]:
        """The keyword arguments; they can be assigned."""
        return self._kwargs

    @kwargs.setter
    def kwargs(self, kwargs: dict[str, Argument]) -> None:
        self._use(self._args, kwargs)

    @property
    def next(self) -> "Node":
        """The node after this one in the graph."""
        return self._next

    @property
    def prev(self) -> "Node":
        """The node before this one in the graph."""
        return self._prev

    @property
    def all_input_nodes(self) -> list["Node"]:
        """The nodes in the arguments, without duplicates."""
        return list(self._inputs)

    @property
    def stack_trace(self) -> str | None:
        """The program's lines that the node comes from, if recorded."""
        return self.meta.get("stack_trace")

    @stack_trace.setter
    def stack_trace(self, trace: str | None) -> None:
        self.meta["stack_trace"] = trace

    def prepend(self, x: "Node") -> None:
        """Moves a node of the same graph before this one."""
        if x.graph is not self.graph:
            raise AssertionError("Attempting to move a Node into a different Graph")
        if x is self:
            return
        x._unlink()
        x._prev, x._next = self._prev, self
        self._prev._next = self._prev = x

    def append(self, x: "Node") -> None:
        """Moves a node of the same graph after this one."""
        if x is not self and x is not self._next:
            self._next.prepend(x)

    def _unlink(self) -> None:
        """Removes the node from the order."""
        self._prev._next, self._next._prev = self._next, self._prev

    def update_arg(self, idx: int, arg: Argument) -> None:
        """Replaces the argument at a position."""
        args = list(self._args)
        args[idx] = arg
        self.args = tuple(args)

    def insert_arg(self, idx: int, arg: Argument) -> None:
        """Inserts an argument before the one at a position."""
        if not 0 <= idx <= len(self._args):
            raise AssertionError(f"insert_args index must be between 0 and len(self.args), got {idx}")
        self.args = (*self._args[:idx], arg, *self._args[idx:])

    def update_kwarg(self, key: str, arg: Argument) -> None:
        """Replaces a keyword argument."""
        self.kwargs = {**self._kwargs, key: arg}

    def replace_input_with(self, old_input: "Node", new_input: Argument) -> None:
        """Replaces an argument node wherever it occurs among the arguments."""
        swap = lambda node: new_input if node is old_input else node
        self._use(map_arg(self._args, swap), map_arg(self._kwargs, swap))

    def replace_all_uses_with(
        self,
        replace_with: "Node",
        delete_user_cb: Callable[["Node"], bool] | None = None,
        *,
        propagate_meta: bool = False,
    ) -> list["Node"]:
        """Replaces this node by another in all its users, and returns those.

        `delete_user_cb` decides for each user whether to change it; with `propagate_meta` the other node gets `meta`.
        """
        if propagate_meta:
            if replace_with.meta:
                raise AssertionError(
                    "Called node.replace_all_uses_with(replace_with, propagate_meta=True), but replace_with already "
                    "has .meta keys"
                )
            replace_with.meta.update(self.meta)
        changed = [user for user in self.users if delete_user_cb is None or delete_user_cb(user)]
        for user in changed:
            user.replace_input_with(self, replace_with)
        return changed

    def is_impure(self, impure_random: bool = True) -> bool:
        """Whether the node has effects besides its result.

        Inputs and outputs count, in-place changes, and with `impure_random` random functions.
        """
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_module":
            owner: Any = self.graph.owning_module
            return getattr(owner.get_submodule(self.target), "_is_impure", False)
        if self.op != "call_function":
            return False
        name = getattr(self.target, "__name__", "")
        changes = name[-1:] == "_" != name[-2:-1] or name in ("_assert", "_assert_is_none") or "out" in self.kwargs
        return changes or self.target in IMPURE or (impure_random and name in RANDOM)

    def format_node(
        self,
        placeholder_names: list[str] | None = None,
        maybe_return_typename: list[str] | None = None,
        *,
        include_tensor_metadata: bool = False,
    ) -> str | None:
        """The node as a line of text."""
        kind = "" if self.type is None else f"{type_name(self.type)} "
        shape: Any = self.meta.get("tensor_meta") or self.meta.get("val")
        if include_tensor_metadata and hasattr(shape, "shape"):
            kind = f'Tensor "{shape.dtype}{list(shape.shape)}" '
        head = f"%{self.name} : {kind}[num_users={len(self.users)}] = {self.op}[target={shown_target(self.target)}]"
        if self.op == "placeholder":
            return f"{head}(default={self._args[0]})" if self._args else head
        if self.op == "get_attr":
            return head
        if self.op == "output":
            return f"return {self._args[0]}"
        return f"{head}(args = {shown_argument(self._args)}, kwargs = {shown_argument(self._kwargs)})"


# Random functions: without one of them, a graph would draw other numbers afterwards.
RANDOM = frozenset(
    {
        "alpha_dropout",
        "bernoulli",
        "dropout",
        "dropout1d",
        "dropout2d",
        "dropout3d",
        "feature_alpha_dropout",
        "multinomial",
        "normal",
        "poisson",
        "rand",
        "rand_like",
        "randint",
        "randint_like",
        "randn",
        "randn_like",
        "randperm",
        "rrelu",
    }
)


def shown_argument(arg: Argument) -> str:
    """An argument as text for printing: nodes have a percent sign."""
    if isinstance(arg, list):
        return f"[{', '.join(map(shown_argument, arg))}]"
    if isinstance(arg, tuple):
        return f"({', '.join(map(shown_argument, arg))}{',' if len(arg) == 1 else ''})"
    if isinstance(arg, dict):
        return f"{{{', '.join(f'{key}: {shown_argument(value)}' for key, value in arg.items())}}}"
    return f"%{arg}" if isinstance(arg, Node) else str(arg)
