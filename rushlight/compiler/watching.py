"""What is watched while a call is recorded: which code runs, which C functions it calls, which values leave."""

import contextlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import active_count, get_ident
from types import BuiltinFunctionType, CodeType, GeneratorType
from typing import Any

import rushlight.numpy_functions  # noqa: F401  # formulas load it when they first need it, which takes long while watched
from rushlight.core.lines import HERE, OURS, PYTHON, USER, whose
from rushlight.starting import WithoutCollections
from rushlight.tensors import Tensor

BUILTINS = frozenset(
    [
        "abs",
        "all",
        "any",
        "bool",
        "callable",
        "chr",
        "divmod",
        "enumerate",
        "filter",
        "float",
        "format",
        "getattr",
        "hasattr",
        "hash",
        "id",
        "int",
        "isinstance",
        "issubclass",
        "iter",
        "len",
        "list",
        "map",
        "max",
        "min",
        "ord",
        "pow",
        "range",
        "repr",
        "reversed",
        "round",
        "sorted",
        "sum",
        "tuple",
        "zip",
        "__build_class__",
    ]
)
CONTAINERS = (list, dict, tuple, set, frozenset, str, bytes, int, float, complex, range, type)
PURE_MODULES = ("math", "cmath", "operator", "_operator", "_functools", "itertools", "_abc")
LEAVING = (
    "item",
    "tolist",
    "numpy",
    "__array__",
    "__float__",
    "__int__",
    "__complex__",
    "__index__",
    "data_ptr",
    "__format__",
    "__repr__",
    "__contains__",
    "__deepcopy__",
    "__reduce_ex__",
    "storage",
    "untyped_storage",
    "__dlpack__",
    "retain_grad",
    "share_memory_",
)


class Calls:
    """A profile function: `codes` are the user's code objects that ran, with their globals."""

    def __init__(self, recorder: Any):
        self.recorder = recorder
        self.codes: dict[CodeType, dict[Any, Any]] = {}
        self.ours: set[str] = set()  # the files of rushlight and NumPy

    def __call__(self, frame: Any, event: str, arg: Any) -> None:
        """Called for each call; most are those of rushlight's own code."""
        filename = frame.f_code.co_filename
        if filename in self.ours:
            return
        if whose(filename) == OURS:
            self.ours.add(filename)
        elif event == "call":
            if whose(filename) == USER and not is_incidental(frame):
                self.codes[frame.f_code] = frame.f_globals
        elif event == "c_call" and asked_by_user(frame) and not is_pure(arg) and not is_incidental(frame):
            self.recorder.give_up(f"{getattr(arg, '__qualname__', arg)} is called, of which nothing is known")


def is_incidental(frame: Any) -> bool:
    """Whether code runs incidentally: in an import, or generated for a class of rushlight's."""
    if frame.f_code.co_filename == "<string>" and not asked_by_user(frame.f_back):
        return True
    while frame is not None and not frame.f_code.co_filename.endswith(CALLER):
        if "importlib" in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False


def asked_by_user(frame: Any) -> bool:
    """Whether code is the user's, or Python's own code that the user's called."""
    if frame is not None and frame.f_code.co_filename == contextlib.__file__:
        context = getattr(frame.f_locals.get("self"), "gen", None)
        if not isinstance(context, GeneratorType) or whose(context.gi_code.co_filename) == OURS:
            return False  # a context of rushlight's: compiled code that enters it has no frame
    while frame is not None and whose(frame.f_code.co_filename) == PYTHON:
        frame = frame.f_back
    return frame is not None and whose(frame.f_code.co_filename) == USER


CALLER = os.path.join("compiler", "compiled.py")


def is_alone() -> bool:
    """Whether no other thread is running the user's code; threads of progress bars, for example, only wait."""
    if active_count() == 1:
        return True
    me = get_ident()
    for thread, top in sys._current_frames().items():
        frame: Any = top
        while thread != me and frame is not None:
            name = frame.f_code.co_filename
            if name.startswith(HERE) or not (whose(name) == PYTHON or "-packages" + os.sep in name):
                return False
            frame = frame.f_back
    return True


def may_watch() -> bool:
    """Whether calls can be watched now: not while a profiler watches them, or another thread is running."""
    return sys.getprofile() is None and is_alone()


def is_pure(function: Any) -> bool:
    """Whether a C function only computes, or changes only the container that it belongs to."""
    owner = getattr(function, "__self__", None)
    module = getattr(function, "__module__", None) or ""
    if not isinstance(function, BuiltinFunctionType):
        return True  # a compiled function of rushlight, or a class
    if isinstance(owner, CONTAINERS):
        return True
    name = getattr(owner, "__name__", "") if owner is not None else module
    if name == "builtins":
        return function.__name__ in BUILTINS
    if name.startswith(("rushlight", "numpy")) or module.startswith(("rushlight", "numpy")):
        return "random" not in name + module
    if type(owner).__module__.startswith(("rushlight", "numpy")):
        return "random" not in type(owner).__module__
    return name in PURE_MODULES or (type(owner).__module__ in ("collections", "builtins") and owner is not sys.stdout)


@contextmanager
def told_of_values(recorder: Any) -> Iterator[None]:
    """A context in which the recorder is told of values that leave as numbers or conditions."""
    originals = {name: vars(Tensor)[name] for name in (*LEAVING, "__bool__") if name in vars(Tensor)}
    try:
        for name, original in originals.items():
            setattr(Tensor, name, tapped(recorder, name, original))
        yield
    finally:
        for name, original in originals.items():
            setattr(Tensor, name, original)


@contextmanager
def watched(recorder: Any) -> Iterator[Any]:
    """A context in which the recorder is told of code that runs and of values that leave the graph.

    Garbage collection is paused meanwhile, since finalizers do not belong to the call.
    """
    calls = Calls(recorder)
    with WithoutCollections():
        sys.setprofile(calls)
        try:
            with told_of_values(recorder):
                yield calls
        finally:
            if sys.getprofile() is calls:  # else the call has set another
                sys.setprofile(None)


@contextmanager
def line_of_change(code: CodeType | None, places: list[Any]) -> Iterator[list[int]]:
    """A context that finds the line of some code after which places hold something else than before."""
    found: list[int] = []
    last = 0

    def look(frame: Any, event: str, arg: Any) -> Any:
        nonlocal last
        if not found and last and not all(place.holds() for place in places):
            found.append(last)
        last = frame.f_lineno
        return look

    if code is None or not places or sys.gettrace() is not None:
        yield found
        return

    def enter(frame: Any, event: str, arg: Any) -> Any:
        return look if frame.f_code is code else None

    sys.settrace(enter)
    try:
        yield found
    finally:
        if sys.gettrace() is enter:
            sys.settrace(None)


def tapped(recorder: Any, name: str, original: Any) -> Any:
    """A method of tensors that reports its calls to the recorder."""
    if name == "__bool__":

        def truth(self: Any) -> Any:
            answer = original(self)
            if recorder.looks_on():
                recorder.truth(self, answer)
            return answer

        return truth

    def leaving(self: Any, *args: Any, **kwargs: Any) -> Any:
        if name == "item" and recorder.looks_on() and not recorder.stepping:
            return recorder.left(self, original(self, *args, **kwargs))
        if get_ident() == recorder.thread and not recorder.stepping:
            recorder.give_up(f"{name}() takes a value out of the program")
        return original(self, *args, **kwargs)

    return leaving
