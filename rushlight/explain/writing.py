"""Lines of the program by what is written there: where an attribute is set, a list is added to, a result is computed.

Places that a program went through are known as `sites`. The line of a mistake may be another one: where a state is
put away, where a setting was made, where a hook computes what it returns. That is looked up in the program's text,
at the end, and only a line that the evidence names is given: None where several could be meant.
"""

import ast
import linecache
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from types import CodeType
from typing import Any, NamedTuple

from rushlight.core.lines import is_users
from rushlight.tensors import Tensor

ADDING = frozenset("append appendleft add insert extend setdefault update push put".split())
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Written(NamedTuple):
    """A line of a file, where it is known by its text."""

    file: str
    line: int
    source: str


class Block(NamedTuple):
    """The lines within a statement."""

    file: str
    first: int
    last: int


class Text:
    """The text of the program's files, statement by statement."""

    def __init__(self, files: Iterable[str]):
        self.files: list[str] = [file for file in files if is_users(file)]

    @classmethod
    def of(cls, case: Any) -> "Text":
        """The text of the files that a program went through."""
        return cls(dict.fromkeys(site.file for site in case.watch.sites.every()))

    def nodes(self) -> Iterator[tuple[str, ast.AST, ast.AST | None]]:
        """All nodes, each with its file and the function that it stands in."""
        for file in self.files:
            for node, function in nodes_in(file):
                yield file, node, function

    def assignments(self) -> Iterator[tuple[str, ast.expr, ast.expr, ast.AST | None]]:
        """All assignments: the file, what is assigned to, the value, and the function around."""
        for file, node, function in self.nodes():
            for target, value in targets(node):
                yield file, target, value, function

    def aliases(self) -> Iterator[tuple[Written, str, str]]:
        """All assignments of a variable or an attribute to another one: the line, and the two names."""
        for file, target, value, _ in self.assignments():
            if isinstance(target, (ast.Name, ast.Attribute)) and isinstance(value, (ast.Name, ast.Attribute)):
                yield at(file, target), base_of(target), base_of(value)

    def attributes(self, name: str) -> Iterator[tuple[str, ast.Attribute, ast.expr]]:
        """All assignments to attributes of a name: the file, what is assigned to, and the value."""
        for file, target, value, _ in self.assignments():
            if isinstance(target, ast.Attribute) and target.attr == name:
                yield file, target, value

    def calls(self, name: str) -> list[tuple[str, ast.Call]]:
        """All calls of a function, each with its file."""
        return [(file, node) for file, node, _ in self.nodes() if isinstance(node, ast.Call) and called(node) == name]

    def setting(self, name: str, site: Any = None) -> Written | None:
        """Where an attribute is set, or what stands under a key: where it changes rather than where it begins.

        In the function of a place rather than in another one.
        """
        found = [
            (file, target, value, function)
            for file, target, value, function in self.assignments()
            if (isinstance(target, ast.Attribute) and target.attr == name) or key_of(target) == name
        ]
        changing = [one for one in found if not isinstance(one[2], ast.Constant) and name_of(one[3]) != "__init__"]
        near = [one for one in changing if site is not None and one[0] == site.file and stands_in(one[3], site.line)]
        for file, target, _, _ in near or changing or found:
            return at(file, target)
        return None

    def binding(self, name: str, frame: Any) -> Written | None:
        """The only line of a frame's function that makes a variable anew, of itself: h = cell(x, h)."""
        own = function_of(frame.f_code)
        return only(
            [
                (file, target)
                for file, target, value, function in self.assignments()
                if file == frame.f_code.co_filename and function is own
                if isinstance(target, ast.Name) and target.id == name and is_made_anew(target, value)
            ]
        )

    def first_setting(self, name: str) -> Written | None:
        """The first line that sets an attribute."""
        return next((at(file, target) for file, target, _ in self.attributes(name)), None)

    def first_binding(self, name: str) -> Written | None:
        """The first line that gives a variable or an attribute a value that is computed."""
        for file, target, value, _ in self.assignments():
            if isinstance(target, (ast.Name, ast.Attribute)) and base_of(target) == name and is_computed(value):
                return at(file, target)
        return None

    def adding(self, name: str) -> Written | None:
        """Where something is put into the list or the dict of a name; where that is an argument, who gives it."""
        found = [
            (file, node, values, function) for file, node, function in self.nodes() for values in put_into(node, name)
        ]
        if len(found) != 1:
            return None
        file, node, values, function = found[0]
        given = parameters(function)
        handed_on = bool(values) and all(base_of(value) in given and is_plain(value) for value in values)
        return (self.only_call(name_of(function)) if handed_on else None) or at(file, node)

    def added_argument(self, site: Any) -> Written | None:
        """The only call of a function that adds an argument up at a place, in an attribute."""
        for file, node, function in self.nodes():
            if file == site.file and getattr(node, "lineno", 0) == site.line:
                for target, value in targets(node):
                    adds = isinstance(node, ast.AugAssign) or is_made_anew(target, value)
                    if isinstance(target, ast.Attribute) and adds and names_in(value) & parameters(function):
                        plain = not any(isinstance(part, ast.Call) for part in ast.walk(value))
                        return self.only_call(name_of(function)) if plain else None
        return None

    def only_call(self, name: str) -> Written | None:
        """The line that calls a function, where there is just one."""
        return only(self.calls(name))

    def call_without(self, name: str, keyword: str) -> Written | None:
        """The only call of a function, where it does not have an argument of a name."""
        calls = self.calls(name)
        return None if any(word.arg == keyword for _, call in calls for word in call.keywords) else only(calls)

    def iterator_given(self, site: Any) -> Written | None:
        """Where an iterator is made that a call at a place is given by its name."""
        given = {
            base_of(arg)
            for file, node, _ in self.nodes()
            if file == site.file and isinstance(node, ast.Call) and stands_in(node, site.line)
            for arg in (*node.args, *(word.value for word in node.keywords))
            if is_plain(arg) or isinstance(arg, ast.Attribute)
        }
        found = [(f, value) for f, target, value, _ in self.assignments() if base_of(target) in given and yields(value)]
        return only(found)

    def uncalled(self, name: str) -> Written | None:
        """Where a method is named and not called: a statement without brackets."""
        for file, node, _ in self.nodes():
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Attribute) and node.value.attr == name:
                return at(file, node)
        return None

    def dropped(self, name: str = "", method: str = "") -> Written | None:
        """Where a method gives a new tensor and nobody takes it: of a variable, or by the method's name."""
        for file, node, _ in self.nodes():
            call = node.value if isinstance(node, ast.Expr) else None
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
                word = call.func.attr
                if word == method or (name and base_of(call.func.value) == name and hasattr(Tensor, word + "_")):
                    return at(file, node)
        return None

    def put_away(self, site: Any) -> Written | None:
        """The only line of the same function that puts what a line makes into an attribute or under a key."""
        found = []
        for file, node, function in self.nodes():
            if file == site.file and stands_in(function, site.line):
                for target, value in targets(node):
                    if (
                        isinstance(target, (ast.Attribute, ast.Subscript))
                        and base_of(value) == self.made_as(site) != ""
                    ):
                        found.append((file, node))
        return only(found)

    def made_as(self, site: Any) -> str:
        """The name that gets what a line makes."""
        for file, target, _, _ in self.assignments():
            if file == site.file and getattr(target, "lineno", 0) == site.line:
                return base_of(target)
        return ""

    def handed_in(self, site: Any, keyword: str) -> Written | None:
        """The only call of the function that a line stands in, where the line hands on an argument by a keyword."""
        for file, node, function in self.nodes():
            if file == site.file and isinstance(node, ast.keyword) and node.arg == keyword:
                inside = getattr(node.value, "lineno", 0) == site.line
                given = base_of(node.value)
                if inside and is_plain(node.value) and given in parameters(function):
                    calls = self.calls(name_of(function))
                    return only([call for call in calls if gives(call[1], function, given)])
        return None

    def block(self, site: Any) -> Block | None:
        """The lines within the `with` statement that begins at a place."""
        for file, node, _ in self.nodes():
            if file == site.file and isinstance(node, ast.With) and node.lineno == site.line:
                return Block(file, node.body[0].lineno, node.end_lineno or node.body[-1].lineno)
        return None

    def zero_factor(self, site: Any) -> Written | None:
        """Where a factor of a product at a place is made, if what is written there can well be zero."""
        factors = {
            base_of(side)
            for file, node, _ in self.nodes()
            if file == site.file and isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)
            if stands_in(node, site.line)
            for side in (node.left, node.right)
        }
        made = [
            (f, target)
            for f, target, value, _ in self.assignments()
            if base_of(target) in factors and may_be_zero(value)
        ]
        return only(made)

    def repeated(self) -> Written | None:
        """The only line with a list times a number, or with a list of one thing again and again."""
        return only([(file, node) for file, node, _ in self.nodes() if repeats(node)])

    def zeroing(self, name: str) -> Written | None:
        """Where a parameter gets its initial zeros: by its name, or by the only call that fills with zeros."""
        for file, target, value in self.attributes(name):
            if any(isinstance(part, ast.Call) and called(part) in ("zeros", "zeros_like") for part in ast.walk(value)):
                return at(file, target)
        fills = [(file, node) for file, node, _ in self.nodes() if fills_with_zeros(node)]
        return only([(file, node) for file, node in fills if name in names_in(node)]) or only(fills)


