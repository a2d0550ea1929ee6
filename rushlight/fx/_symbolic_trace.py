"""Symbolic tracing: a program runs with proxies for its inputs, and its operations become a graph."""

import collections
import inspect
import math
from collections.abc import Callable
from types import CodeType, FunctionType, ModuleType
from typing import Any

from rushlight.core.above import above
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Argument, base_types
from rushlight.fx.proxy import ParameterProxy, Proxy, TracerBase, holds_proxy
from rushlight.fx.wrapping import replaced, wrap
from rushlight.nn.modules.container import Sequential
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter
from rushlight.overrides.assertion import _assert
from rushlight.overrides.switches import install_switches
from rushlight.tensors import Tensor
from rushlight.utils.pytree import tree_leaves

__all__ = ["PH", "ProxyableClassMeta", "Tracer", "is_fx_tracing", "symbolic_trace", "wrap"]

CALLED, READ = Module.__call__, Module.__getattr__
tracing = 0  # the number of traces in progress


class PHBase:
    """A placeholder in `concrete_args` for a value that stays an input."""

    def __repr__(self) -> str:
        return "PH"


PH = PHBase()


def is_fx_tracing() -> bool:
    """Whether a program is being traced."""
    return tracing > 0


class ProxyableClassMeta(type):
    """The metaclass of classes whose objects can be made from proxies: making one becomes a node of the graph."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        proxy = holds_proxy((args, kwargs)) if tracing else None
        if proxy is not None:
            return proxy.tracer.create_proxy("call_function", cls, args, kwargs)
        return super().__call__(*args, **kwargs)


class Tracer(TracerBase):
    """Traces programs. Subclasses choose which modules are leaves (`is_leaf_module`), or inspect the nodes.

    Functions of `autowrap_modules`, and `autowrap_functions`, are recorded as single calls; with
    `param_shapes_constant` the shapes of parameters are constants.

    >>> import rushlight as torch
    >>> graph = torch.fx.Tracer().trace(torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU()))
    >>> [node.op for node in graph.nodes]
    ['placeholder', 'call_module', 'call_module', 'output']
    """

    root_module_name: str
    graph: Graph

    def __init__(
        self,
        autowrap_modules: tuple[ModuleType, ...] = (math,),
        autowrap_functions: tuple[Callable[..., Any], ...] = (),
        param_shapes_constant: bool = False,
    ):
        own = [value for module in autowrap_modules for name, value in vars(module).items() if name[:1] != "_"]
        self._autowrap_function_ids = {id(value) for value in (*own, *autowrap_functions) if callable(value)}
        self._autowrap_search = list(autowrap_modules)
        self.param_shapes_constant = param_shapes_constant
        self.submodule_paths: dict[Module, str] | None = None
        self.root_module_name = ""
        self.module_stack: collections.OrderedDict[str, tuple[str, Any]] = collections.OrderedDict()
        self.num_calls: dict[str, int] = {}

    root: Module  # the module that is traced; for a function a module to hold its constants

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        """Whether a call of a module is a single node: true for the modules of `torch.nn`, except `Sequential`."""
        return m.__module__.startswith(("torch.nn", "rushlight.nn")) and not isinstance(m, Sequential)

    def path_of_module(self, mod: Module) -> str:
        """The path of a module in the root. NameError if it is not in it."""
        paths = self.submodule_paths or {module: name for name, module in self.root.named_modules()}
        if mod not in paths:
            raise NameError("module is not installed as a submodule")
        return paths[mod]

    def get_fresh_qualname(self, prefix: str) -> str:
        """A new attribute name for the root: a prefix and a number."""
        number = 0
        while hasattr(self.root, f"{prefix}{number}"):
            number += 1
        return f"{prefix}{number}"

    def create_arg(self, a: Any) -> Argument:
        """A value as an argument of a node; a tensor becomes an attribute of the root, if it is not one already."""
        if isinstance(a, (Tensor, Module)) and not isinstance(a, Proxy):
            return self.create_node("get_attr", self._attribute(a), (), {})
        if isinstance(a, tuple) and hasattr(a, "_fields"):
            return self.create_node("call_function", type(a), tuple(map(self.create_arg, a)), {})
        if isinstance(type(a), ProxyableClassMeta):
            name = self.get_fresh_qualname(f"_{type(a).__name__}_constant_")
            setattr(self.root, name, a)
            return self.create_node("get_attr", name, (), {})
        return super().create_arg(a)

    def _attribute(self, value: Any) -> str:
        """The path of a tensor or module in the root. NameError for a parameter or module that is not in it."""
        root = self.root
        kinds = (root.named_parameters, root.named_buffers) if isinstance(value, Tensor) else (root.named_modules,)
        for named in kinds:
            for name, other in named(remove_duplicate=False):
                if other is value:
                    return name
        if isinstance(value, Parameter):
            raise NameError("parameter is not a member of this module")
        if isinstance(value, Module):
            raise NameError("module is not installed as a submodule")
        if id(value) not in self.tensor_attrs:
            self.tensor_attrs[id(value)] = (self.get_fresh_qualname("_tensor_constant"), value)
            setattr(root, *self.tensor_attrs[id(value)])
        return self.tensor_attrs[id(value)][0]

    def call_module(self, m: Module, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[Any, Any]) -> Any:
        """Handles the call of a module: a leaf becomes a node, any other is traced by calling `forward`."""
        name = self.path_of_module(m)
        calls = self.num_calls.get(name, 0)
        self.num_calls[name] = calls + 1
        self.module_stack[f"{name}@{calls}" if calls else name] = (name, type(m))
        try:
            if self.is_leaf_module(m, name):
                return self.create_proxy("call_module", name, args, kwargs)
            return forward(*args, **kwargs)
        finally:
            self.module_stack.popitem()

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Proxy]) -> Any:
        """Handles reading an attribute of a module: returns a proxy for a parameter."""
        named: Any = None
        if isinstance(attr_val, Parameter):
            named = self.root.named_parameters()
        elif self.proxy_buffer_attributes and isinstance(attr_val, Tensor):
            named = self.root.named_buffers()
        for name, value in named or ():
            if value is attr_val:
                if name not in parameter_proxy_cache:
                    parameter_proxy_cache[name] = self._parameter(name, value)
                return parameter_proxy_cache[name]
        return attr_val

    def _parameter(self, name: str, value: Tensor) -> Proxy:
        """The proxy for a parameter."""
        if not self.param_shapes_constant:
            return self.create_proxy("get_attr", name, (), {})
        known = lambda node: ParameterProxy(self, node, name, value)
        return self.create_proxy("get_attr", name, (), {}, proxy_factory_fn=known)

    def create_args_for_root(
        self, root_fn: FunctionType, is_module: bool, concrete_args: Any = None
    ) -> tuple[Callable[..., Any], list[Any]]:
        """The function to run, and its arguments: proxies, or the values in `concrete_args`."""
        plain = inspect.unwrap(root_fn)
        code: CodeType = plain.__code__
        signature = inspect.signature(plain)
        count = code.co_argcount + code.co_kwonlyargcount
        names = list(code.co_varnames[is_module:count])
        if is_module and count == 0:
            raise RuntimeError("``self`` argument cannot be part of *args expansion!")
        if isinstance(concrete_args, tuple):
            if len(names) != len(concrete_args):
                raise RuntimeError(
                    f"Tracing expected {len(names)} arguments but got {len(concrete_args)} concrete arguments"
                )
            concrete_args = dict(zip(names, concrete_args, strict=True))
        flags = ((inspect.CO_VARARGS, "*"), (inspect.CO_VARKEYWORDS, "**"))
        more = [stars for flag, stars in flags if code.co_flags & flag]
        collected = [f"{stars}{code.co_varnames[count + i]}" for i, stars in enumerate(more)]
        args = [self.root] if is_module else []
        args += [self._input(name, signature, plain, concrete_args or {}) for name in (*names, *collected)]
        if collected or code.co_kwonlyargcount:
            root_fn = by_position(root_fn, len(args))
        return root_fn, args

    def _input(
        self, name: str, signature: inspect.Signature, function: Callable[..., Any], concrete: dict[str, Any]
    ) -> Any:
        """The proxy for an input, or its concrete value if given."""
        parameter = signature.parameters[name.lstrip("*")]
        default = () if parameter.default is parameter.empty else (parameter.default,)
        if name not in concrete:
            kind = function.__annotations__.get(name.lstrip("*"))
            return self.create_proxy("placeholder", name, default, {}, type_expr=kind)
        value = concrete[name]
        if isinstance(value, PHBase):
            return self.create_proxy("placeholder", f"{name}_1", default, {})
        if isinstance(value, (tuple, list, dict)) and any(isinstance(leaf, PHBase) for leaf in tree_leaves(value)):
            raise NotImplementedError(
                f"concrete_args: {name} has inputs (PH) in a collection: give each an argument of its own"
            )
        self._specialize(name, value, self.create_proxy("placeholder", f"{name}_1", default, {}))
        return value

    def _specialize(self, name: str, value: Any, given: Proxy) -> None:
        """Adds a check that an input equals the value that the program was traced with."""
        said = f"{name} has been specialized to have value {value} but got another value"
        if value is None:
            self.create_proxy("call_function", _assert_is_none, (given, said), {})
        elif isinstance(value, base_types) and not isinstance(value, Tensor):
            self.create_proxy("call_function", _assert, (given == value, said), {})

    def trace(self, root: Module | Callable[..., Any], concrete_args: Any = None) -> Graph:
        """The graph of a module or function, traced with proxies for its arguments.

        TraceError if the operations depend on values.
        """
        global tracing
        install_switches()
        is_module = isinstance(root, Module)
        self.root = root if isinstance(root, Module) else Module()
        function: Any = getattr(type(root), self.traced_func_name) if is_module else root
        self.root_module_name = self.root._get_name()
        self.submodule_paths = {module: name for name, module in self.root.named_modules()}
        self.graph = Graph(tracer_cls=type(self))
        self.tensor_attrs: dict[int, tuple[str, Tensor]] = {
            id(value): (f"{path}.{name}".lstrip("."), value)
            for path, module in self.root.named_modules()
            for name, value in vars(module).items()
            if isinstance(value, Tensor)
        }
        names = function.__globals__
        function, args = self.create_args_for_root(function, is_module, concrete_args)
        returned = inspect.get_annotations(inspect.unwrap(function)).get("return")
        tracing += 1
        try:
            with replaced(write_call) as replacements:
                self._replace(replacements, names)
                result = self.create_arg(function(*args))
            self.create_node("output", "output", (result,), {}, type_expr=returned)
        finally:
            tracing -= 1
            self.submodule_paths = None
        return self.graph

    def _replace(self, replacements: Any, names: dict[str, Any]) -> None:
        """Replaces module calls, attributes and wrapped functions by versions that record them."""
        parameters: dict[str, Proxy] = {}

        def call(module: Module, *args: Any, **kwargs: Any) -> Any:
            replacements.found_in(getattr(module.forward, "__globals__", {}), self._autowrap_function_ids)
            return self.call_module(module, lambda *a, **k: CALLED(module, *a, **k), args, kwargs)

        replacements.on_class(Module, "__call__", call)
        replacements.on_class(
            Module, "__getattr__", lambda module, name: self.getattr(name, READ(module, name), parameters)
        )
        for home in (names, *map(vars, self._autowrap_search)):
            replacements.found_in(home, self._autowrap_function_ids)


class WholeModules(Tracer):
    """A tracer that treats every module as a leaf."""

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        """Always True."""
        return True


@above
def trace_whole(root: Module) -> Graph:
    """The graph of a module in which the call of each module is one node."""
    return WholeModules().trace(root)


def write_call(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[Any, Any]) -> Any:
    """Records the call of a function if a proxy is among the arguments; else NotImplemented."""
    proxy = holds_proxy((args, kwargs))
    if proxy is None:
        return NotImplemented
    result = proxy.tracer.create_proxy("call_function", function, args, kwargs)
    result.node.meta["is_wrapped"] = True
    return result


def _assert_is_none(value: Any, msg: str) -> None:
    """Raises AssertionError for anything but None."""
    if value is not None:
        raise AssertionError(msg)


def by_position(function: FunctionType, count: int) -> FunctionType:
    """A wrapper that takes all of a function's arguments by position, `*args` and `**kwargs` as one each."""
    flags = function.__code__.co_flags & ~(inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    code = function.__code__.replace(co_argcount=count, co_posonlyargcount=0, co_kwonlyargcount=0, co_flags=flags)
    return FunctionType(code, function.__globals__, function.__name__, function.__defaults__, function.__closure__)


def symbolic_trace(root: Module | Callable[..., Any], concrete_args: Any = None) -> GraphModule:
    """A `GraphModule` that does what a module or function does, with a graph that can be inspected and changed.

    `concrete_args` gives the values of arguments that control flow depends on. TraceError if it depends on others.

    >>> import rushlight as torch
    >>> def scaled(x, by):
    ...     return torch.tanh(x) * by
    >>> traced = torch.fx.symbolic_trace(scaled)
    >>> print(traced.code.strip())
    def forward(self, x, by):
        tanh = torch.tanh(x);  x = None
        mul = tanh * by;  tanh = by = None
        return mul
    >>> traced(torch.zeros(2), 3.0)
    tensor([0., 0.])
    """
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = type(root).__name__ if isinstance(root, Module) else root.__name__
    return GraphModule(tracer.root, graph, name)
