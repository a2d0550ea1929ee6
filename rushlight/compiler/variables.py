"""The variables of statements: which may be read before they are set, and which are certainly set."""

import ast
from collections.abc import Iterable, Iterator
from typing import TypeGuard


def is_read(node: ast.AST) -> TypeGuard[ast.Name]:
    """Whether a node is a variable that is read."""
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)


def names_in(node: ast.AST) -> set[str]:
    """All variables that are named in a node."""
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def is_stored(node: ast.AST) -> TypeGuard[ast.Name]:
    """Whether a node is a variable that is set."""
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def stored_in(*nodes: ast.AST) -> set[str]:
    """The variables that nodes may set."""
    return {node.id for one in nodes for node in ast.walk(one) if is_stored(node)}


def defined_by(node: ast.AST) -> Iterator[str]:
    """The variables that a definition, an import or a handler sets."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from [(alias.asname or alias.name).partition(".")[0] for alias in node.names]
    elif isinstance(node, ast.ExceptHandler) and node.name:
        yield node.name


def set_by_all(statements: Iterable[ast.stmt]) -> set[str]:
    """The variables that all of some statements certainly set; all variables if they do not return."""
    return set().union(*[set_by(one) for one in statements])


def set_by(statement: ast.stmt) -> set[str]:
    """The variables that a statement certainly sets."""
    if isinstance(statement, ast.If):
        return set_by_all(statement.body) & set_by_all(statement.orelse)
    if isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign)) and statement.value is not None:
        return stored_in(*(statement.targets if isinstance(statement, ast.Assign) else [statement.target]))
    if isinstance(statement, ast.With) and getattr(statement, "goes_on", False):
        return set_by_all(statement.body)
    return set() if isinstance(statement, ast.ExceptHandler) else set(defined_by(statement))


def read_first(statements: list[ast.stmt], known: set[str]) -> set[str]:
    """The variables that some statements may read before they set them."""
    found: set[str] = set()
    for one in statements:
        if isinstance(one, (ast.If, ast.While)):
            parts = reads_of(one.test) | read_first(one.body, known) | read_first(one.orelse, known)
        elif isinstance(one, ast.For):
            inner = known | names_in(one.target)
            parts = reads_of(one.iter) | read_first(one.body, inner) | read_first(one.orelse, known)
        elif isinstance(one, ast.With):
            reads = [reads_of(item.context_expr) for item in one.items]
            parts = set().union(*reads) | read_first(one.body, known | stored_in(*one.items))
        elif isinstance(one, ast.AugAssign):
            parts = reads_of(one) | names_in(one.target)
        else:
            parts = reads_of(one)
        found |= parts - known
        known = known | set_by(one)
    return found


def reads_of(node: ast.AST) -> set[str]:
    """The variables that are read in a node."""
    return {one.id for one in ast.walk(node) if is_read(one)}
