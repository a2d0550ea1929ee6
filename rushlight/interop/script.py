"""Runs an unchanged script with rushlight in place of PyTorch and MindSpore."""

import io
import linecache
import os
import re
import runpy
import sys
import traceback
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from rushlight.absent.misses import explanation
from rushlight.interop.children import label_output, serve_all, serve_here
from rushlight.launch.end import keep
from rushlight.launch.place import announce


def run_script(path: str, arguments: list[str], around: AbstractContextManager[Any] | None = None) -> int:
    """Runs a script as `python path arguments...` would, with rushlight as PyTorch and MindSpore; returns 0 or 1.

    It runs inside the context `around`, if there is one.

    The script is `__main__`, with its own `sys.argv` and `sys.path[0]`, and tracebacks begin in it. FileNotFoundError
    if there is no such file; SystemExit propagates.
    """
    with io.open_code(os.path.abspath(path)) as file:
        code = compile(file.read(), path, "exec")
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    return run_main(lambda main: exec(code, main.__dict__), path, arguments, around)


def run_module(name: str, arguments: list[str], around: AbstractContextManager[Any] | None = None) -> int:
    """Runs a module as `python -m name arguments...` would, as `run_script` runs a file; returns 0 or 1.

    ModuleNotFoundError if there is no such module.
    """
    sys.path[0] = os.getcwd()
    serve_all()
    if find_spec(name) is None:
        raise ModuleNotFoundError(f"No module named {name}", name=name)
    return run_main(lambda main: runpy.run_module(name, run_name="__main__", alter_sys=True), name, arguments, around)


def run_text(text: str, arguments: list[str], around: AbstractContextManager[Any] | None = None) -> int:
    """Runs code as `python -c text arguments...` would, as `run_script` runs a file; returns 0 or 1.

    The text "-" stands for standard input, as in `python - arguments...`.
    """
    path, name = ("-", "<stdin>") if text == "-" else ("-c", "<string>")
    text = sys.stdin.read() if text == "-" else text
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)  # so that tracebacks show its lines
    sys.path[0] = ""

    def execute(main: ModuleType) -> None:
        del main.__file__
        exec(compile(text, name, "exec"), main.__dict__)

    return run_main(execute, path, arguments, around)


def run_main(
    execute: Callable[[ModuleType], object],
    path: str,
    arguments: list[str],
    around: AbstractContextManager[Any] | None = None,
) -> int:
    """Runs a program's main module in this process, and reports exceptions; returns 0 or 1."""
    serve_here()
    label_output()
    keep()
    announce()
    main = ModuleType("__main__")
    main.__file__ = os.path.abspath(path)
    sys.modules["__main__"] = main
    sys.argv = [path, *arguments]
    try:
        with around or nullcontext():
            execute(main)
    except Exception as error:
        report(error)
        end_the_others(error)
        return 1
    except SystemExit as ending:
        end_the_others(ending)
        raise
    return 0


def end_the_others(error: BaseException) -> None:
    """After a failure, ends the other processes of the group: they would wait for this one."""
    if mpi := sys.modules.get("rushlight.distributed.mpi"):
        mpi.fail(error)


def report(error: Exception) -> None:
    """Prints the traceback from the script on, and what rushlight lacks if that is the cause."""
    if lacks := lacking(error):
        error.add_note(explanation(*lacks))
    start = error.__traceback__
    while start is not None and start.tb_frame.f_code.co_filename in (__file__, runpy.__file__):
        start = start.tb_next
    traceback.print_exception(type(error), error, start)


def lacking(error: Exception) -> tuple[str, str] | None:
    """The module and the name in it that rushlight lacks, if that is the cause of the error."""
    if isinstance(error, AttributeError) and isinstance(error.obj, ModuleType):
        module, name = error.obj.__name__, error.name
        return (module, name) if name and module.startswith("rushlight.") else None
    found = re.match(r"cannot import name '(\w+)' from '((?:rushlight|torch)[\w.]*)'", str(error))
    return (found[2], found[1]) if isinstance(error, ImportError) and found else None
