"""Splits a function: a line that cannot be recorded runs normally, the code before and after it is compiled.

The function is generated again from its source. Consecutive statements become functions of the variables that they
read, which return those that they set; the statement of the line stays where it is. Of an `if` or loop that contains
the line, the statements inside are treated in the same way. Statements also stay if they would behave differently in a
separate function: those that set variables of inner functions, or that leave a block. `try` and `with` are in a piece
as a whole, or stay. Nothing is split if the source is not available, or does not match the code.
"""

import ast
import inspect
import linecache
from collections.abc import Callable, Iterator
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any

from rushlight.compiler.variables import (
    defined_by,
    is_read,
    is_stored,
    names_in,
    read_first,
    set_by,
    set_by_all,
    stored_in,
)
from rushlight.core.lines import is_users

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.GeneratorExp)
AT_ONCE = frozenset("all any dict list max min set sorted sum tuple".split())  # they consume their argument at once
STAYING = (ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr)
LEAVING = (ast.Return, ast.Break, ast.Continue)
FRAME = {"locals", "vars", "dir", "eval", "exec", "super"}  # functions that inspect their caller's variables
PIECES = "the pieces"  # the variable that holds the pieces; not a valid identifier
MOST = 16  # the most lines that run normally
NOT_PLAIN = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def code_of(function: Any) -> CodeType | None:
    """The code of a user's function, or of a method's function; None for anything else."""
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return code if isinstance(code, CodeType) and is_users(code.co_filename) else None


class Pieces:
    """A function of which some lines run normally, and the rest in pieces that `make` compiles."""

    def __init__(self, function: Any, make: Callable[[FunctionType], Any]):
        self.function = function
        self.make = make
        self.lines: set[int] = set()
        self.called: Any = None  # the split function; None while it is whole
        self.parts: list[Any] = []

    def broke_at(self, line: int) -> bool:
        """Makes a line run normally; returns whether the function is then split."""
        if line in self.lines or len(self.lines) == MOST:
            return False
        self.lines.add(line)
        kept = {part.function.__code__: part for part in self.parts}
        found = split(
            getattr(self.function, "__func__", self.function),
            self.lines,
            lambda function: kept.get(function.__code__) or self.make(function),
        )
        if found is None:
            self.called, self.parts = None, []
            return False
        called, self.parts = found
        self.called = MethodType(called, self.function.__self__) if isinstance(self.function, MethodType) else called
        return True


def split(function: Any, lines: set[int], make: Callable[[FunctionType], Any]) -> Any:
    """The split function and its pieces; None if there would be none."""
    definition = definition_of(function)
    if definition is None:
        return None
    splitter = Splitter(definition, function.__globals__, lines)
    definition.body = splitter.suite(definition.body, splitter.arguments, False)
    if not splitter.pieces:
        return None
    codes = compiled([definition, *splitter.pieces], function.__code__, [PIECES])
    cell = CellType()
    whole = made(codes[0], function, cell)
    parts = [make(made(code, function, cell)) for code in codes[1:]]
    cell.cell_contents = parts
    whole.__defaults__, whole.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    return whole, parts


def definition_of(function: Any) -> ast.FunctionDef | None:
    """The definition of a function in its source, if that compiles to its code."""
    if not isinstance(function, FunctionType) or function.__code__.co_flags & NOT_PLAIN:
        return None
    own = function.__code__
    try:
        tree = ast.parse("".join(linecache.getlines(own.co_filename, function.__globals__)))
        whole = compile(tree, own.co_filename, "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return None
    found = [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and first_line(node) == own.co_firstlineno
    ]
    if len(found) != 1 or own not in codes_in(whole) or any(map(is_unsuitable, ast.walk(found[0]))):
        return None
    (definition,) = found
    definition.decorator_list, definition.returns, definition.args.defaults = [], None, []
    definition.args.kw_defaults = [None] * len(definition.args.kwonlyargs)
    for arg in ast.walk(definition.args):
        if isinstance(arg, ast.arg):
            arg.annotation = None
    return definition


def first_line(definition: ast.FunctionDef) -> int:
    """The first line of a definition: that of its first decorator, if it has any."""
    return min([definition.lineno, *[one.lineno for one in definition.decorator_list]])


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """All nested code objects."""
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield one
            yield from codes_in(one)


def is_unsuitable(node: ast.AST) -> bool:
    """Whether a node deletes a variable, or is a private name that a class mangles."""
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    is_private = name.startswith("__") and not name.endswith("__")
    return is_private or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del))