def returned(code: CodeType, in_parts: bool = False, part: int = 0) -> Written | None:
    """Where a function computes what it returns; where it returns nothing, where it changes its first argument.

    With `in_parts` the line that returns it, unless what is returned was changed in a part before. Of several values
    that are returned, `part` is meant.
    """
    file, function = code.co_filename, function_of(code)
    if function is None:
        return None
    if isinstance(function, ast.Lambda):
        return at(file, function.body)
    body = inside(file, function)
    returns = [node.value for node in body if isinstance(node, ast.Return) and node.value is not None]
    if not returns:
        names = parameters(function)
        changed = [node for node in body if is_change(node, names)]
        return at(file, changed[-1]) if changed else None
    value = returns[-1]
    if isinstance(value, ast.Tuple) and part < len(value.elts):
        value = value.elts[part]
    name = value.id if isinstance(value, ast.Name) else ""
    steps = [
        node
        for node in body
        if name
        and any(base_of(target) == name and is_step(value) for target, value in targets(node))
        and (not in_parts or is_change(node, {name}))
    ]
    return at(file, (steps or [value])[-1])


def factor_of(code: CodeType) -> Written | None:
    """Where a function computes what it returns a product of, by an argument: `slope` of `return grad * slope`."""
    file, function = code.co_filename, function_of(code)
    body = [] if function is None else inside(file, function)
    values = [node.value for node in body if isinstance(node, ast.Return)]
    last = values[-1] if values else None
    if not isinstance(last, ast.BinOp) or not isinstance(last.op, ast.Mult):
        return None
    names = {side.id for side in (last.left, last.right) if isinstance(side, ast.Name)}
    own = names - parameters(function)
    if len(names) != 2 or len(own) != 1:
        return None
    steps = [
        node for node in body if any(base_of(target) in own and is_computed(value) for target, value in targets(node))
    ]
    return at(file, steps[-1]) if steps else None


