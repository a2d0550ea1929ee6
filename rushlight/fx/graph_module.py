"""Modules generated from graphs: their `forward` is the code of the graph."""

import builtins
import copy
import itertools
import linecache
from collections.abc import Callable
from typing import Any

from rushlight.core.above import ABOVE
from rushlight.fx.codegen import PythonCode
from rushlight.fx.graph import Graph
from rushlight.fx.naming import import_of
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter
from rushlight.tensors import Tensor

__all__ = ["GraphModule", "reduce_graph_module"]

numbers = itertools.count()


def forward_of(source: str, names: dict[str, Any]) -> Callable[..., Any]:
    """The function `forward` defined by a source text; tracebacks show its lines."""
    file = f"<eval_with_key>.{next(numbers)}"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    defined = dict(names)
    exec(compile(source, file, "exec", dont_inherit=True), defined)
    return defined["forward"]


class GraphModule(Module):
    """A module with what a graph refers to in `root`, a module or dictionary; its `forward` is the graph's code.

    After changes to `graph` call `recompile`; assigning `graph` does this too. `code` is the Python code.

    >>> import rushlight as torch
    >>> traced = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.ReLU()))
    >>> traced
    Sequential(
      (0): Linear(in_features=2, out_features=1, bias=True)
      (1): ReLU()
    )
    >>> traced(torch.ones(3, 2)).shape
    torch.Size([3, 1])
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> "GraphModule":
        """Makes a class for each object, as each has its own `forward`."""
        public = next(kind for kind in cls.__mro__ if not vars(kind).get("_made_for_one", False))
        own = type("GraphModuleImpl", (public,), {"_made_for_one": True, "__module__": public.__module__})
        return super().__new__(own)

    def __init__(self, root: Module | dict[str, Any], graph: Graph, class_name: str = "GraphModule"):
        super().__init__()
        type(self).__name__ = class_name
        if isinstance(root, Module):
            self.training: bool = getattr(root, "training", True)
            named = [node.target for node in graph.nodes if node.op in ("get_attr", "call_module")]
            for target in named:
                copy_attribute(root, self, str(target))
        else:
            self._take_named(root, graph)
        self.graph = graph
        self.meta: dict[str, Any] = dict(getattr(root, "meta", {}))

    def _take_named(self, root: dict[str, Any], graph: Graph) -> None:
        """Copies what a graph refers to from a dictionary, parents first. RuntimeError for missing names."""
        for node in graph.nodes:
            if node.op in ("get_attr", "call_module") and node.target not in root:
                raise RuntimeError(
                    f"Node {node} referenced target {node.target} but that target was not provided in ``root``!"
                )
        for target in sorted(root, key=lambda name: name.count(".")):
            assign_attribute(root[target], self, target)

    @property
    def graph(self) -> Graph:
        """The graph; assigning it regenerates `forward`."""
        return self._graph

    @graph.setter
    def graph(self, graph: Graph) -> None:
        if not isinstance(graph, Graph):
            raise AssertionError(f"Expected a Graph instance, but got {type(graph)}")
        self._graph = graph
        graph.owning_module = self
        self.recompile()

    @property
    def code(self) -> str:
        """The code of `forward`."""
        return self._code

    def recompile(self) -> PythonCode:
        """Generates the code of the graph again and makes it `forward`."""
        made = self._graph.python_code(root_module="self")
        self._code = made.src
        type(self).forward = forward_of(made.src, made.globals)
        return made

    def print_readable(self, print_output: bool = True) -> str:
        """Prints the code with the program's lines as comments, and returns it."""
        source = self._graph.python_code(root_module="self", verbose=True).src.lstrip("\n")
        text = "\n".join(f"    {line}" if line else line for line in source.split("\n"))
        inner = [module.print_readable(False) for module in self.children() if isinstance(module, GraphModule)]
        text = f"class {type(self).__name__}(torch.nn.Module):\n{text}\n" + "\n".join(inner)
        if print_output:
            print(text)
        return text

    def add_submodule(self, target: str, m: Module) -> bool:
        """Adds a submodule at a path, creating modules on the way; False if another object is in the way."""
        *path, last = target.split(".")
        module: Module = self
        for part in path:
            inner = getattr(module, part, None)
            if inner is None:
                inner = Module()
                setattr(module, part, inner)
            if not isinstance(inner, Module):
                return False
            module = inner
        module.add_module(last, m)
        return True

    def delete_submodule(self, target: str) -> bool:
        """Deletes a submodule; False if there is none at this path."""
        path, _, last = target.rpartition(".")
        try:
            home = self.get_submodule(path)
        except AttributeError:
            return False
        if not isinstance(getattr(home, last, None), Module):
            return False
        delattr(home, last)
        return True

    def delete_all_unused_submodules(self) -> None:
        """Deletes the submodules that the graph does not use."""
        used: set[str] = set()
        for node in self._graph.nodes:
            if node.op in ("call_module", "get_attr"):
                parts = str(node.target).split(".")
                used.update(".".join(parts[:end]) for end in range(1, len(parts) + 1))
                if node.op == "call_module":
                    inside = self.get_submodule(str(node.target)).named_modules()
                    used.update(f"{node.target}.{name}" for name, _ in inside if name)
        for name, _ in list(self.named_modules()):
            if name and name not in used:
                self.delete_submodule(name)

    def __deepcopy__(self, memo: Any) -> Any:
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        state = {key: copy.deepcopy(value, memo) for key, value in vars(self).items() if key != "_graph"}
        root = Module()
        vars(root).update(state)
        GraphModule.__init__(made, root, copy.deepcopy(self._graph), type(self).__name__)
        vars(made).update({key: value for key, value in state.items() if key not in vars(made)})
        return made

    def __copy__(self) -> Any:
        made = GraphModule(self, self._graph, type(self).__name__)
        self._graph.owning_module = self
        return made

    def __reduce__(self) -> Any:
        state = {key: value for key, value in vars(self).items() if key != "_graph"}
        names = self.recompile().globals
        imports = "\n".join(sorted(import_of(name, value) for name, value in names.items()))
        return (reduce_graph_module, ({**state, "_class_name": type(self).__name__}, imports))

    def __str__(self) -> str:
        hint = "# To see more debug info, please use `graph_module.print_readable()`"
        return "\n".join([super().__repr__(), self._code, hint])


