"""Generates the Python code of a graph: one line for each node; values are dropped after their last use."""

import enum
import inspect
import re
import types
import typing
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import rushlight
from rushlight.fx.naming import GLOBALS, Namespace, of_torch, qualified_name, type_name
from rushlight.fx.node import Node
from rushlight.fx.wrapping import wrap
from rushlight.ops.overloads import OpOverload, OpOverloadPacket

__all__ = ["CodeGen", "PythonCode"]

REFLECTED = {
    "add": "{} + {}",
    "sub": "{} - {}",
    "mul": "{} * {}",
    "floordiv": "{} // {}",
    "truediv": "{} / {}",
    "mod": "{} % {}",
    "pow": "{} ** {}",
    "lshift": "{} << {}",
    "rshift": "{} >> {}",
    "and_": "{} & {}",
    "or_": "{} | {}",
    "xor": "{} ^ {}",
    "getitem": "{}[{}]",
    "matmul": "{} @ {}",
}
OPERATORS = {
    "eq": "{} == {}",
    "ne": "{} != {}",
    "lt": "{} < {}",
    "gt": "{} > {}",
    "le": "{} <= {}",
    "ge": "{} >= {}",
    "pos": "+{}",
    "neg": "-{}",
    "invert": "~{}",
    **REFLECTED,
}
IN_PLACE = {
    "iadd": "{} += {}",
    "iand": "{} &= {}",
    "ifloordiv": "{} //= {}",
    "ilshift": "{} <<= {}",
    "imod": "{} %= {}",
    "imul": "{} *= {}",
    "imatmul": "{} @= {}",
    "ior": "{} |= {}",
    "ipow": "{} **= {}",
    "irshift": "{} >>= {}",
    "isub": "{} -= {}",
    "itruediv": "{} /= {}",
    "ixor": "{} ^= {}",
    "setitem": "{}[{}] = {}",
}


@dataclass
class PythonCode:
    """The source of a `forward`, and the values of its global names."""

    src: str
    globals: dict[str, Any]


class CodeGen:
    """Generates a function from a graph. A subclass may change its head (`gen_fn_def`) or `generate_output`."""

    def __init__(self) -> None:
        self._body_transformer: Callable[[list[str]], list[str]] | None = None
        self._func_name = "forward"

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str) -> str:
        """The first line of the function, from its parameters without `self` and its return annotation."""
        given = free_vars if free_vars[:1] == ["self"] else ["self", *free_vars]
        return f"def {self._func_name}({', '.join(given)}){maybe_return_annotation}:"

    def generate_output(self, output_args: Any, *, repr_fn: Callable[[Any], str] = repr) -> str:
        """The line that returns the result."""
        return f"return {repr_fn(output_args)}"

    def process_inputs(self, *args: Any) -> Any:
        """Converts the function's arguments to the graph's inputs."""
        return args

    def process_outputs(self, outputs: Any) -> Any:
        """Converts the graph's output to the function's."""
        return outputs

    def additional_globals(self) -> list[tuple[str, Any]]:
        """Further global names that the code uses, with their values."""
        return []

    def python_code(self, nodes: Iterable[Node], root_module: str, *, verbose: bool = False) -> PythonCode:
        """The code of a graph's nodes; it calls the module `root_module`."""
        writer = Writer(self, root_module)
        body = writer.body(list(nodes), verbose)
        if self._body_transformer is not None:
            body = self._body_transformer(body)
        for name, value in self.additional_globals():
            writer.name_of(name, value)
        return writer.finished(self.gen_fn_def(writer.parameters, writer.returned), body)