def call_in(code: CodeType, name: str) -> Written | None:
    """The only line of a function that calls another one."""
    file, function = code.co_filename, function_of(code)
    body = [] if function is None else inside(file, function)
    return only([(file, node) for node in body if isinstance(node, ast.Call) and called(node) == name])


def return_of(code: CodeType) -> Written | None:
    """The last line on which a function returns something."""
    file, function = code.co_filename, function_of(code)
    returns = [] if function is None else [node for node in inside(file, function) if isinstance(node, ast.Return)]
    return at(file, returns[-1]) if returns else None


# nodes


def nodes_in(file: str) -> list[tuple[ast.AST, ast.AST | None]]:
    """The nodes of a file."""
    return nodes_of(file, "".join(linecache.getlines(file)))


@lru_cache(maxsize=64)
def nodes_of(file: str, text: str) -> list[tuple[ast.AST, ast.AST | None]]:
    """The nodes of a text in their order, each with the function around it; none of a text that is no Python."""
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
    """The function that a code object was compiled from."""
    for node, _ in nodes_in(code.co_filename):
        if isinstance(node, FUNCTIONS):
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
            if first == code.co_firstlineno and name_of(node) in (code.co_name, ""):
                return node
    return None


def inside(file: str, function: ast.AST) -> list[ast.AST]:
    """The nodes of a function, without those of functions in it, in their order."""
    return [node for node, around in nodes_in(file) if around is function]


def at(file: str, node: ast.AST) -> Written:
    """The line that a node begins on."""
    number = getattr(node, "lineno", 1)
    return Written(file, number, linecache.getline(file, number).strip())


def only(found: Sequence[tuple[str, ast.AST]]) -> Written | None:
    """The line of a node that was found in a file, where there is just one."""
    return at(*found[0]) if len(found) == 1 else None


def targets(node: ast.AST) -> list[tuple[ast.expr, ast.expr]]:
    """What a statement assigns to, each with the value; tuples taken apart."""
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
    """The name of the variable, or of the attribute, that an expression reads from or writes to."""
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
    """The name of what a call adds to; empty where it only gives the list for it, as setdefault(key, []) does."""
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in ADDING:
        return ""
    gives = node.func.attr == "setdefault" and any(isinstance(a, (ast.List, ast.Dict)) for a in node.args)
    return "" if gives else base_of(node.func.value)


