"""The syntax trees of the program's files, and questions about their nodes."""

import ast
import linecache
from collections.abc import Iterator, Sequence
from functools import lru_cache
from types import CodeType
from typing import NamedTuple

ADDING = frozenset("append appendleft add insert extend setdefault update push put".split())
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Written(NamedTuple):
    """A line of a file that was found by its source text."""

    file: str
    line: int
    source: str


def nodes_in(file: str) -> list[tuple[ast.AST, ast.AST | None]]:
    """The nodes of a file."""
    return nodes_of(file, "".join(linecache.getlines(file)))


@lru_cache(maxsize=64)
def nodes_of(file: str, text: str) -> list[tuple[ast.AST, ast.AST | None]]:
    """The nodes of a source text in order, each with its enclosing function; none if it does not parse."""
    try:
        waiting: list[tuple[ast.AST, ast.AST | None]] = [(ast.parse(text), None)]
    except SyntaxError:
        return []
    found = []
    while waiting:
        node, function = waiting.pop()
        found.append((node, function))
        inner = node if isinstance(node, FUNCTIONS) else function
        waiting.extend([(child, inner) for child in reversed(list(ast.iter_child_nodes(node)))])
    return found


def function_of(code: CodeType) -> ast.AST | None:
    """The syntax tree of the function that a code object was compiled from."""
    for node, _ in nodes_in(code.co_filename):
        if isinstance(node, FUNCTIONS):
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
            if first == code.co_firstlineno and name_of(node) in (code.co_name, ""):
                return node
    return None


def inside(file: str, function: ast.AST) -> list[ast.AST]:
    """The nodes of a function in order, without those of nested functions."""
    return [node for node, around in nodes_in(file) if around is function]


def at(file: str, node: ast.AST) -> Written:
    """The line on which a node begins."""
    number = getattr(node, "lineno", 1)
    return Written(file, number, linecache.getline(file, number).strip())


def only(found: Sequence[tuple[str, ast.AST]]) -> Written | None:
    """The line of the only node that was found; None if there are several or none."""
    return at(*found[0]) if len(found) == 1 else None


def targets(node: ast.AST) -> list[tuple[ast.expr, ast.expr]]:
    """The targets of an assignment, each with its value; tuples are unpacked."""
    if isinstance(node, ast.Assign):
        pairs = [(target, node.value) for target in node.targets]
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign)) and node.value is not None:
        pairs = [(node.target, node.value)]
    else:
        return []
    flat: list[tuple[ast.expr, ast.expr]] = []
    for target, value in pairs:
        if isinstance(target, (ast.Tuple, ast.List)):
            values = value.elts if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts) else None
            flat += [(one, value if values is None else values[i]) for i, one in enumerate(target.elts)]
        else:
            flat.append((target, value))
    return flat


def base_of(node: ast.AST) -> str:
    """The name of the variable or attribute that an expression reads or writes."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, (ast.Subscript, ast.Starred)):
        return base_of(node.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("setdefault", "get"):
        return base_of(node.func.value)
    return ""


def added_to(node: ast.Call) -> str:
    """The name of the list or set that a call adds to; "" if the call only fetches it, as setdefault(key, []) does."""
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in ADDING:
        return ""
    gives = node.func.attr == "setdefault" and any(isinstance(a, (ast.List, ast.Dict)) for a in node.args)
    return "" if gives else base_of(node.func.value)


def put_into(node: ast.AST, name: str) -> Iterator[list[ast.expr]]:
    """What a node puts into the list or dict of a given name."""
    if isinstance(node, ast.Call) and added_to(node) == name:
        yield node.args
    for target, value in targets(node):
        adds = isinstance(target, ast.Subscript) or isinstance(node, ast.AugAssign) or is_made_anew(target, value)
        if base_of(target) == name and adds:
            yield [value]


def is_made_anew(target: ast.expr, value: ast.expr) -> bool:
    """Whether a list is replaced by an extension of itself: items = items + [new]."""
    parts = [base_of(part) for part in ast.walk(value) if isinstance(part, (ast.Name, ast.Attribute))]
    return base_of(target) in parts


def repeats(node: ast.AST) -> bool:
    """Whether a list contains the same object several times: [block] * 3, [block for _ in range(3)]."""
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        own = {base_of(part) for loop in node.generators for part in ast.walk(loop.target)}
        return isinstance(node.elt, ast.Name) and node.elt.id not in own
    sides = (node.left, node.right) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) else ()
    return any(isinstance(side, ast.List) and len(side.elts) == 1 for side in sides)


def fills_with_zeros(node: ast.AST) -> bool:
    """Whether a call fills something other than a gradient with zeros."""
    fills = isinstance(node, ast.Call) and called(node) in ("zeros_", "zero_", "constant_")
    return fills and "grad" not in ast.unparse(node)


def names_in(node: ast.AST) -> set[str]:
    """The names of variables and attributes in an expression."""
    return {base_of(part) for part in ast.walk(node) if isinstance(part, (ast.Name, ast.Attribute))}


ITERATORS = frozenset("filter map zip iter chain parameters named_parameters buffers modules children".split())


def yields(value: ast.expr) -> bool:
    """Whether an expression gives an iterator that can be used only once: a generator, filter(), model.parameters()."""
    return isinstance(value, ast.GeneratorExp) or (isinstance(value, ast.Call) and called(value) in ITERATORS)


def stands_in(node: ast.AST | None, line: int) -> bool:
    """Whether a line lies within a node, such as a function or statement."""
    return node is not None and getattr(node, "lineno", 0) <= line <= getattr(node, "end_lineno", 0)


def stands_on(node: ast.AST, line: int) -> bool:
    """Whether a node begins on a line."""
    return getattr(node, "lineno", 0) == line


def calls_in(node: ast.AST) -> set[str]:
    """The names of the functions that an expression calls."""
    return {called(part) for part in ast.walk(node) if isinstance(part, ast.Call)}


def terms_of(node: ast.expr) -> list[ast.expr]:
    """The terms of a sum; the expression itself if it is not a sum."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        return terms_of(node.left) + terms_of(node.right)
    return [node]


