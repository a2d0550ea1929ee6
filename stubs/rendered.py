"""Types and defaults as text."""

import inspect
import types
import typing
from collections.abc import Callable
from typing import Any

KNOWN = {
    "rushlight.tensors.Tensor": "Tensor",
    "rushlight.dtypes.dtype": "_dtype",
    "rushlight.devices.device": "_device",
    "rushlight.layouts.layout": "_layout",
    "rushlight.layouts.memory_format": "_memory_format",
    "rushlight.size.Size": "Size",
    "rushlight.core.hooks.RemovableHandle": "_RemovableHandle",
    "rushlight.random.generator.Generator": "_Generator",
    "collections.abc.Sequence": "Sequence",
    "collections.abc.Callable": "Callable[..., Any]",
    "typing.Any": "Any",
    "numpy.ndarray": "np.ndarray",
    "os.PathLike": "_PathLike",
    "typing.Self": "Tensor",
}
NUMBER = "_int | _float | _complex"
BUILTINS = ("bool", "bytes", "complex", "dict", "float", "int", "list", "set", "str", "tuple", "type")


def rendered(kind: Any) -> str:
    """A type as the stubs write it; `Any` for one that they do not name."""
    if kind is None or kind is type(None):
        return "None"
    if isinstance(kind, str):
        return "Tensor" if kind in ("Tensor", "Self") else "Any"
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        parts = list(dict.fromkeys(rendered(argument) for argument in arguments))
        return "Any" if "Any" in parts else " | ".join(parts)
    if origin is Callable:
        return "Callable[..., Any]"
    if origin is not None and arguments:
        inner = ", ".join("..." if argument is ... else rendered(argument) for argument in arguments)
        return f"{rendered(origin)}[{inner}]"
    if kind is object:
        return "_object"
    for cls in getattr(kind, "__mro__", (kind, object))[:-1]:  # without object, which all classes are
        name = f"{getattr(cls, '__module__', '')}.{getattr(cls, '__qualname__', cls)}"
        if name in KNOWN:
            return KNOWN[name]
        if "return_types." in name:
            return f"return_types.{cls.__name__}"
        if name.startswith("builtins.") and cls.__name__ in BUILTINS[:-1]:
            return f"_{cls.__name__}"
    return "Any"


def declared(function: Callable, own: bool, kind: str) -> str:
    """The parameters of a function, as it is annotated, and its result; `own`: it is a method, its first is `self`."""
    parameters = list(inspect.signature(function, eval_str=True).parameters.values())
    texts, keyword_only = ["self"] if own else [], False
    for parameter in parameters[own:]:
        text = "Any" if parameter.annotation is parameter.empty else rendered(parameter.annotation)
        default = "" if parameter.default is parameter.empty else " = ..."
        if parameter.kind is parameter.VAR_POSITIONAL:
            texts.append(f"*{parameter.name}: {text}")
            keyword_only = True
        elif parameter.kind is parameter.VAR_KEYWORD:
            texts.append(f"**{parameter.name}: Any")
        else:
            if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
                texts.append("*")
                keyword_only = True
            texts.append(f"{parameter.name}: {text}{default}")
    return f"({', '.join(texts)}) -> {kind}"


def result(function: Callable) -> str:
    """The type of a function's result: a tensor where nothing is said."""
    annotation = getattr(function, "__annotations__", {}).get("return", ...)
    if isinstance(annotation, str):  # of a compiled function
        annotation = eval(annotation, inspect.unwrap(function).__globals__)
    return "Tensor" if annotation is ... else rendered(annotation)
