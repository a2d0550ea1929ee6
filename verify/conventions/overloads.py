"""The overloads of PyTorch's functions and methods, as its stubs declare them."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import torch

ROOT = Path(torch.__file__).parent
PLACES = {  # where functions are in the library, and which stubs declare them
    "": "_C/_VariableFunctions.pyi",
    "nn.functional": "nn/functional.pyi",
    "Tensor": "_C/__init__.pyi",
}
SCHEMAS = ("linalg", "fft", "special")  # declared by schemas of operators alone
UNKNOWN = object()  # a default value that the stubs do not tell


class Parameter(NamedTuple):
    """A parameter of an overload; without a default it has to be given."""

    name: str
    kinds: tuple[str, ...]
    positional: bool
    required: bool
    default: Any = UNKNOWN


class Overload(NamedTuple):
    """One of the forms in which a function can be called; a method's first parameter is the tensor."""

    home: str
    name: str
    parameters: tuple[Parameter, ...]

    def __str__(self) -> str:
        shown = [f"{p.name}: {' | '.join(p.kinds)}{'' if p.required else ' = ...'}" for p in self.parameters]
        return f"{f'{self.home}.' * bool(self.home)}{self.name}({', '.join(shown)})"


def overloads(word: str) -> Iterator[Overload]:
    """All overloads of the public functions whose full names contain a word."""
    for home, stub in PLACES.items():
        for function in functions(ast.parse((ROOT / stub).read_text()), home == "Tensor"):
            if function.name[0] != "_" and word in f"{home}.{function.name}":
                yield Overload(home, function.name, tuple(declared(function)))
    for home in SCHEMAS:
        for name in dir(getattr(torch, home)):
            if name[0] != "_" and word in f"{home}.{name}":
                yield from of_schemas(home, name)


def functions(tree: ast.Module, of_tensors: bool) -> Iterator[ast.FunctionDef]:
    """The functions in a stub, or the methods of tensors."""
    body = tree.body
    if of_tensors:
        (body,) = (node.body for node in body if isinstance(node, ast.ClassDef) and node.name == "TensorBase")
    for node in body:
        decorators = {d.id for d in getattr(node, "decorator_list", ()) if isinstance(d, ast.Name)}
        if isinstance(node, ast.FunctionDef) and "property" not in decorators:
            yield node


def declared(function: ast.FunctionDef) -> Iterator[Parameter]:
    """The parameters of a function in a stub."""
    found = function.args
    positional = [*found.posonlyargs, *found.args]
    values = [None] * (len(positional) - len(found.defaults)) + found.defaults
    for argument, value in zip(positional, values, strict=True):
        yield parameter(argument, value, True)
    if found.vararg:  # sizes, also given one by one
        yield Parameter("*" + found.vararg.arg, kinds(found.vararg.annotation), True, True)
    for argument, value in zip(found.kwonlyargs, found.kw_defaults, strict=True):
        yield parameter(argument, value, False)


def parameter(argument: ast.arg, value: ast.expr | None, positional: bool) -> Parameter:
    """A parameter of a stub."""
    try:
        default = UNKNOWN if value is None else ast.literal_eval(value)
    except ValueError:
        default = UNKNOWN
    of_self = argument.annotation is None
    kind = ("Tensor",) if of_self else kinds(argument.annotation)
    return Parameter(argument.arg, kind, positional, value is None, UNKNOWN if default is Ellipsis else default)


def kinds(annotation: ast.expr) -> tuple[str, ...]:
    """The alternatives of an annotation."""
    if isinstance(annotation, ast.BinOp):
        return kinds(annotation.left) + kinds(annotation.right)
    return (ast.unparse(annotation),)


def of_schemas(home: str, name: str) -> Iterator[Overload]:
    """The overloads of a function that PyTorch's operators declare."""
    for schema in torch._C._jit_get_schemas_for_operator(f"aten::{home}_{name}"):
        outs = [a.name for a in schema.arguments if a.is_out]
        if outs or any(kind in str(schema) for kind in ("Dimname", ".names")):
            continue
        found = [of_schema(argument, home) for argument in schema.arguments]
        yield Overload(home, name, tuple(found))


def of_schema(argument: Any, home: str) -> Parameter:
    """A parameter of a schema: what the linear algebra calls A, x and n are named so there too."""
    kind = str(argument.annotation_str if hasattr(argument, "annotation_str") else argument.type)
    name = "input" if argument.name == "self" else argument.name
    required = not argument.has_default_value()
    default = UNKNOWN if required else argument.default_value
    return Parameter(name, (kind,), not argument.kwarg_only, required, default)