def put_into(node: ast.AST, name: str) -> Iterator[list[ast.expr]]:
    """What a node puts into the list or the dict of a name, if anything."""
    if isinstance(node, ast.Call) and added_to(node) == name:
        yield node.args
    for target, value in targets(node):
        adds = isinstance(target, ast.Subscript) or isinstance(node, ast.AugAssign) or is_made_anew(target, value)
        if base_of(target) == name and adds:
            yield [value]


def is_made_anew(target: ast.expr, value: ast.expr) -> bool:
    """Whether a list is replaced by one that is made of it: items = items + [new]."""
    parts = [base_of(part) for part in ast.walk(value) if isinstance(part, (ast.Name, ast.Attribute))]
    return base_of(target) in parts


def repeats(node: ast.AST) -> bool:
    """Whether a list has one thing several times: [block] * 3, [block for _ in range(3)]."""
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        own = {base_of(part) for loop in node.generators for part in ast.walk(loop.target)}
        return isinstance(node.elt, ast.Name) and node.elt.id not in own
    sides = (node.left, node.right) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) else ()
    return any(isinstance(side, ast.List) and len(side.elts) == 1 for side in sides)


def fills_with_zeros(node: ast.AST) -> bool:
    """Whether a call fills with zeros what is no gradient."""
    fills = isinstance(node, ast.Call) and called(node) in ("zeros_", "zero_", "constant_")
    return fills and "grad" not in ast.unparse(node)


def names_in(node: ast.AST) -> set[str]:
    """The names of variables and attributes in an expression."""
    return {base_of(part) for part in ast.walk(node) if isinstance(part, (ast.Name, ast.Attribute))}


ITERATORS = frozenset("filter map zip iter chain parameters named_parameters buffers modules children".split())


def yields(value: ast.expr) -> bool:
    """Whether an expression gives what can be walked through once: a generator, filter(), model.parameters()."""
    return isinstance(value, ast.GeneratorExp) or (isinstance(value, ast.Call) and called(value) in ITERATORS)


def stands_in(function: ast.AST | None, line: int) -> bool:
    """Whether a line is one of a function."""
    return function is not None and getattr(function, "lineno", 0) <= line <= getattr(function, "end_lineno", 0)


def key_of(node: ast.AST) -> str | None:
    """The key of an element: "lr" of group["lr"]."""
    key = node.slice if isinstance(node, ast.Subscript) else None
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else None


def called(node: ast.Call) -> str:
    """The name of the function that a call calls."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else base_of(node.func)


def name_of(function: ast.AST | None) -> str:
    """A function's name; empty for a lambda, and outside of functions."""
    return getattr(function, "name", "")


def parameters(function: ast.AST | None) -> set[str]:
    """The names of a function's arguments."""
    arguments = getattr(function, "args", None)
    if arguments is None:
        return set()
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return {a.arg for a in every if a is not None and a.arg != "self"}


def gives(call: ast.Call, function: ast.AST | None, name: str) -> bool:
    """Whether a call gives an argument of a function: by its name, or by its place among the others."""
    arguments = getattr(function, "args", None)
    names = [] if arguments is None else [a.arg for a in (*arguments.posonlyargs, *arguments.args) if a.arg != "self"]
    given = [word.arg for word in call.keywords] + names[: len(call.args)]
    return name in given or None in given or any(isinstance(a, ast.Starred) for a in call.args)


def is_plain(node: ast.AST) -> bool:
    """Whether an expression is nothing but a name."""
    return isinstance(node, ast.Name) or (isinstance(node, ast.Starred) and isinstance(node.value, ast.Name))


def is_step(value: ast.expr) -> bool:
    """Whether a value is computed, and not only a copy to begin with."""
    return not is_plain(value) and not (isinstance(value, ast.Call) and called(value) in ("clone", "copy"))


def may_be_zero(value: ast.expr) -> bool:
    """Whether a value is written as zero, or as a number without its fraction."""
    whole = any(isinstance(part, ast.BinOp) and isinstance(part.op, ast.FloorDiv) for part in ast.walk(value))
    cut = isinstance(value, ast.Call) and called(value) in ("int", "round", "floor")
    return whole or cut or (isinstance(value, ast.Constant) and value.value == 0)


def is_computed(value: ast.expr) -> bool:
    """Whether a value is computed, and not only taken from somewhere."""
    return isinstance(value, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.IfExp, ast.Call))


def is_change(node: ast.AST, names: set[str]) -> bool:
    """Whether a node changes one of some variables in place."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr.endswith("_") and base_of(node.func.value) in names
    if isinstance(node, ast.AugAssign):
        return base_of(node.target) in names
    return any(isinstance(target, ast.Subscript) and base_of(target) in names for target, _ in targets(node))
