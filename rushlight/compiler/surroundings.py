"""What a function reads besides its arguments: globals, closures, attributes of objects. All are guarded.

The names in the code that runs determine where to look: from the function on, through globals, closures, defaults and
those attributes of objects that have one of the names, down to numbers, strings, tensors and functions. Each place is
recorded with what it holds. A call that finds the same everywhere reads the same; a call after which it differs has
changed something outside of the function, and cannot be replayed.
"""

import sys
from dis import get_instructions
from functools import cache
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from rushlight.compiler.codes import AT_INDEX, ATTRIBUTE, CELL, IN_DICT, LENGTH
from rushlight.compiler.guards import MISSING, Place, content_of
from rushlight.compiler.memories import Unrecordable
from rushlight.compiler.replaying import Replayer
from rushlight.core.graph import TensorBase
from rushlight.core.lines import is_users
from rushlight.dtypes import dtype as DType
from rushlight.nn.modules.module import Module
from rushlight.optim.optimizer import Optimizer
from rushlight.random import Generator

MOST = 20_000  # the most places that are recorded
SIMPLE = (int, float, complex, str, bytes, bool, type(None), type(Ellipsis), DType, np.dtype, np.generic, slice, range)
HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")


class Surroundings:
    """The places that a function reads, and the tensors in them."""

    def __init__(self, roots: list[Any], codes: dict[CodeType, dict[Any, Any]]):
        self.places: list[Place] = []
        self.tensors: dict[int, TensorBase] = {}
        self.seen: dict[int, Any] = {}
        self.codes: dict[CodeType, dict[Any, Any]] = dict(codes)
        self.known: set[CodeType] = set()  # all code that was examined
        self.names: set[str] = set()
        for code in codes:
            self.add_names(code)
        n = -1
        while n != (n := len(self.names)):  # newly found code has names of its own
            self.places.clear()
            self.seen.clear()
            for root in roots:
                self.look_at(root)
            for code, namespace in list(self.codes.items()):
                self.look_at_globals(code, namespace)

    def add_names(self, code: CodeType) -> None:
        """Adds the names in a code object and its nested ones."""
        self.known.add(code)
        self.names.update(code.co_names)
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self.add_names(constant)

    def note(self, kind: int, holder: Any, key: Any, value: Any) -> None:
        """Records what a place holds, and examines that."""
        if len(self.places) > MOST:
            raise Unrecordable("it can reach too many objects to look at all of them before each call")
        self.put(kind, holder, key, value)
        self.look_at(value)

    def put(self, kind: int, holder: Any, key: Any, value: Any) -> None:
        """Records what a place holds."""
        self.places.append(Place(kind, holder, key, value, isinstance(value, (*SIMPLE, MethodType))))

    def look_at(self, value: Any) -> None:
        """Examines an object: what it consists of, and what may be read from it."""
        if isinstance(value, SIMPLE) or id(value) in self.seen:
            return
        self.seen[id(value)] = value
        if isinstance(value, TensorBase):
            self.tensors[id(value)] = value
        elif isinstance(value, Module):
            self.look_at_module(value)
        elif isinstance(value, Optimizer):
            self.look_at_optimizer(value)
        elif isinstance(value, FunctionType):
            self.look_at_function(value)
        elif isinstance(value, MethodType):
            self.look_at(value.__func__)
            self.look_at(value.__self__)
        elif isinstance(value, Replayer):
            self.look_at(value.function)
        elif isinstance(value, (list, tuple)):
            self.put(LENGTH, value, None, len(value))
            for i, item in enumerate(value):
                self.note(AT_INDEX, value, i, item)
        elif isinstance(value, dict):
            self.put(LENGTH, value, None, len(value))
            for key, item in list(value.items()):
                self.look_at(key)
                self.note(IN_DICT, value, key, item)
        elif isinstance(value, (set, frozenset)):
            self.put(LENGTH, value, None, len(value))
            for item in value:
                self.look_at(item)
        elif isinstance(value, type):
            self.look_at_class(value)
        elif isinstance(value, ModuleType):
            if not is_library(value.__name__):
                self.look_at_names(value.__dict__)
        elif isinstance(value, np.ndarray):
            if value.size > 4096 or value.dtype.hasobject:
                raise Unrecordable("it can reach a NumPy array, of which changes cannot be seen: make it a tensor")
            self.put(ATTRIBUTE, value, "tobytes", value.tobytes())
        elif isinstance(value, (Generator, BuiltinFunctionType, CodeType, np.ufunc)):
            pass
        elif hasattr(value, "__next__"):
            raise Unrecordable(f"it can reach an iterator ({type(value).__name__}), which may go on: pass its items")
        else:
            self.look_at_object(value)

    def look_at_function(self, function: FunctionType) -> None:
        """Examines a function: its code, defaults, closure and globals."""
        if not is_users(function.__code__.co_filename):
            closure = function.__closure__ or ()
            for cell in closure:  # what rushlight's decorators wrap
                if isinstance(content := content_of(cell), (FunctionType, MethodType)):
                    self.look_at(content)
            return
        self.put(ATTRIBUTE, function, "__code__", function.__code__)
        self.note(ATTRIBUTE, function, "__defaults__", function.__defaults__)
        self.note(ATTRIBUTE, function, "__kwdefaults__", function.__kwdefaults__)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self.note(CELL, cell, name, content_of(cell))
        if function.__code__ not in self.codes:
            self.codes[function.__code__] = function.__globals__
            self.add_names(function.__code__)
        self.look_at_globals(function.__code__, function.__globals__)

    def look_at_globals(self, code: CodeType, namespace: dict[Any, Any]) -> None:
        """Examines the globals that a code object names."""
        for name in globals_of(code):
            if name in namespace and not name.startswith("__"):
                self.note(IN_DICT, namespace, name, namespace[name])

    def look_at_names(self, attributes: dict[Any, Any]) -> None:
        """Examines the attributes that are named in code."""
        for name in self.names & attributes.keys():
            self.note(IN_DICT, attributes, name, attributes[name])

    def look_at_class(self, cls: type) -> None:
        """Examines what is named in code of a user's class and its bases."""
        for base in cls.__mro__:
            if is_library(base.__module__):
                continue
            for name in self.names & vars(base).keys():
                value = vars(base)[name]
                if isinstance(value, (staticmethod, classmethod)):
                    value = value.__func__
                elif isinstance(value, property):
                    for part in (value.fget, value.fset):
                        self.look_at(part)
                    continue
                if isinstance(value, (*SIMPLE, FunctionType, list, dict, tuple)):
                    self.put(ATTRIBUTE, base, name, getattr(base, name))
                self.look_at(value)

    def look_at_module(self, module: Module) -> None:
        """Examines all that a module has: parameters, buffers, submodules, hooks, options."""
        self.look_at(type(module))
        for name, value in list(vars(module).items()):
            if (
                name in ("_parameters", "_buffers", "_modules")
                or isinstance(value, SIMPLE)
                or name in HOOKS
                or name in self.names
                or isinstance(value, (TensorBase, list, tuple, dict))
            ):
                self.note(IN_DICT, vars(module), name, value)
        forward = getattr(type(module), "forward", None)
        if isinstance(forward, FunctionType):
            self.look_at(forward)

    def look_at_optimizer(self, optimizer: Optimizer) -> None:
        """Examines an optimizer: its parameters. Its options are read again at each step."""
        self.look_at(type(optimizer))
        groups = optimizer.param_groups
        if "param_groups" in self.names or "defaults" in self.names or "state" in self.names:
            self.note(IN_DICT, vars(optimizer), "param_groups", groups)
            return
        self.put(LENGTH, groups, None, len(groups))
        for i, group in enumerate(groups):
            self.put(AT_INDEX, groups, i, group)
            self.note(IN_DICT, group, "params", group["params"])

    def look_at_object(self, value: Any) -> None:
        """Examines any other object: the attributes that are named in code."""
        self.look_at(type(value))
        attributes = getattr(value, "__dict__", None)
        if attributes is None:
            for name in self.names:
                if hasattr(type(value), name) and not callable(getattr(type(value), name)):
                    held = getattr(value, name, MISSING)
                    if isinstance(held, SIMPLE):
                        self.put(ATTRIBUTE, value, name, held)
        elif is_library(type(value).__module__):
            for name, held in list(attributes.items()):
                self.note(IN_DICT, attributes, name, held)
        else:
            self.put(LENGTH, attributes, None, len(attributes))
            self.look_at_names(attributes)


@cache
def globals_of(code: CodeType) -> frozenset[str]:
    """The globals that a code object and its nested ones read or set."""
    names = {one.argval for one in get_instructions(code) if "GLOBAL" in one.opname or one.opname == "LOAD_NAME"}
    return frozenset(names).union(*[globals_of(one) for one in code.co_consts if isinstance(one, CodeType)])


def is_library(module: str | None) -> bool:
    """Whether a module is not the user's: it is rushlight's, NumPy's or Python's."""
    top = (module or "builtins").partition(".")[0]
    return top in ("rushlight", "numpy", "torch") or top in sys.stdlib_module_names