def factors_of(node: ast.expr) -> list[ast.expr]:
    """The factors of a product, without divisors."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return factors_of(node.left) + factors_of(node.right)
    return factors_of(node.left) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) else [node]


def gives_number(call: ast.Call) -> bool:
    """Whether a call has a literal number as an argument."""
    values = [*call.args, *(word.value for word in call.keywords)]
    return any(calls_in(value) & {"item", "float"} for value in values)


def key_of(node: ast.AST) -> str | None:
    """The key of a subscript: "lr" for group["lr"]."""
    key = node.slice if isinstance(node, ast.Subscript) else None
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else None


def called(node: ast.Call) -> str:
    """The name of the function that is called."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else base_of(node.func)


def name_of(function: ast.AST | None) -> str:
    """A function's name; "" for a lambda, and outside functions."""
    return getattr(function, "name", "")


def parameters(function: ast.AST | None) -> set[str]:
    """The names of a function's parameters."""
    arguments = getattr(function, "args", None)
    if arguments is None:
        return set()
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return {a.arg for a in every if a is not None and a.arg != "self"}


def gives(call: ast.Call, function: ast.AST | None, name: str) -> bool:
    """Whether a call passes a parameter of a function, by keyword or by position."""
    arguments = getattr(function, "args", None)
    names = [] if arguments is None else [a.arg for a in (*arguments.posonlyargs, *arguments.args) if a.arg != "self"]
    given = [word.arg for word in call.keywords] + names[: len(call.args)]
    return name in given or None in given or any(isinstance(a, ast.Starred) for a in call.args)


def is_plain(node: ast.AST) -> bool:
    """Whether an expression is just a name."""
    return isinstance(node, ast.Name) or (isinstance(node, ast.Starred) and isinstance(node.value, ast.Name))


def parts_of(node: ast.expr) -> list[ast.expr]:
    """The elements of a tuple or list; for any other expression the expression itself."""
    return [part for one in node.elts for part in parts_of(one)] if isinstance(node, (ast.Tuple, ast.List)) else [node]


def is_step(value: ast.expr) -> bool:
    """Whether a value is computed, and not just an initial copy or an attribute."""
    copies = isinstance(value, ast.Call) and called(value) in ("clone", "copy")
    return not (copies or is_plain(value) or isinstance(value, ast.Attribute))


def may_be_zero(value: ast.expr) -> bool:
    """Whether a value may be zero: a literal 0, or a cast to an integer."""
    whole = any(isinstance(part, ast.BinOp) and isinstance(part.op, ast.FloorDiv) for part in ast.walk(value))
    cut = isinstance(value, ast.Call) and called(value) in ("int", "round", "floor")
    return whole or cut or (isinstance(value, ast.Constant) and value.value == 0)


def is_computed(value: ast.expr) -> bool:
    """Whether a value is computed, and not just a name or attribute."""
    return isinstance(value, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.IfExp, ast.Call))


def is_change(node: ast.AST, names: set[str]) -> bool:
    """Whether a node changes one of some variables in place."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr.endswith("_") and base_of(node.func.value) in names
    if isinstance(node, ast.AugAssign):
        return base_of(node.target) in names
    return any(isinstance(target, ast.Subscript) and base_of(target) in names for target, _ in targets(node))