def import_served(name: str, *args: Any) -> Any:
    """`__import__` for generated code: its `torch` is rushlight, whether or not PyTorch is installed."""
    first, dot, rest = name.partition(".")
    return __import__(f"rushlight{dot}{rest}" if first == "torch" else name, *args)


class CodeOnly(Module):
    """The form in which a graph module is pickled: without the graph, which is traced again from the code."""


def reduce_graph_module(body: dict[str, Any], import_block: str) -> GraphModule:
    """Restores a pickled graph module."""
    names = {"__builtins__": {**vars(builtins), "__import__": import_served}}
    root = type("CodeOnly", (CodeOnly,), {"forward": forward_of(f"{import_block}\n{body['_code']}", names)})()
    vars(root).update({key: value for key, value in body.items() if key != "_class_name"})
    made = GraphModule(root, ABOVE.trace_whole(root), body["_class_name"])
    vars(made).update({key: value for key, value in vars(root).items() if key not in vars(made)})
    return made


def copy_attribute(root: Module, module: Module, target: str) -> None:
    """Copies an attribute at a path from one module to another, creating modules on the way."""
    *path, last = target.split(".")
    source: Any = root
    for part in path:
        source = getattr(source, part)
    value = getattr(source, last)
    if not hasattr_along(module, target):
        assign_attribute(value, module, target)


def hasattr_along(module: Any, target: str) -> bool:
    """Whether a module has an attribute at a path."""
    for part in target.split("."):
        if not hasattr(module, part):
            return False
        module = getattr(module, part)
    return True


def assign_attribute(value: Any, module: Module, target: str) -> None:
    """Sets an attribute at a path, creating modules on the way; a tensor becomes a buffer."""
    *path, last = target.split(".")
    for part in path:
        if getattr(module, part, None) is None:
            setattr(module, part, Module())
        module = getattr(module, part)
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        module.register_buffer(last, value)
    else:
        setattr(module, last, value)
