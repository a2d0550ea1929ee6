"""Runs a script as it is, with rushlight in the place of PyTorch and MindSpore."""

import io
import os
import re
import sys
import traceback
from types import ModuleType

from rushlight.interop.imports import serve_mindspore, serve_torch
from rushlight.missing import explanation


def run_script(path: str, arguments: list[str]) -> int:
    """Runs a script as `python path arguments...` would, with PyTorch and MindSpore served; returns 0 or 1.

    The script is `__main__`, `sys.argv` and `sys.path[0]` are its own, and tracebacks begin in it. FileNotFoundError
    where there is no such file; SystemExit passes through.
    """
    with io.open_code(os.path.abspath(path)) as file:
        source = file.read()
    serve_torch()
    serve_mindspore()
    main = ModuleType("__main__")
    main.__file__ = path
    sys.modules["__main__"] = main
    sys.argv = [path, *arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    try:
        exec(compile(source, path, "exec"), main.__dict__)
    except Exception as error:
        report(error)
        return 1
    return 0


def report(error: Exception) -> None:
    """Prints the traceback from the script on, and what rushlight lacks if that is what went wrong."""
    if lacks := lacking(error):
        error.add_note(explanation(*lacks))
    start = error.__traceback__ and error.__traceback__.tb_next  # the first frame is ours
    traceback.print_exception(type(error), error, start)


def lacking(error: Exception) -> tuple[str, str] | None:
    """The module and the name in it that rushlight lacks, if that is what the error is about."""
    if isinstance(error, AttributeError) and isinstance(error.obj, ModuleType):
        module, name = error.obj.__name__, error.name
        return (module, name) if name and module.startswith("rushlight.") else None
    found = re.match(r"cannot import name '(\w+)' from '(rushlight[\w.]*)'", str(error))
    return (found[2], found[1]) if isinstance(error, ImportError) and found else None