class Writer:
    """Generates the lines of one function."""

    returned: str

    code: CodeGen
    root: str

    def __init__(self, code: CodeGen, root: str):
        self.code, self.root = code, root
        self.namespace: Namespace = Namespace()
        self.globals: dict[str, Any] = {}
        self.parameters: list[str] = []
        self.returned = ""
        self.wrapped: dict[str, None] = {}
        for name, (_, value) in GLOBALS.items():
            self.name_of(name, value)

    def body(self, nodes: list[Node], verbose: bool) -> list[str]:
        """The lines of all nodes, each with the values that it drops."""
        for node in nodes:  # names of nodes first: no global may take one of them
            self.namespace.create_name(node.name, node)
        last: dict[Node, list[Node]] = {}
        seen: set[Node] = set()
        for node in reversed(nodes):
            new = [used for used in node.all_input_nodes if used not in seen]
            seen.update(new)
            last[node] = new
        lines, said = [], None
        for node in nodes:
            if verbose and node.op not in ("placeholder", "output"):
                if (origin := origin_of(node)) != said:
                    lines.append(f"\n# {origin}\n")
                said = origin
            lines.append(self.line(node) + forgotten(node, last[node]))
        return lines or ["pass\n"]

    def finished(self, head: str, body: list[str]) -> PythonCode:
        """The whole function."""
        text = "".join(body).lstrip("\n")
        text = "\n".join(f"    {line}" for line in text.split("\n"))
        name = self.name_of("wrap", wrap) if self.wrapped else ""
        marks = "\n".join(f'{name}("{function}")' for function in self.wrapped)
        return PythonCode(f"\n{marks}\n\n{head}\n{text}", self.globals)

    def name_of(self, hint: str, value: Any) -> str:
        """The name of a global value in the code."""
        if of_torch(value):
            return qualified_name(value)
        name = self.namespace.create_name(hint, value)
        self.globals[name] = value
        return name

    def line(self, node: Node) -> str:
        """The line of a node; none for an input, unless its parameter has another name."""
        kind = "" if node.type is None else f" : {self.type_of(node.type)}"
        if node.op == "placeholder":
            default = f" = {self.shown(node.args[0])}" if node.args else ""
            self.parameters.append(f"{node.target}{kind}{default}")
            plain = str(node.target).replace("*", "")
            return "" if plain == node.name else f"{node.name} = {plain}\n"
        if node.op == "output":
            self.returned = kind.replace(" : ", " -> ", 1)
            return self.code.generate_output(node.args[0], repr_fn=self.shown)
        return (
            self.call_function(node, kind) if node.op == "call_function" else f"{node.name}{kind} = {self.made(node)}"
        )

    def made(self, node: Node) -> str:
        """The expression of a node that is not a function call."""
        target = str(node.target)
        if node.op == "call_method":
            return f"{member(self.shown(node.args[0]), target)}({self.arguments(node.args[1:], node.kwargs)})"
        found = member(self.root, target)
        return found if node.op == "get_attr" else f"{found}({self.arguments(node.args, node.kwargs)})"

    def call_function(self, node: Node, kind: str) -> str:
        """The line of a function call, written as an operator if there is one."""
        name = getattr(node.target, "__name__", "")
        operands = [self.shown(arg) for arg in node.args]
        if getattr(node.target, "__module__", "") == "_operator" and not node.kwargs:
            if name in OPERATORS:
                return f"{node.name}{kind} = {OPERATORS[name].format(*operands)}"
            if name in IN_PLACE:
                return f"{IN_PLACE[name].format(*operands)};  {node.name}{kind} = {operands[0]}"
        if node.target is getattr and len(node.args) == 2 and str(node.args[1]).isidentifier():
            return f"{node.name}{kind} = {member(operands[0], node.args[1])}"
        called = self.name_of(qualified_name(node.target), node.target)
        if node.meta.get("is_wrapped"):
            self.wrapped.setdefault(called)
        return f"{node.name}{kind} = {called}({self.arguments(node.args, node.kwargs)})"

    def arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        """The arguments of a call as text."""
        return ", ".join(
            [*(self.shown(arg) for arg in args), *(f"{key} = {self.shown(value)}" for key, value in kwargs.items())]
        )

    def shown(self, arg: Any) -> str:
        """An argument as text."""
        if isinstance(arg, tuple) and hasattr(arg, "_fields"):
            return f"{self.name_of(qualified_name(type(arg)), type(arg))}{tuple(arg)!r}"
        if isinstance(arg, (OpOverload, OpOverloadPacket)) or inspect.isroutine(arg):
            return self.name_of(qualified_name(arg), arg)
        if isinstance(arg, enum.Enum):
            return f"{self.name_of(type(arg).__name__, type(arg))}.{arg.name}"
        if isinstance(arg, rushlight.Tensor):
            return f"torch.Tensor(size={list(arg.size())}, dtype={str(arg.dtype).split('.')[-1]})"
        if isinstance(arg, tuple) and type(arg) is not rushlight.Size:
            return f"({', '.join(map(self.shown, arg))}{',' if len(arg) == 1 else ''})"
        if isinstance(arg, list):
            return f"[{', '.join(map(self.shown, arg))}]"
        if isinstance(arg, dict):
            return f"{{{', '.join(f'{key!r}: {self.shown(value)}' for key, value in arg.items())}}}"
        if isinstance(arg, slice):
            return f"slice({self.shown(arg.start)}, {self.shown(arg.stop)}, {self.shown(arg.step)})"
        return self.type_of(arg) if isinstance(arg, type) else repr(arg)

    def type_of(self, kind: Any) -> str:
        """A type as text."""
        if kind == ():
            return "()"
        if isinstance(kind, types.UnionType):
            return "|".join(map(self.type_of, typing.get_args(kind)))
        origin = getattr(kind, "__origin__", None)
        if origin is None:
            return self.name_of(type_name(kind), kind)
        name = self.name_of(type_name(origin), origin)
        inside = typing.get_args(kind)
        return f"{name}[{','.join(map(self.type_of, inside))}]" if inside else name


def forgotten(node: Node, done: list[Node]) -> str:
    """The end of a node's line: sets values to None that are not used afterwards."""
    if node.op == "placeholder":
        return ""
    names = [used.name for used in done] if node.users else [*(used.name for used in done), node.name]
    return "\n" if node.op == "output" or not names else f";  {' = '.join([*names, 'None'])}\n"


def member(base: str, target: str) -> str:
    """The expression for an attribute, whatever its name is."""
    for part in target.split("."):
        base = f"{base}.{part}" if part.isidentifier() else f'getattr({base}, "{part}")'
    return base


def origin_of(node: Node) -> str:
    """A comment with the program's line that a node comes from."""
    found = re.findall(r'File "(.+)", line (\d+), in (.+)\n\s*(.*)', node.stack_trace or "")
    if not found:
        return "No stacktrace found for following nodes"
    file, line, function, code = found[-1]
    return f"File: {file}:{line} in {function}, code: {code}"
