"""The text of each stub."""

import inspect
from collections.abc import Callable
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from types import ModuleType
from typing import Any

import rushlight
from rushlight import Tensor, return_types, tensors
from rushlight.core.graph import FIELDS, TensorBase
from rushlight.ops import late_methods
from stubs.recorded import forms
from stubs.rendered import declared, rendered, result

for module in late_methods.METHODS:  # which enter their methods in the class
    import_module(f"rushlight.{module}")

HEAD = '''"""Written by `python -m stubs`: do not edit."""

# mypy: disable-error-code="overload-cannot-match, override"
# pyright: reportOverlappingOverload=false, reportIncompatibleMethodOverride=false

from builtins import bool as _bool, complex as _complex, dict as _dict, float as _float, int as _int, list as _list
from builtins import object as _object, set as _set, str as _str, tuple as _tuple, bytes as _bytes
from collections.abc import Callable, Sequence
from os import PathLike as _PathLike
from typing import Any, Self, overload

import numpy as np

from rushlight import return_types as return_types
from rushlight.core.hooks import RemovableHandle as _RemovableHandle
from rushlight.devices import device as _device
from rushlight.dtypes import dtype as _dtype
from rushlight.layouts import layout as _layout
from rushlight.layouts import memory_format as _memory_format
from rushlight.random import Generator as _Generator
from rushlight.size import Size as Size
'''
FOLDER = Path(rushlight.__file__).parent
ATTRIBUTES = {
    "data": "Tensor",
    "device": "_device",
    "dtype": "_dtype",
    "grad": "Tensor | None",
    "grad_fn": "Any",
    "grad_dtype": "_dtype | None",
    "is_leaf": "_bool",
    "itemsize": "_int",
    "layout": "_layout",
    "name": "_str | None",
    "nbytes": "_int",
    "ndim": "_int",
    "output_nr": "_int",
    "requires_grad": "_bool",
    "retains_grad": "_bool",
    "shape": "Size",
    "volatile": "_bool",
}
WRITTEN_TO = ("data", "grad", "name", "requires_grad", "volatile")
OF_TWO = (
    "lt",
    "le",
    "gt",
    "ge",
    "eq",
    "ne",
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "matmul",
    "and",
    "or",
    "xor",
    "lshift",
    "rshift",
)
NAMES_OF_SELF = ("__neg__", "__pos__", "__abs__", "__invert__")
PLAIN = {
    "__bool__": "_bool",
    "__float__": "_float",
    "__int__": "_int",
    "__complex__": "_complex",
    "__index__": "_int",
    "__len__": "_int",
}


BY_HAND = {  # forms whose results differ, which an annotation cannot say
    "Tensor.size": ["(self) -> Size", "(self, dim: _int) -> _int"],
    "Tensor.stride": ["(self) -> _tuple[_int, ...]", "(self, dim: _int) -> _int"],
    "Tensor.item": ["(self) -> _int | _float | _bool"],
    "Tensor.tolist": ["(self) -> Any"],
    "Tensor.nonzero": ["(self) -> Tensor", "(self, *, as_tuple: _bool) -> Any"],
    ".get_rng_state": ["() -> Tensor"],
    ".nonzero": ["(input: Tensor) -> Tensor", "(input: Tensor, *, as_tuple: _bool) -> Any"],
    ".as_tensor": ["(data: Any, dtype: _dtype | None = ..., device: _device | _str | _int | None = ...) -> Tensor"],
    ".where": [
        "(condition: Tensor) -> _tuple[Tensor, ...]",
        "(condition: Tensor, input: Any, other: Any, *, out: Tensor | None = ...) -> Tensor",
    ],
    "Tensor.dense_dim": ["(self) -> _int"],
    "Tensor.sparse_dim": ["(self) -> _int"],
    "Tensor.is_coalesced": ["(self) -> _bool"],
    "Tensor.is_set_to": ["(self, tensor: Tensor) -> _bool"],
    "Tensor.storage": ["(self) -> Any"],
    "Tensor.storage_type": ["(self) -> Any"],
    "Tensor.untyped_storage": ["(self) -> Any"],
    "Tensor.unique": [
        "(self, sorted: _bool = ..., *, dim: _int | None = ...) -> Tensor",
        "(self, sorted: _bool = ..., return_inverse: _bool = ..., return_counts: _bool = ..., dim: _int | None = ...)"
        " -> Tensor | _tuple[Tensor, ...]",
    ],
    "Tensor.where": ["(self, condition: Tensor, other: Any) -> Tensor"],
}
for _name in (".atleast_1d", ".atleast_2d", ".atleast_3d"):
    BY_HAND[_name] = [
        "(tensor: Tensor, /) -> Tensor",
        "(tensors: Sequence[Tensor], /) -> _tuple[Tensor, ...]",
        "(first: Tensor, second: Tensor, /, *tensors: Tensor) -> _tuple[Tensor, ...]",
    ]


