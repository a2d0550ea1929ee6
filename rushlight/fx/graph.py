"""Graphs: the operations of a program in order."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Literal

from rushlight.fx.codegen import CodeGen, PythonCode
from rushlight.fx.naming import Namespace, hint, shown_target
from rushlight.fx.node import OPS, Argument, Node, Target, map_arg
from rushlight.nn.modules.module import Module

__all__ = ["CodeGen", "Graph", "PythonCode"]


class NodeList:
    """The nodes of a graph in order; the graph may be changed during iteration."""

    graph: "Graph"

    def __init__(self, graph: "Graph", direction: Literal["_prev", "_next"] = "_next"):
        self.graph, self.direction = graph, direction

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __iter__(self) -> Iterator[Node]:
        node = getattr(self.graph._root, self.direction)
        while node is not self.graph._root:
            if not node._erased:
                yield node
            node = getattr(node, self.direction)

    def __reversed__(self) -> Any:
        return iter(NodeList(self.graph, "_prev" if self.direction == "_next" else "_next"))


class Graph:
    """A program as a list of nodes; new ones are added at the end, or at the position that `inserting_before` sets.

    >>> import rushlight as torch
    >>> graph = torch.fx.Graph()
    >>> x = graph.placeholder("x")
    >>> _ = graph.output(graph.call_function(torch.exp, (x,)))
    >>> print(graph)
    graph():
        %x : [num_users=1] = placeholder[target=x]
        %exp : [num_users=1] = call_function[target=torch.exp](args = (%x,), kwargs = {})
        return exp
    """

    def __init__(self, owning_module: Module | None = None, tracer_cls: Any = None, tracer_extras: Any = None):
        self._root = Node(self, "", "placeholder", "", (), {})
        self._insert: Callable[[Node], None] = self._root.prepend
        self._namespace = Namespace()
        self._tracer_cls, self._tracer_extras = tracer_cls, tracer_extras
        self._codegen = CodeGen()
        self.owning_module = owning_module

    @property
    def nodes(self) -> NodeList:
        """The nodes in order; they may be erased during iteration."""
        return NodeList(self)

    def output_node(self) -> Node:
        """The output node."""
        return next(node for node in reversed(self.nodes) if node.op == "output")

    def find_nodes(self, *, op: str, target: Target | None = None, sort: bool = True) -> list[Node]:
        """The nodes of a kind in order, optionally only those with a given target."""
        return [node for node in self.nodes if node.op == op and (target is None or node.target == target)]

    def create_node(
        self,
        op: str,
        target: Target,
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        name: str | None = None,
        type_expr: Any = None,
    ) -> Node:
        """Adds a node. AssertionError for an unknown `op`."""
        if op not in OPS:
            raise AssertionError(f"op '{op}' is not in {list(OPS)}")
        name = self._namespace.create_name(name if name is not None else hint(target))
        node = Node(self, name, op, target, args or (), kwargs or {}, type_expr)
        if self.owning_module is not None:
            for hook in getattr(self.owning_module, "_create_node_hooks", ()):
                hook(node)
        self._insert(node)
        return node

    def erase_node(self, to_erase: Node) -> None:
        """Removes a node. RuntimeError if other nodes use it, or it belongs to another graph."""
        if to_erase.users:
            raise RuntimeError(
                f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users in the graph: "
                f"{to_erase.users}!"
            )
        if to_erase.graph is not self:
            raise RuntimeError(f"Attempting to remove {to_erase} from wrong graph!")
        to_erase._unlink()
        to_erase._erased = True
        to_erase.args, to_erase.kwargs = (), {}

    @contextmanager
    def _inserting(self, insert: Callable[[Node], None]) -> Iterator[None]:
        before, self._insert = self._insert, insert
        try:
            yield
        finally:
            self._insert = before

    def inserting_before(self, n: Node | None = None) -> AbstractContextManager[None]:
        """A context in which new nodes are inserted before a node, or at the beginning."""
        if n is None:
            return self.inserting_after(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert before is not in graph.")
        return self._inserting(n.prepend)

    def inserting_after(self, n: Node | None = None) -> AbstractContextManager[None]:
        """A context in which new nodes are inserted after a node, or at the end."""
        if n is None:
            return self.inserting_before(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert after is not in graph.")
        return self._inserting(n.append)

    def placeholder(self, name: str, type_expr: Any = None, default_value: Any = ...) -> Node:
        """Adds an input node."""
        args = () if default_value is ... else (default_value,)
        return self.create_node("placeholder", name, args, type_expr=type_expr)

    def get_attr(self, qualified_name: str, type_expr: Any = None) -> Node:
        """Adds a node for an attribute of the module, such as `layer.weight`."""
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def call_module(
        self,
        module_name: str,
        args: tuple[Any, ...] | None = None,
        kwargs: dict[Any, Any] | None = None,
        type_expr: Any = None,
    ) -> Node:
        """Adds a call of a submodule."""
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def call_method(
        self,
        method_name: str,
        args: tuple[Any, ...] | None = None,
        kwargs: dict[Any, Any] | None = None,
        type_expr: Any = None,
    ) -> Node:
        """Adds a call of a method of the first argument."""
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_function(
        self,
        the_function: Callable[..., Any],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[Any, Any] | None = None,
        type_expr: Any = None,
        name: str | None = None,
    ) -> Node:
        """Adds a call of a function."""
        return self.create_node("call_function", the_function, args, kwargs, name, type_expr)

    def output(self, result: Argument, type_expr: Any = None) -> Node:
        """Adds the output node."""
        return self.create_node("output", "output", (result,), type_expr=type_expr)

    def node_copy(self, node: Node, arg_transform: Callable[[Node], Argument] = lambda x: x) -> Node:
        """Adds a copy of a node of another graph; `arg_transform` maps its argument nodes to nodes of this graph."""
        args, kwargs = map_arg(node.args, arg_transform), map_arg(node.kwargs, arg_transform)
        copied = self.create_node(node.op, node.target, args, kwargs, node.name, node.type)
        copied.meta = dict(node.meta)
        return copied

    def graph_copy(self, g: "Graph", val_map: dict[Node, Node], return_output_node: bool = False) -> Any:
        """Adds copies of all nodes of a graph but its output; returns the copied output value, and fills `val_map`."""
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                found = map_arg(node.args[0], lambda used: val_map[used])
                return (found, node) if return_output_node else found
            val_map[node] = self.node_copy(node, lambda used: val_map[used])
        return None

    def __deepcopy__(self, memo: Any = None) -> "Graph":
        copied = Graph(tracer_cls=self._tracer_cls)
        found = copied.graph_copy(self, {}, return_output_node=True)
        if found is not None:
            output = copied.output(found[0], found[1].type)
            output.meta = dict(found[1].meta)
        copied._codegen = self._codegen
        return copied

    def process_inputs(self, *args: Any) -> Any:
        """Converts the generated function's arguments to the graph's inputs."""
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out: Any) -> Any:
        """Converts the graph's output to the generated function's."""
        return self._codegen.process_outputs(out)

    def python_code(self, root_module: str, *, verbose: bool = False) -> PythonCode:
        """The graph as Python code, which calls the module `root_module`."""
        return self._codegen.python_code(self.nodes, root_module, verbose=verbose)

    def set_codegen(self, codegen: CodeGen) -> None:
        """Sets the code generator."""
        self._codegen = codegen

    def on_generate_code(self, make_transformer: Callable[..., Any]) -> AbstractContextManager[None]:
        """Registers a transform of the generated code: `make_transformer(former)` returns a function of the lines.

        As a context manager it restores the former one at its end.
        """
        before = self._codegen._body_transformer
        self._codegen._body_transformer = make_transformer(before)

        @contextmanager
        def until_the_end() -> Iterator[None]:
            try:
                yield
            finally:
                self._codegen._body_transformer = before

        return until_the_end()

    def __str__(self) -> str:
        lines = [f"    {node.format_node()}" for node in self.nodes]
        return "\n".join(["graph():", *lines])

    def print_tabular(self) -> None:
        """Prints the nodes as a table.

        >>> import rushlight as torch
        >>> torch.fx.symbolic_trace(lambda x: x.exp()).graph.print_tabular()
        opcode       name    target    args    kwargs
        -----------  ------  --------  ------  --------
        placeholder  x       x         ()      {}
        call_method  exp     exp       (x,)    {}
        output       output  output    (exp,)  {}
        """
        rows = [("opcode", "name", "target", "args", "kwargs")]
        rows += [(n.op, n.name, shown_target(n.target), str(n.args), str(n.kwargs)) for n in self.nodes]
        widths = [max(2 + len(rows[0][i]), *(len(row[i]) for row in rows)) for i in range(5)]
        rows.insert(1, tuple("-" * width for width in widths))  # type: ignore[arg-type]
        for row in rows:
            print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())

    def lint(self) -> None:
        """Checks that nodes come after their inputs, have unique names, and find their targets; else RuntimeError."""
        seen: dict[Node, None] = {}
        names: set[str] = set()
        for node in self.nodes:
            for used in node.all_input_nodes:
                if used.graph is not self:
                    raise RuntimeError(
                        f"Argument '{used}' of Node '{node}' does not belong to this Graph, but was used as an "
                        f"argument! If you are copying nodes from another graph, make sure to use ``arg_transform`` on "
                        f"node_copy() to remap values\n{self}"
                    )
                if used not in seen:
                    raise RuntimeError(
                        f"Argument '{used}' of Node '{node}' was used before it has been defined! Please check that "
                        f"Nodes in the graph are topologically ordered\n{self}"
                    )
            if node.name in names:
                raise RuntimeError(f"Node redefined name {node.name}!")
            seen[node] = None
            names.add(node.name)
            if self.owning_module is not None and node.op in ("get_attr", "call_module"):
                self._find(node)

    def _find(self, node: Node) -> None:
        """RuntimeError if the module lacks what a node refers to."""
        found: Any = self.owning_module
        passed: list[str] = []
        for part in str(node.target).split("."):
            found = getattr(found, part, None)
            if found is None:
                raise RuntimeError(
                    f"Node {node} target {node.target} references nonexistent attribute {part} of {'.'.join(passed)}"
                )
            passed.append(part)

    def eliminate_dead_code(self, is_impure_node: Callable[[Node], bool] | None = None) -> bool:
        """Erases nodes without users and side effects; returns whether there were any.

        >>> import rushlight as torch
        >>> traced = torch.fx.symbolic_trace(lambda x: (x + 1, x.exp())[1])
        >>> traced.graph.eliminate_dead_code(), len(traced.graph.nodes)
        (True, 3)
        """
        self.lint()
        impure = is_impure_node or Node.is_impure
        before = len(self.nodes)
        for node in reversed(self.nodes):
            if not node.users and not impure(node):
                self.erase_node(node)
        return len(self.nodes) < before
