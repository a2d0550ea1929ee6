"""Lines of the program by what is written there: where an attribute is set, a list is added to, a result is computed.

Places that a program went through are known as `sites`. The line of a mistake may be another one: where a state is
put away, where a setting was made, where a hook computes what it returns. That is looked up in the program's text,
at the end, and only a line that the evidence names is given: None where several could be meant.
"""

import ast
import linecache
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from rushlight.core.lines import is_users
from rushlight.explain.syntax import (
    Written,
    at,
    base_of,
    called,
    calls_in,
    factors_of,
    fills_with_zeros,
    function_of,
    gives,
    gives_number,
    is_computed,
    is_made_anew,
    is_plain,
    key_of,
    may_be_zero,
    name_of,
    names_in,
    nodes_in,
    only,
    parameters,
    parts_of,
    put_into,
    repeats,
    stands_in,
    stands_on,
    targets,
    terms_of,
    yields,
)
from rushlight.tensors import Tensor

SUMMING = (ast.Assign, ast.AugAssign, ast.Return, ast.Expr)
SHOWING = frozenset("print pprint debug info warning error log write add_scalar set_postfix set_description".split())
CONVERSIONS = {"item", "tolist", "numpy", "float", "tensor"}


class Block(NamedTuple):
    """The lines within a statement."""

    file: str
    first: int
    last: int

    def has(self, site: Any) -> bool:
        """Whether a place is in it."""
        return site.file == self.file and self.first <= site.line <= self.last


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

    def setting_of(self, name: str, owners: Iterable[str]) -> Written | None:
        """The first line that sets an attribute of a thing that has one of some names; else of any."""
        lines = {base_of(target.value): at(file, target) for file, target, _ in reversed([*self.attributes(name)])}
        return next((lines[owner] for owner in owners if owner in lines), None) or self.first_setting(name)

    def calls_around(self, site: Any) -> set[str]:
        """The names of the functions that are called in the function in which a place is."""
        inner = [around for file, node, around in self.nodes() if file == site.file and stands_on(node, site.line)]
        return {
            called(node)
            for file, node, around in self.nodes()
            if file == site.file and isinstance(node, ast.Call) and inner and around is inner[-1]
        }

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
        parts = [part for value in values for part in parts_of(value)]
        handed_on = bool(parts) and all(base_of(part) in given and is_plain(part) for part in parts)
        return (self.only_call(name_of(function)) if handed_on else None) or at(file, node)

    def added_argument(self, site: Any) -> tuple[list[Written], list[Written]]:
        """The calls of a function that adds an argument up at a place, in an attribute: plain, and with numbers."""
        for file, node, function in self.nodes():
            if file == site.file and stands_on(node, site.line):
                for target, value in targets(node):
                    adds = isinstance(node, ast.AugAssign) or is_made_anew(target, value)
                    if isinstance(target, ast.Attribute) and adds and names_in(value) & parameters(function):
                        calls = [] if calls_in(value) else self.calls(name_of(function))
                        kinds = [[one for one in calls if gives_number(one[1]) == number] for number in (False, True)]
                        return [at(*one) for one in kinds[0]], [at(*one) for one in kinds[1]]
        return [], []

    def only_call(self, name: str) -> Written | None:
        """The line that calls a function, where there is just one."""
        return only(self.calls(name))

    def call_without(self, name: str, keyword: str) -> Written | None:
        """The only call of a function, where it does not have an argument of a name."""
        calls = self.calls(name)
        return None if any(word.arg == keyword for _, call in calls for word in call.keywords) else only(calls)

    def changes(self, site: Any) -> bool:
        """Whether the statement at a place changes something in place: with an assignment, or a method such as sub_."""
        return any(
            isinstance(node, ast.AugAssign) or (isinstance(node.value, ast.Call) and called(node.value).endswith("_"))
            for file, node, _ in self.nodes()
            if file == site.file and isinstance(node, (ast.AugAssign, ast.Expr)) and stands_in(node, site.line)
        )

    def shows(self, site: Any) -> bool:
        """Whether a place is within a call that only shows what it is given: print(), or a log's."""
        return any(
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Call)
            and called(node.value) in SHOWING
            and stands_in(node, site.line)
            for file, node, _ in self.nodes()
            if file == site.file
        )

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

    def makes_anew(self, site: Any) -> bool:
        """Whether the line of a place makes a variable of itself: x = x.clamp(0, 1)."""
        return any(
            file == site.file and target.lineno == site.line and is_made_anew(target, value)
            for file, target, value, _ in self.assignments()
            if isinstance(target, ast.Name)
        )

    def made_as(self, site: Any) -> str:
        """The name that gets what a line makes."""
        for file, target, _, _ in self.assignments():
            if file == site.file and stands_on(target, site.line):
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

    def walks_through(self, site: Any) -> bool:
        """Whether the innermost loop around a place walks through data: its variable is an index, or is handed on."""
        loops = [
            node
            for file, node, _ in self.nodes()
            if file == site.file and isinstance(node, ast.For) and stands_in(node, site.line)
        ]
        own = {base_of(part) for part in ast.walk(loops[-1].target)} if loops else set()
        used = [part for part in ast.walk(loops[-1]) if isinstance(part, (ast.Subscript, ast.Call))] if loops else []
        values = [value for part in used for value in ([part.slice] if isinstance(part, ast.Subscript) else part.args)]
        return any(names_in(value) & own - {""} for value in values)

    def mentions(self, words: re.Pattern[str]) -> bool:
        """Whether some words stand anywhere in the program."""
        return any(words.search("".join(linecache.getlines(file))) for file in self.files)

    def adds_what(self, sum_at: Any, site: Any) -> bool:
        """Whether a term of the sum at a place is a value that is made at another, or a multiple of it by numbers."""
        for file, node, function in self.nodes():
            if file == sum_at.file and isinstance(node, SUMMING) and node.value and stands_in(node, sum_at.line):
                computed = {
                    base_of(target)
                    for f, target, value, around in self.assignments()
                    if f == file and around is function and is_computed(value)
                }
                for term in terms_of(node.value):
                    factors = [one for one in factors_of(term) if not isinstance(one, ast.Constant)]
                    ours = [one for one in factors if self.is_made(one, file, function, site)]
                    if ours and not any(names_in(one) & computed for one in factors if one not in ours):
                        return True
        return False

    def is_made(self, value: ast.expr, file: str, function: ast.AST | None, site: Any) -> bool:
        """Whether a value in a function is what is made at a place: there, by a variable, or by a call."""
        if isinstance(value, ast.Call):
            inside = file == site.file and any(stands_on(part, site.line) for part in ast.walk(value))
            names = {site.code.co_name, outer_name(site)}
            return (inside and bool(calls_in(value) & CONVERSIONS)) or called(value) in names
        return any(
            f == site.file and stands_in(target, site.line) and base_of(target) == base_of(value) != ""
            for f, target, _, around in self.assignments()
            if around is function or isinstance(target, ast.Attribute)
        )

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


def outer_name(site: Any) -> str:
    """The name of the function in which a place is, of the one around where it is in a comprehension."""
    return site.code.co_qualname.removesuffix(f".<locals>.{site.code.co_name}").rsplit(".", 1)[-1]