def definition(name: str, place: str, function: Callable, indent: str = "") -> str:
    """A function or method, once for each form in which it can be called."""
    function = inspect.unwrap(function)
    own = place.startswith("Tensor.")
    kind = result(function)
    if kind == "Tensor" and hasattr(return_types, name):
        kind = f"Tensor | return_types.{name}"
    if own and kind == "Tensor" and name.endswith("_"):
        kind = "Self"
    found = BY_HAND.get(place) or forms(place, kind, takes_options(function)) or [declared(function, own, kind)]
    mark = f"{indent}@overload\n" if len(found) > 1 else ""
    return "".join(f"{mark}{indent}def {name}{form}: ...\n" for form in found)


def takes_options(function: Callable) -> bool:
    """Whether a function has parameters that it does not name."""
    kinds = [parameter.kind for parameter in inspect.signature(function).parameters.values()]
    return inspect.Parameter.VAR_KEYWORD in kinds


def entered_names() -> str:
    """`rushlight/__init__.pyi`: everything that the top level has."""
    modules, others, functions = [], [], []
    for name in public_names():
        value = getattr(rushlight, name)
        if isinstance(value, ModuleType):
            modules.append(f"from rushlight import {name} as {name}\n")
        elif isinstance(value, type):
            others.append(f"from {value.__module__} import {value.__name__} as {name}\n")
        elif inspect.isroutine(value):
            functions.append(definition(name, f".{name}", value))
        else:
            others.append(f"{name}: {rendered(type(value))}\n")
    imports = sorted([*modules, *(line for line in others if line.startswith("from "))])
    constants = [line for line in others if not line.startswith("from ")]
    return "".join([HEAD, *dict.fromkeys(imports), "\n__version__: _str\n", *constants, "\n", *functions])


def public_names() -> list[str]:
    """The names of the top level; last those that load sparse tensors, which take over the calls of functions."""
    names = [name for name in dir(rushlight) if not name.startswith("_") and not iskeyword(name)]
    late = {name: getattr(rushlight, name) for table in late_methods.FUNCTIONS.values() for name in table}
    names += [name for name, value in (vars(rushlight) | late).items() if name[:1] == "_" and is_entered(value)]
    return sorted(set(names), key=lambda name: ("sparse" in rushlight._HOMES.get(name, name), name))


def is_entered(value: Any) -> bool:
    """Whether a value is a function of one of the operators' rooms."""
    module = getattr(value, "__module__", None) or ""
    return inspect.isroutine(value) and module.startswith(("rushlight.ops", "rushlight.linalg", "rushlight.nn"))


