"""Finds where a function of the program computes what it returns."""

import ast
from types import CodeType

from rushlight.explain.syntax import (
    Written,
    at,
    base_of,
    called,
    function_of,
    inside,
    is_change,
    is_computed,
    is_step,
    only,
    parameters,
    targets,
)


def returned(code: CodeType, in_parts: bool = False, part: int = 0) -> Written | None:
    """Where a function computes what it returns; if it returns nothing, where it changes its first argument.

    With `in_parts` the line of the return statement, unless the result was changed in a part before. If several values
    are returned, the one numbered `part`.
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
    """Where a function computes the other factor of a product that it returns: `slope` in `return grad * slope`."""
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
    """The line of a function's last return statement."""
    file, function = code.co_filename, function_of(code)
    returns = [] if function is None else [node for node in inside(file, function) if isinstance(node, ast.Return)]
    return at(file, returns[-1]) if returns else None
