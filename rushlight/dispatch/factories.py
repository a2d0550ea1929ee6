"""Factory functions in modes with `__torch_dispatch__`: calls that make tensors, as PyTorch's dispatcher has them."""

from typing import Any

from rushlight.core.graph import TensorBase
from rushlight.core.placing import tensors_of
from rushlight.devices import device_of
from rushlight.dispatch.recorded import is_usual
from rushlight.ops.arguments.options import require_grad, sizes
from rushlight.ops.aten_namespace import aten
from rushlight.ops.overloads import OpOverload

__all__ = ["OF_DATA", "factory_call", "lifted", "makes_tensors", "with_gradients"]

Call = tuple[OpOverload, tuple[Any, ...], dict[str, Any]]  # a function, its arguments by position and by name

# The positional arguments of each function; `*size` may be given as numbers.
ARGUMENTS = {
    **dict.fromkeys(("empty", "ones", "rand", "randn", "zeros"), "*size"),
    **dict.fromkeys(("new_empty", "new_ones", "new_zeros"), "self *size"),
    **dict.fromkeys(("empty_like", "ones_like", "rand_like", "randn_like", "zeros_like"), "input"),
    **dict.fromkeys(("arange", "range"), "start end step"),
    **dict.fromkeys(("tril_indices", "triu_indices"), "row col offset"),
    "empty_permuted": "size physical_layout",
    "empty_strided": "size stride",
    "eye": "n m",
    "full": "size fill_value",
    "full_like": "input fill_value",
    "linspace": "start end steps",
    "logspace": "start end steps base",
    "new_full": "self size fill_value",
    "normal": "mean std size",
    "randint": "low high size",
    "randint_like": "input low high",
    "randperm": "n",
    "scalar_tensor": "s",
}
# The overload for each number of positional arguments that has not "default".
OVERLOADS = {
    ("arange", 2): "start",
    ("arange", 3): "start_step",
    ("empty", 1): "memory_format",
    ("eye", 2): "m",
    ("normal", 3): "float_float",
    ("randint", 3): "low",
    ("randint_like", 3): "low_dtype",
    ("range", 2): "step",
    ("range", 3): "step",
}
OF_DATA = ("as_tensor", "asarray", "data_like", "from_numpy", "tensor")  # they copy, or share, what is no tensor yet
LISTS = ("size", "stride", "physical_layout")


def makes_tensors(function: Any) -> bool:
    """Whether a function is a factory function of torch, or a method of Tensor, rather than one of such a name."""
    name, home = function.__name__, str(function.__module__)
    return (name in ARGUMENTS or name in OF_DATA) and (home == "rushlight" or home.startswith("rushlight.ops."))


def factory_call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call | None:
    """The dispatcher's call for that of a factory function; None if it has no such call."""
    name = function.__name__
    if not is_usual((*args, *kwargs.values())):
        return None
    options = {key: value for key, value in kwargs.items() if value is not None and key != "requires_grad"}
    values = positional(name, args, options)
    if name == "normal" and (len(values) < 3 or any(isinstance(value, TensorBase) for value in values)):
        return None
    overload = OVERLOADS.get((name, len(values)), "default")
    if "out" in options:
        overload = "out" if overload in ("default", "memory_format") else f"{overload}_out"
        options = {"out": options["out"]}
    else:
        if "generator" in options:
            overload = "generator" if overload == "default" else f"{overload.removesuffix('_dtype')}_generator"
        options.setdefault("pin_memory", False)
        if "like" not in name and not name.startswith("new_"):
            options["device"] = device_of(options.get("device"))
    if overload not in getattr(aten, name).overloads():
        return None
    return getattr(getattr(aten, name), overload), tuple(values), options


def positional(name: str, args: tuple[Any, ...], options: dict[str, Any]) -> list[Any]:
    """The positional arguments of a call, which are taken out of the options, with lists of sizes."""
    parameters = ARGUMENTS[name].split()
    if parameters[-1] == "*size":
        before = len(parameters) - 1
        return [*args[:before], list(sizes(name, args[before:], options.pop("size", None)))]
    if name == "randint" and len(args) + len(options.keys() & set(parameters)) < 3:
        parameters = ["high", "size"]
    values = [*args, *[options.pop(key) for key in parameters[len(args) :] if key in options]]
    lists = [len(parameters) > i and parameters[i] in LISTS for i in range(len(values))]
    return [list(value) if is_list else value for value, is_list in zip(values, lists, strict=True)]


def lifted(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call | None:
    """The dispatcher's call for a new tensor of data; None for what is a tensor, or has one in it."""
    data = args[1:] if function.__name__ == "data_like" else args
    if tensors_of((*data, *kwargs.values())):
        return None
    options = {key: value for key, value in kwargs.items() if key != "requires_grad"}
    return aten.lift_fresh.default, (function(*args, **options),), {}


def with_gradients(tensor: Any, kwargs: dict[str, Any]) -> Any:
    """The result of a call, which requires gradients if that was asked for."""
    return require_grad(tensor) if kwargs.get("requires_grad") else tensor