def tensor_methods() -> str:
    """`rushlight/tensors.pyi`: the class of tensors with all of its methods, and the functions beside it."""
    known = [attribute(name, kind, name in WRITTEN_TO) for name, kind in ATTRIBUTES.items() if hasattr(Tensor, name)]
    names = sorted(set(dir(Tensor)) - set(ATTRIBUTES) - FIELDS)
    members = [member(name, inspect.getattr_static(Tensor, name)) for name in names if not name.startswith("_")]
    lines = [*known, *special_methods(), *members]
    written = {line.strip().partition("(")[0].removeprefix("def ") for line in lines}
    left_out = ("__annotations__", "__setstate__")  # the compiled base has the latter, the uncompiled one has not
    kept = [name for name in names if name[:1] == "_" and name not in left_out and not hasattr(TensorBase, name)]
    lines += [f"    {name}: Any\n" for name in kept if name not in written]
    functions = sorted(beside(name, value) for name, value in vars(tensors).items() if is_beside(value))
    return "".join(
        [HEAD, "from rushlight.core.graph import TensorBase\n\n", "class Tensor(TensorBase):\n", *lines, *functions]
    )


def special_methods() -> list[str]:
    """The methods of tensors that Python's syntax and NumPy call."""
    lines = [
        "    def __init__(self, *args: Any, **kwargs: Any) -> None: ...\n",
        "    def __getitem__(self, index: Any) -> Tensor: ...\n",
        "    def __setitem__(self, index: Any, value: Any) -> None: ...\n",
        "    def __iter__(self) -> Any: ...\n",
        "    def __contains__(self, element: Any) -> _bool: ...\n",
        "    def __array__(self, dtype: Any = ..., copy: Any = ...) -> np.ndarray: ...\n",
        *[f"    def {name}(self) -> {kind}: ...\n" for name, kind in PLAIN.items()],
        *[f"    def {name}(self) -> Tensor: ...\n" for name in NAMES_OF_SELF],
    ]
    for name in OF_TWO:
        for form, kind in ((f"__{name}__", "Tensor"), (f"__r{name}__", "Tensor"), (f"__i{name}__", "Self")):
            if hasattr(Tensor, form) or form == "__rmatmul__":  # the compiled class alone has a slot for that
                lines.append(f"    def {form}(self, other: Any) -> {kind}: ...\n")
    return lines


def attribute(name: str, kind: str, is_written_to: bool) -> str:
    """An attribute of tensors: one that can be set, or a property."""
    return f"    {name}: {kind}\n" if is_written_to else f"    @property\n    def {name}(self) -> {kind}: ...\n"


def member(name: str, value: Any) -> str:
    """An attribute of the class of tensors."""
    if isinstance(value, property) or inspect.isgetsetdescriptor(value) or inspect.ismemberdescriptor(value):
        getter = getattr(value, "fget", None)
        kind = "Any" if getter is None else result(inspect.unwrap(getter))
        return attribute(name, kind, getattr(value, "fset", None) is not None)
    if isinstance(value, (classmethod, staticmethod)):
        mark = type(value).__name__
        first = "cls, " if mark == "classmethod" else ""
        return f"    @{mark}\n    def {name}({first}*args: Any, **kwargs: Any) -> Any: ...\n"
    if inspect.isroutine(value):
        return definition(name, f"Tensor.{name}", value, "    ")
    return f"    {name}: {rendered(type(value))}\n"


def is_beside(value: Any) -> bool:
    """Whether something in the module of tensors was made there, or given to it, and is not the class of tensors."""
    made_here = getattr(value, "__module__", "") == "rushlight.tensors"
    return value is tensors.constructed or (value is not Tensor and made_here)


def beside(name: str, value: Callable) -> str:
    """A function or class that stands beside the class of tensors."""
    if isinstance(value, type):
        return f"{name}: Any\n"
    return f"def {name}{declared(inspect.unwrap(value), False, result(inspect.unwrap(value)))}: ...\n"


FILES: dict[Path, Callable[[], str]] = {
    FOLDER / "tensors.pyi": tensor_methods,
    FOLDER / "__init__.pyi": entered_names,
}
