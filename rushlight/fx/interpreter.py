"""Running graphs node by node, and transforming them."""

from collections.abc import Iterator
from typing import Any

from rushlight.fx._symbolic_trace import WholeModules
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Argument, Node, Target, map_aggregate, map_arg
from rushlight.fx.proxy import Proxy
from rushlight.nn.modules.module import Module

__all__ = ["Interpreter", "Transformer"]


class Interpreter:
    """Runs a module's graph node by node. Subclasses override what is done for a kind of node (`call_function`, ...).

    >>> import rushlight as torch
    >>> class Negated(torch.fx.Interpreter):
    ...     def call_function(self, target, args, kwargs):
    ...         return -super().call_function(target, args, kwargs)
    >>> Negated(torch.fx.symbolic_trace(lambda x: torch.exp(x))).run(torch.zeros(2))
    tensor([-1., -1.])
    """

    name: str
    garbage_collect_values: bool
    extra_traceback: bool

    def __init__(self, module: Module, garbage_collect_values: bool = True, graph: Graph | None = None):
        self.module: Any = module
        self.submodules: dict[str, Module] = dict(module.named_modules())
        self.graph: Graph = module.graph if graph is None else graph
        self.env: dict[Node, Any] = {}
        self.name, self.garbage_collect_values, self.extra_traceback = "Interpreter", garbage_collect_values, True
        self.user_to_last_uses: dict[Node, list[Node]] = {}
        seen: set[Node] = set()
        for node in reversed(self.graph.nodes) if garbage_collect_values else ():
            new = [used for used in node.all_input_nodes if used not in seen]
            seen.update(new)
            self.user_to_last_uses[node] = new

    def run(self, *args: Any, initial_env: dict[Node, Any] | None = None, enable_io_processing: bool = True) -> Any:
        """The graph's result for these arguments. `initial_env` gives the results of nodes that need not run."""
        self.env = {} if initial_env is None else initial_env
        given = self.graph.process_inputs(*args) if enable_io_processing else args
        self.args_iter: Iterator[Any] = iter(given)
        for node in self.graph.nodes:
            if node in self.env:
                continue
            try:
                self.env[node] = self.run_node(node)
            except Exception as error:
                if self.extra_traceback:
                    error.add_note(f"While executing {node.format_node()}\nOriginal traceback:\n{node.stack_trace}")
                raise
            for used in self.user_to_last_uses.get(node, ()):
                del self.env[used]
            if node.op == "output":
                result = self.env[node]
                return self.graph.process_outputs(result) if enable_io_processing else result
        return None

    def boxed_run(self, args_list: list[Any]) -> Any:
        """`run` with the arguments in a list, which is cleared so that they can be freed early."""
        args = list(args_list)
        args_list.clear()
        return self.run(*args, enable_io_processing=False)

    def run_node(self, n: Node) -> Any:
        """Runs one node and returns its result."""
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        return getattr(self, n.op)(n.target, args, kwargs)

    def placeholder(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The next argument, or the default value. RuntimeError if there is neither."""
        if str(target).startswith("*"):
            return list(self.args_iter)
        try:
            return next(self.args_iter)
        except StopIteration:
            if args:
                return args[0]
            raise RuntimeError(
                f"Expected positional argument for parameter {target}, but one was not passed in!"
            ) from None

    def get_attr(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """An attribute of the module."""
        return self.fetch_attr(str(target))

    def call_function(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a function call."""
        return target(*args, **kwargs)  # type: ignore[operator]

    def call_method(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of calling a method of the first argument."""
        return getattr(args[0], str(target))(*args[1:], **kwargs)

    def call_module(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of calling a submodule."""
        return self.fetch_attr(str(target))(*args, **kwargs)

    def output(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result."""
        return args[0]

    def fetch_attr(self, target: str) -> Any:
        """The attribute of the module at a path. RuntimeError if there is none."""
        found = self.module
        parts = target.split(".")
        for i, part in enumerate(parts):
            if not hasattr(found, part):
                raise RuntimeError(f"Node referenced nonexistent target {'.'.join(parts[: i + 1])}")
            found = getattr(found, part)
        return found

    def fetch_args_kwargs_from_env(self, n: Node) -> tuple[tuple[Any, ...], dict[Any, Any]]:
        """A node's arguments, with nodes replaced by their results."""
        return with_python_containers(self.map_nodes_to_values(n.args, n)), with_python_containers(
            self.map_nodes_to_values(n.kwargs, n)
        )

    def map_nodes_to_values(self, args: Argument, n: Node) -> Argument:
        """Arguments with nodes replaced by their results. RuntimeError for a node that has not run."""

        def value(used: Node) -> Any:
            if used not in self.env:
                raise RuntimeError(
                    f"Node {n} referenced nonexistent value {used}! Run Graph.lint() to diagnose such issues"
                )
            return self.env[used]

        return map_arg(args, value)


def with_python_containers(value: Any) -> Any:
    """Arguments with Python's own lists and dictionaries, which functions may change."""
    if isinstance(value, tuple):
        items = [with_python_containers(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, list):
        return [with_python_containers(item) for item in value]
    return {key: with_python_containers(item) for key, item in value.items()} if isinstance(value, dict) else value


class Transformer(Interpreter):
    """Transforms a graph into a new module: each node runs with proxies, and methods may override what is recorded.

    >>> import rushlight as torch
    >>> class Faster(torch.fx.Transformer):
    ...     def call_function(self, target, args, kwargs):
    ...         return super().call_function(torch.tanh if target is torch.sigmoid else target, args, kwargs)
    >>> Faster(torch.fx.symbolic_trace(lambda x: torch.sigmoid(x))).transform()(torch.zeros(1))
    tensor([0.])
    """

    def __init__(self, module: GraphModule):
        super().__init__(module)
        self.new_graph: Graph = Graph()
        self.new_graph.set_codegen(module.graph._codegen)
        self.tracer: TransformerTracer = TransformerTracer(self.new_graph)
        self.tracer.root = module

    def placeholder(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Proxy:
        """Adds an input to the new graph."""
        return Proxy(self.new_graph.placeholder(str(target), default_value=args[0] if args else ...), self.tracer)

    def get_attr(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Proxy:
        """Adds the node of an attribute."""
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_module(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Adds the node of a module's call."""
        return self.tracer.call_module(self.fetch_attr(str(target)), self.fetch_attr(str(target)).forward, args, kwargs)

    def call_function(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Adds the node of a function's call."""
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def transform(self) -> GraphModule:
        """The module with the new graph."""
        result = super().run(enable_io_processing=False)
        if result is not None:
            self.new_graph.output(map_aggregate(result, lambda a: a.node if isinstance(a, Proxy) else a))
        return GraphModule(self.module, self.new_graph)


class TransformerTracer(WholeModules):
    """The tracer of a transformer; modules are leaves."""

    def __init__(self, graph: Graph):
        super().__init__()
        self.graph = graph
        self.tensor_attrs = {}
