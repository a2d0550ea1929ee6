"""Proxies: placeholders for values that record operations on them."""

import dis
import enum
import linecache
import operator
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from types import FrameType
from typing import Any

from rushlight.fx.codegen import OPERATORS, REFLECTED
from rushlight.fx.graph import Graph
from rushlight.fx.naming import hint
from rushlight.fx.node import Argument, Node, Target, base_types, map_aggregate
from rushlight.ops.overloads import OpOverload, OpOverloadPacket
from rushlight.overrides.listing import is_tensor_method_or_property

__all__ = ["Attribute", "GraphAppendingTracer", "ParameterProxy", "Proxy", "TraceError", "TracerBase"]


class TraceError(ValueError):
    """A program cannot be traced because its operations depend on values."""


class TracerBase:
    """The base of tracers: proxies record their operations with it."""

    graph: Graph
    record_stack_traces = False
    trace_asserts = False
    proxy_buffer_attributes = False
    traced_func_name = "forward"
    meta: dict[str, Any] | None = None  # metadata for each new node
    module_stack: OrderedDict[str, tuple[str, Any]] | None = None  # the modules that are being recorded

    def create_node(
        self,
        kind: str,
        target: Target,
        args: tuple[Any, ...],
        kwargs: dict[str, Argument],
        name: str | None = None,
        type_expr: Any = None,
    ) -> Node:
        """Adds a node to the graph; a subclass may inspect or refuse it.

        Its `meta["nn_module_stack"]` tells in which modules it was recorded.
        """
        node = self.graph.create_node(kind, target, args, kwargs, name, type_expr)
        if self.record_stack_traces:
            node.stack_trace = where_from(sys._getframe(1))
        if self.module_stack:
            node.meta["nn_module_stack"] = self.module_stack.copy()
        return node

    def proxy(self, node: Node) -> "Proxy":
        """The proxy for the result of a node."""
        return Proxy(node, self)

    def create_proxy(
        self,
        kind: str,
        target: Target,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        name: str | None = None,
        type_expr: Any = None,
        proxy_factory_fn: Callable[[Node], "Proxy"] | None = None,
    ) -> "Proxy":
        """Records an operation, with arguments as the program has them, and returns the proxy for its result."""
        node = self.create_node(kind, target, self.create_arg(args), self.create_arg(kwargs), name, type_expr)
        return self.proxy(node) if proxy_factory_fn is None else proxy_factory_fn(node)

    def create_arg(self, a: Any) -> Argument:
        """A value as an argument of a node. NotImplementedError for a type that graphs cannot hold."""
        if isinstance(a, Proxy):
            return a.node
        if hasattr(a, "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if isinstance(a, tuple):
            items = [self.create_arg(item) for item in a]
            return type(a)(*items) if hasattr(a, "_fields") else type(a)(items)
        if isinstance(a, list):
            return [self.create_arg(item) for item in a]
        if isinstance(a, dict):
            return {self._key(key): self.create_arg(value) for key, value in a.items()}
        if isinstance(a, (slice, range)):
            return type(a)(*(self.create_arg(part) for part in (a.start, a.stop, a.step)))
        if isinstance(a, type):
            return a
        if is_dataclass(a):
            values = {field.name: self.create_arg(getattr(a, field.name)) for field in fields(a)}
            return self.create_node("call_function", type(a), (), values)
        if a is None or a is ... or isinstance(a, (*base_types, enum.Enum, OpOverload, OpOverloadPacket)):
            return a
        raise NotImplementedError(f"argument of type: {type(a)}")

    def _key(self, key: Any) -> Any:
        """A key of a dictionary. RuntimeError for one that contains a node."""
        if holds_proxy(key) is not None:
            raise RuntimeError(
                f"Keys for dictionaries used as an argument cannot contain a Node. Got key: {self.create_arg(key)}"
            )
        return key

    def to_bool(self, obj: "Proxy") -> bool:
        """The truth value of a proxy: raises TraceError, unless a subclass knows it."""
        raise TraceError("symbolically traced variables cannot be used as inputs to control flow")

    def iter(self, obj: "Proxy") -> Iterator[Any]:
        """Iterates over a proxy: raises TraceError, unless a subclass knows how."""
        raise TraceError(
            "Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as a *args or "
            "**kwargs function argument: move the loop into a function of the module, and tell torch.fx.wrap of it."
        )

    def keys(self, obj: "Proxy") -> Any:
        """The keys of a proxy, for `**`."""
        return Attribute(obj, "keys")()


class GraphAppendingTracer(TracerBase):
    """A tracer that adds operations on proxies to an existing graph."""

    def __init__(self, graph: Graph):
        self.graph = graph


class Proxy:
    """A placeholder for the result of a node: operations on it become nodes.

    >>> import rushlight as torch
    >>> graph = torch.fx.Graph()
    >>> x = torch.fx.Proxy(graph.placeholder("x"))
    >>> _ = graph.output((torch.relu(x) * 2).node)
    >>> print(graph.python_code("self").src.strip())
    def forward(self, x):
        relu = torch.relu(x);  x = None
        mul = relu * 2;  relu = None
        return mul
    """

    def __init__(self, node: Node, tracer: TracerBase | None = None):
        self.tracer: GraphAppendingTracer | TracerBase = GraphAppendingTracer(node.graph) if tracer is None else tracer
        self.node = node

    def __repr__(self) -> str:
        return f"Proxy({self.node.name})"

    def __getattr__(self, k: str) -> "Attribute":
        return Attribute(self, k)

    def __getstate__(self) -> Any:
        return self.__dict__

    def __setstate__(self, state: Any) -> None:
        self.__dict__ = state

    def __deepcopy__(self, memo: Any) -> Any:
        return Proxy(self.node, self.tracer)

    def __call__(self, *args: Any, **kwargs: Any) -> "Proxy":
        """Records a call of the value."""
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self) -> Iterator["Proxy"]:
        step = instruction(sys._getframe(1))
        if step.opname == "UNPACK_SEQUENCE":
            return (self[i] for i in range(step.argval))  # type: ignore[index]
        return self.tracer.iter(self)

    def __bool__(self) -> bool:
        if self.tracer.trace_asserts and asserted(sys._getframe(1)):
            self.tracer.create_proxy("call_function", assert_fn, (self,), {})
            return True
        return self.tracer.to_bool(self)

    def __abs__(self) -> "Proxy":
        return self.tracer.create_proxy("call_function", operator.abs, (self,), {})

    def __len__(self) -> int:
        raise RuntimeError(
            "'len' is not supported in symbolic tracing by default. If you want this call to be recorded, please call "
            "torch.fx.wrap('len') at module scope"
        )

    def keys(self) -> Any:
        """The keys of the value, for `**`."""
        return self.tracer.keys(self)

    @classmethod
    def __torch_function__(
        cls, orig_method: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> "Proxy":
        tracers: dict[TracerBase, None] = {}
        note = lambda item: tracers.setdefault(item.tracer) if isinstance(item, Proxy) else item
        map_aggregate((args, kwargs or {}), note)
        if len(tracers) > 1:
            raise RuntimeError(f"Found multiple different tracers {list(tracers)} while tracing {orig_method}")
        tracer = next(iter(tracers))
        if is_tensor_method_or_property(orig_method):
            return tracer.create_proxy("call_method", orig_method.__name__, args, kwargs or {})
        return tracer.create_proxy("call_function", orig_method, args, kwargs or {}, hint(orig_method))


def recording_method(create: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a method for an operator of Python that records a node."""

    def called(self: Any, *others: Any) -> Proxy:
        target, args = create(self, *others)
        return self.tracer.create_proxy("call_function", target, args, {})

    return called


def enter_operators() -> None:
    """Adds Python's operators to the class of proxies."""
    for name in OPERATORS:
        function = getattr(operator, name)
        setattr(Proxy, f"__{name.strip('_')}__", recording_method(lambda *args, function=function: (function, args)))
    for name in REFLECTED:
        function = getattr(operator, name)
        turned = recording_method(lambda self, other, function=function: (function, (other, self)))
        setattr(Proxy, f"__r{name.strip('_')}__", turned)


enter_operators()


class Attribute(Proxy):
    """An attribute of a proxy: a node of its own, unless it is called as a method."""

    root: Proxy
    attr: str
    tracer: GraphAppendingTracer | TracerBase

    def __init__(self, root: Proxy, attr: str):
        self.root, self.attr, self.tracer = root, attr, root.tracer
        self._node: Node | None = None

    @property
    def node(self) -> Node:  # type: ignore[override]
        """The node that reads the attribute, made at its first use."""
        if self._node is None:
            self._node = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {}).node
        return self._node

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        """Records a call of the method."""
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


class ParameterProxy(Proxy):
    """The proxy for a parameter whose shape is known, so that programs may read it."""

    param: Any
    name: str

    def __init__(self, tracer: TracerBase, node: Node, name: str, param: Any):
        super().__init__(node, tracer)
        self.param, self.name = param, name

    def __repr__(self) -> str:
        return f"ParameterProxy({self.name})"

    @property
    def shape(self) -> Any:
        """The parameter's shape."""
        return self.param.shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self.param.ndim

    def size(self) -> Any:
        """The parameter's shape."""
        return self.param.size()

    def dim(self) -> int:
        """The number of dimensions."""
        return self.param.dim()

    def numel(self) -> int:
        """The number of elements."""
        return self.param.numel()

    nelement = numel


def holds_proxy(value: Any) -> Proxy | None:
    """The first proxy in a value, also inside tuples, lists and dictionaries; None if there is none."""
    found: list[Proxy] = []
    map_aggregate(value, lambda item: found.append(item) if isinstance(item, Proxy) else item)
    return found[-1] if found else None


def assert_fn(x: object) -> None:
    """Raises AssertionError for a false value."""
    if not x:
        raise AssertionError("Assertion failed")


def instruction(frame: FrameType, ahead: int = 0) -> dis.Instruction:
    """The Python instruction that a frame is executing, or one after it."""
    steps = list(dis.get_instructions(frame.f_code))
    at = next(i for i, step in enumerate(steps) if step.offset == frame.f_lasti)
    return steps[at + ahead]


def asserted(frame: FrameType) -> bool:
    """Whether a frame reads the truth of a value in an `assert`."""
    jumps = instruction(frame).opname.startswith(("POP_JUMP", "TO_BOOL"))
    return jumps and any(instruction(frame, ahead).opname == "LOAD_ASSERTION_ERROR" for ahead in (1, 2))


def where_from(frame: FrameType | None) -> str | None:
    """The program's lines, from its outermost `forward` on, that led to an operation of a proxy."""
    lines: list[str] = []
    while frame is not None:
        code = frame.f_code
        if not frame.f_globals.get("__name__", "").startswith("rushlight."):
            text = linecache.getline(code.co_filename, frame.f_lineno).strip()
            lines.insert(0, f'File "{code.co_filename}", line {frame.f_lineno}, in {code.co_name}\n    {text}')
            if code.co_name == "forward":
                return "\n".join(lines)
        frame = frame.f_back
    return None