def compiled(definitions: list[ast.FunctionDef], own: CodeType, more: list[str]) -> list[CodeType]:
    """The code of functions that have the free variables of a code object, and more."""
    arguments = [ast.arg(name) for name in (*own.co_freevars, *more)]
    outer = ast.FunctionDef("outer", no_arguments(arguments), [*definitions], [])
    module = ast.fix_missing_locations(ast.Module([outer], []))
    code = compile(module, own.co_filename, "exec", dont_inherit=True)
    (around,) = [one for one in code.co_consts if isinstance(one, CodeType)]
    return [one for one in around.co_consts if isinstance(one, CodeType)][: len(definitions)]


def no_arguments(arguments: list[ast.arg]) -> ast.arguments:
    """An argument list with only these arguments."""
    return ast.arguments([], arguments, None, [], [], None, [])


def made(code: CodeType, function: FunctionType, pieces: CellType) -> FunctionType:
    """A function with generated code, and the variables of the original."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells[PIECES] = pieces
    closure = tuple([cells[name] for name in code.co_freevars])
    result = FunctionType(code, function.__globals__, code.co_name, None, closure)
    result.__module__ = function.__module__
    result.__qualname__ = function.__qualname__.removesuffix(function.__name__) + code.co_name
    return result


class Splitter:
    """A definition being split: `pieces` are those found so far."""

    def __init__(self, definition: ast.FunctionDef, namespace: dict[str, Any], lines: set[int]):
        self.name: str = definition.name
        self.lines = lines
        nodes = [node for one in definition.body for node in ast.walk(one)]
        at_once = {
            id(arg)
            for node in nodes
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in AT_ONCE
            for arg in node.args
        }
        self.arguments: set[str] = {arg.arg for arg in ast.walk(definition.args) if isinstance(arg, ast.arg)}
        self.scopes: set[int] = {id(node) for node in nodes if isinstance(node, SCOPES) and id(node) not in at_once}
        self.declared = {name for node in nodes if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names}
        own = {id(name) for node in nodes if isinstance(node, ast.comprehension) for name in ast.walk(node.target)}
        stored = {node.id for node in nodes if is_stored(node) and id(node) not in own}
        stored |= {name for one in definition.body for node in ast.walk(one) for name in defined_by(node)}
        self.locals: set[str] = (self.arguments | stored) - self.declared
        self.captured = {name for node in nodes if id(node) in self.scopes for name in names_in(node)} & self.locals
        self.captured |= self.declared
        targets = {id(node.target) for node in nodes if isinstance(node, ast.AugAssign)}
        self.mentions: list[tuple[int, str]] = [
            (id(node), node.id)
            for node in nodes
            if isinstance(node, ast.Name) and (is_read(node) or id(node) in targets)
        ]
        for node in nodes:
            if isinstance(node, ast.With):
                node.goes_on = all(is_ours(item.context_expr, namespace) for item in node.items)  # type: ignore[attr-defined]
        self.pieces: list[ast.FunctionDef] = []

    def suite(self, body: list[ast.stmt], assigned: set[str], repeats: bool) -> list[ast.stmt]:
        """Statements, with pieces replacing those that can be in one. `repeats` tells whether they are in a loop."""
        made: list[ast.stmt] = []
        run: list[ast.stmt] = []
        before = set(assigned)
        for statement in body:
            may_join = self.may_be_in_a_piece(statement) or isinstance(statement, ast.Return)
            may_join = may_join and not self.breaks(statement) and not self.looks_at_frame(statement)
            if may_join and read_first([*run, statement], set()) & self.locals <= before:
                run.append(statement)
            else:
                made += self.piece(run, before, repeats)
                run, before = [], set(assigned)
                made.append(self.inside(statement, assigned, repeats))
            if isinstance(statement, LEAVING):
                break
            assigned = assigned | set_by(statement)
        return made + self.piece(run, before, repeats)

    def inside(self, statement: ast.stmt, assigned: set[str], repeats: bool) -> ast.stmt:
        """A statement that stays; if it is an `if` or loop, with pieces inside."""
        if isinstance(statement, (ast.If, ast.For, ast.While)):
            inner = assigned | names_in(statement.target) if isinstance(statement, ast.For) else assigned
            repeats = repeats or not isinstance(statement, ast.If)
            statement.body = self.suite(statement.body, inner, repeats)
            statement.orelse = self.suite(statement.orelse, assigned, repeats)
        return statement

    def breaks(self, statement: ast.stmt) -> bool:
        """Whether a statement contains a line that must run normally."""
        return any(statement.lineno <= line <= (statement.end_lineno or statement.lineno) for line in self.lines)

    def looks_at_frame(self, statement: ast.stmt) -> bool:
        """Whether a statement calls something that inspects the function's variables."""
        return any(isinstance(node, ast.Name) and node.id in FRAME for node in ast.walk(statement))

    def may_be_in_a_piece(self, statement: ast.stmt) -> bool:
        """Whether a statement behaves the same in a separate function."""
        for node in ast.walk(statement):
            if isinstance(node, (*STAYING, *LEAVING, ast.Match)):
                return False
            if id(node) in self.scopes and names_in(node) & self.captured:
                return False
            if isinstance(node, ast.Name) and not is_read(node) and node.id in self.captured:
                return False
        return not isinstance(statement, SCOPES)

    def piece(self, run: list[ast.stmt], before: set[str], repeats: bool) -> list[ast.stmt]:
        """A call of a piece that replaces some statements; the statements themselves if it would not be equivalent."""
        if not any(isinstance(node, (ast.Call, ast.BinOp)) for one in run for node in ast.walk(one)):
            return run  # nothing to record
        within = {id(node) for one in run for node in ast.walk(one)}
        wanted = {name for number, name in self.mentions if repeats or number not in within}
        after = stored_in(*run) & wanted & self.locals
        ends = isinstance(run[-1], ast.Return)
        given = sorted((read_first(run, set()) | (set() if ends else after - set_by_all(run))) & self.locals)
        if not set(given) <= before:
            return run
        results = [] if ends else sorted(after)
        last = [] if ends else [ast.Return(tuple_of(results, ast.Load()))]
        name = f"{self.name} from line {run[0].lineno}"
        arguments = no_arguments([ast.arg(one) for one in given])
        self.pieces.append(located(ast.FunctionDef(name, arguments, [*run, *last], []), run[0]))
        pieces = ast.Name(PIECES, ast.Load())
        which = ast.Subscript(pieces, ast.Constant(len(self.pieces) - 1), ast.Load())
        call = ast.Call(which, [ast.Name(one, ast.Load()) for one in given], [])
        statement: ast.stmt = (
            ast.Return(call)
            if ends
            else ast.Assign([tuple_of(results, ast.Store())], call)
            if results
            else ast.Expr(call)
        )
        return [located(statement, run[0])]


def is_ours(context: ast.expr, namespace: dict[str, Any]) -> bool:
    """Whether a context is one of rushlight's that lets exceptions pass."""
    while isinstance(context, (ast.Call, ast.Attribute)):
        context = context.func if isinstance(context, ast.Call) else context.value
    found = namespace.get(context.id) if isinstance(context, ast.Name) else None
    return str(getattr(found, "__module__", None) or getattr(found, "__name__", "")).startswith("rushlight")


def located(node: Any, place: ast.stmt) -> Any:
    """A node with the source location of another."""
    return ast.fix_missing_locations(ast.copy_location(node, place))


def tuple_of(names: list[str], context: ast.expr_context) -> ast.Tuple:
    """A tuple of variables."""
    return ast.Tuple([ast.Name(name, context) for name in names], context)
