"""Finds lines of the program by their source code: where an attribute is set, a list extended, a result computed.

Lines that ran are known as `sites`. But the line of the mistake may be another one: where a state is stored, a setting
made, or where a hook computes its result. These are looked up in the source at the end, and only a line that the
evidence identifies is given: None if there are several candidates.
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
    """The lines of a statement's body."""

    file: str
    first: int
    last: int

    def has(self, site: Any) -> bool:
        """Whether a site is in it."""
        return site.file == self.file and self.first <= site.line <= self.last


class Text:
    """The source of the program's files, statement by statement."""

    def __init__(self, files: Iterable[str]):
        self.files: list[str] = [file for file in files if is_users(file)]

    @classmethod
    def of(cls, case: Any) -> "Text":
        """The source of the files that the program ran."""
        return cls(dict.fromkeys(site.file for site in case.watch.sites.every()))

    def nodes(self) -> Iterator[tuple[str, ast.AST, ast.AST | None]]:
        """All nodes, each with its file and enclosing function."""
        for file in self.files:
            for node, function in nodes_in(file):
                yield file, node, function

    def assignments(self) -> Iterator[tuple[str, ast.expr, ast.expr, ast.AST | None]]:
        """All assignments: file, target, value, and enclosing function."""
        for file, node, function in self.nodes():
            for target, value in targets(node):
                yield file, target, value, function

    def aliases(self) -> Iterator[tuple[Written, str, str]]:
        """All assignments of a variable or attribute to another one: the line, and the two names."""
        for file, target, value, _ in self.assignments():
            if isinstance(target, (ast.Name, ast.Attribute)) and isinstance(value, (ast.Name, ast.Attribute)):
                yield at(file, target), base_of(target), base_of(value)

    def attributes(self, name: str) -> Iterator[tuple[str, ast.Attribute, ast.expr]]:
        """All assignments to attributes of a name: file, target, and value."""
        for file, target, value, _ in self.assignments():
            if isinstance(target, ast.Attribute) and target.attr == name:
                yield file, target, value

    def calls(self, name: str) -> list[tuple[str, ast.Call]]:
        """All calls of a function, each with its file."""
        return [(file, node) for file, node, _ in self.nodes() if isinstance(node, ast.Call) and called(node) == name]

    def setting(self, name: str, site: Any = None) -> Written | None:
        """Where an attribute or key is set: preferably where it changes, not where it is initialized.

        Preferably in the function of `site`.
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
        """The only line in a frame's function that computes a variable from itself: h = cell(x, h)."""
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
        """The first line that sets an attribute of an object with one of the given names; else of any object."""
        lines = {base_of(target.value): at(file, target) for file, target, _ in reversed([*self.attributes(name)])}
        return next((lines[owner] for owner in owners if owner in lines), None) or self.first_setting(name)

    def calls_around(self, site: Any) -> set[str]:
        """The names of the functions that are called in the same function as a site."""
        inner = [around for file, node, around in self.nodes() if file == site.file and stands_on(node, site.line)]
        return {
            called(node)
            for file, node, around in self.nodes()
            if file == site.file and isinstance(node, ast.Call) and inner and around is inner[-1]
        }

    def first_binding(self, name: str) -> Written | None:
        """The first line that assigns a computed value to a variable or attribute."""
        for file, target, value, _ in self.assignments():
            if isinstance(target, (ast.Name, ast.Attribute)) and base_of(target) == name and is_computed(value):
                return at(file, target)
        return None

    def adding(self, name: str) -> Written | None:
        """Where something is added to the list or dict of a name; if that is a parameter, the line that passes it."""
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
        """The calls of a function that accumulates an argument in an attribute: without and with literal numbers."""
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
        """The line that calls a function, if there is only one."""
        return only(self.calls(name))

    def call_without(self, name: str, keyword: str) -> Written | None:
        """The only call of a function, if it does not pass the given keyword."""
        calls = self.calls(name)
        return None if any(word.arg == keyword for _, call in calls for word in call.keywords) else only(calls)

    def changes(self, site: Any) -> bool:
        """Whether the statement at a site changes something in place: by an assignment, or a method such as sub_."""
        return any(
            isinstance(node, ast.AugAssign) or (isinstance(node.value, ast.Call) and called(node.value).endswith("_"))
            for file, node, _ in self.nodes()
            if file == site.file and isinstance(node, (ast.AugAssign, ast.Expr)) and stands_in(node, site.line)
        )

    def shows(self, site: Any) -> bool:
        """Whether a site is in a call that only displays its arguments: print(), or logging."""
        return any(
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Call)
            and called(node.value) in SHOWING
            and stands_in(node, site.line)
            for file, node, _ in self.nodes()
            if file == site.file
        )

    def iterator_given(self, site: Any) -> Written | None:
        """Where the iterator is made that a call at a site gets by name."""
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
        """Where a method is named but not called: a statement without parentheses."""
        for file, node, _ in self.nodes():
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Attribute) and node.value.attr == name:
                return at(file, node)
        return None

    def dropped(self, name: str = "", method: str = "") -> Written | None:
        """Where a method's new tensor is discarded: by the name of the variable, or of the method."""
        for file, node, _ in self.nodes():
            call = node.value if isinstance(node, ast.Expr) else None
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
                word = call.func.attr
                if word == method or (name and base_of(call.func.value) == name and hasattr(Tensor, word + "_")):
                    return at(file, node)
        return None

    def put_away(self, site: Any) -> Written | None:
        """The only line of the same function that stores a line's result in an attribute or under a key."""
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
        """Whether the line of a site computes a variable from itself: x = x.clamp(0, 1)."""
        return any(
            file == site.file and target.lineno == site.line and is_made_anew(target, value)
            for file, target, value, _ in self.assignments()
            if isinstance(target, ast.Name)
        )

    def made_as(self, site: Any) -> str:
        """The name that a line's result is assigned to."""
        for file, target, _, _ in self.assignments():
            if file == site.file and stands_on(target, site.line):
                return base_of(target)
        return ""

    def handed_in(self, site: Any, keyword: str) -> Written | None:
        """The only call of a site's function, if the line passes on a parameter by the given keyword."""
        for file, node, function in self.nodes():
            if file == site.file and isinstance(node, ast.keyword) and node.arg == keyword:
                inside = getattr(node.value, "lineno", 0) == site.line
                given = base_of(node.value)
                if inside and is_plain(node.value) and given in parameters(function):
                    calls = self.calls(name_of(function))
                    return only([call for call in calls if gives(call[1], function, given)])
        return None

    def block(self, site: Any) -> Block | None:
        """The body of the `with` statement that begins at a site."""
        for file, node, _ in self.nodes():
            if file == site.file and isinstance(node, ast.With) and node.lineno == site.line:
                return Block(file, node.body[0].lineno, node.end_lineno or node.body[-1].lineno)
        return None

    def walks_through(self, site: Any) -> bool:
        """Whether the innermost loop around a site iterates over data: its variable is an index, or is passed on."""
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
        """Whether a pattern occurs anywhere in the program."""
        return any(words.search("".join(linecache.getlines(file))) for file in self.files)

    def adds_what(self, sum_at: Any, site: Any) -> bool:
        """Whether a term of the sum at a site is a value made at another site, or a multiple of it."""
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
        """Whether a value in a function is what a site makes: directly, by a variable, or by a call."""
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
        """Where a factor of a product at a site is made, if it may be zero as written."""
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
        """The only line with a list times a number, or a list of the same object several times."""
        return only([(file, node) for file, node, _ in self.nodes() if repeats(node)])

    def zeroing(self, name: str) -> Written | None:
        """Where a parameter is initialized with zeros: found by its name, or as the only call that fills with zeros."""
        for file, target, value in self.attributes(name):
            if any(isinstance(part, ast.Call) and called(part) in ("zeros", "zeros_like") for part in ast.walk(value)):
                return at(file, target)
        fills = [(file, node) for file, node, _ in self.nodes() if fills_with_zeros(node)]
        return only([(file, node) for file, node in fills if name in names_in(node)]) or only(fills)


def outer_name(site: Any) -> str:
    """The name of the function of a site; for a comprehension that of the enclosing function."""
    return site.code.co_qualname.removesuffix(f".<locals>.{site.code.co_name}").rsplit(".", 1)[-1]
