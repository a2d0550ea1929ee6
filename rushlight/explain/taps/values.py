"""Values that leave the graph, data that comes in, and tensor attributes that users read and set."""

import sys
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any
from weakref import ref

import rushlight
from rushlight.core.graph import TensorBase
from rushlight.core.kinds import kind_of
from rushlight.core.lines import is_users
from rushlight.explain.origins import info_of
from rushlight.explain.taps.replacing import replaced
from rushlight.nn import functional
from rushlight.nn.parameter import Parameter
from rushlight.ops.making import conversion, from_data
from rushlight.ops.picking import indexing
from rushlight.tensors import Tensor

FACTORIES = "tensor as_tensor from_numpy asarray load full full_like arange linspace normal".split()
BLANKS = "rand rand_like randn randn_like randint randperm zeros zeros_like ones ones_like eye".split()  # without data


def tap_values(stack: ExitStack, watch: Any) -> None:
    """Reports values that leave the graph as tensors, numbers or arrays, and tensor attributes that are read or set."""
    as_tensors(stack, watch)
    as_told(stack, watch)
    as_numbers(stack, watch)
    as_attributes(stack, watch)


def as_tensors(stack: ExitStack, watch: Any) -> None:
    """Reports values that continue as tensors without history."""

    def detach(original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(self: Tensor) -> Any:
            result = original(self)
            watch.left_graph(self, "detach", result)
            return result

        return wrapped

    def convert(original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(input: Tensor, dtype: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(input, dtype, *args, **kwargs)
            if kind_of(dtype) in "biu" and result is not input:
                watch.left_graph(input, "integer", result, f"a cast to {dtype}")
            return result

        return wrapped

    def encode(original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(tensor: Tensor, *args: Any, **kwargs: Any) -> Any:
            result = original(tensor, *args, **kwargs)
            watch.left_graph(tensor, "integer", result, "one_hot()")
            return result

        return wrapped

    def parameter(original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(self: Any, data: Any = None, *args: Any, **kwargs: Any) -> None:
            original(self, data, *args, **kwargs)
            if isinstance(data, TensorBase) and data.requires_grad:
                watch.left_graph(data, "Parameter", self)

        return wrapped

    replaced(stack, Parameter, "__init__", parameter)
    replaced(stack, Tensor, "detach", detach)
    replaced(stack, conversion, "convert", convert)
    replaced(stack, functional, "one_hot", encode)


def as_told(stack: ExitStack, watch: Any) -> None:
    """Reports calls that show what their arguments are meant to be."""

    def divergence(original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(input: Tensor, target: Tensor, *args: Any, log_target: bool = False, **kwargs: Any) -> Any:
            watch.readings.of_divergence(input, watch.sites.here())
            return original(input, target, *args, log_target=log_target, **kwargs)

        return wrapped

    def pick(original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(input: Tensor, key: Any, *args: Any) -> Any:
            watch.readings.places([info_of(item) for item in (key if isinstance(key, tuple) else (key,))])
            return original(input, key, *args)

        return wrapped

    def liken(original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(x1: Tensor, x2: Tensor, *args: Any, **kwargs: Any) -> Any:
            result = original(x1, x2, *args, **kwargs)
            watch.ledger.ways.attracts(x1, x2, result, watch.sites.here())
            return result

        return wrapped

    replaced(stack, functional, "cosine_similarity", liken)
    replaced(stack, indexing, "viewed_and_arrays", pick)
    replaced(stack, functional, "kl_div", divergence)


def as_numbers(stack: ExitStack, watch: Any) -> None:
    """Reports conversions to numbers or arrays, and tensors made from those."""

    def number(how: str, name: str = "") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def wrapped(self: Tensor, *args: Any, **kwargs: Any) -> Any:
                if not watch.here.still:
                    watch.left_graph(self, how, name=name)
                return original(self, *args, **kwargs)

            return wrapped

        return make

    def new_array(original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(data: Any, dtype: Any) -> Any:
            for item in data if isinstance(data, (list, tuple)) else (data,):
                if isinstance(item, TensorBase):
                    watch.left_graph(item, "torch.tensor")
            with watch.here.quiet():
                return original(data, dtype)

        return wrapped

    def factory(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def wrapped(*args: Any, **kwargs: Any) -> Any:
                result = original(*args, **kwargs)
                watch.made(result, name)
                return result

            return wrapped

        return make

    for name in FACTORIES:
        replaced(stack, rushlight, name, factory("made"))
    for name in BLANKS:
        replaced(stack, rushlight, name, factory("blank"))
    for name in ("item", "tolist", "numpy"):
        replaced(stack, Tensor, name, number(name))
    for cls in (float, int, complex):
        replaced(stack, Tensor, f"__{cls.__name__}__", number("item", cls.__name__))
    replaced(stack, from_data, "new_array", new_array)


def as_attributes(stack: ExitStack, watch: Any) -> None:
    """Reports the use of `.data`, which shares memory unseen, and of `.grad`."""

    def get_data(original: Any) -> property:
        def getter(self: Tensor) -> Any:
            result = original.fget(self)
            watch.left_graph(self, "data", result)
            info: Any = info_of(result)
            info.source = ref(self)
            return result

        def setter(self: Tensor, value: Any) -> None:
            original.fset(self, value)
            if value.requires_grad:
                watch.left_graph(value, "set", self)

        return property(getter, setter, original.fdel)

    def get_grad(original: Any) -> property:
        def getter(self: Tensor) -> Any:
            if is_users(sys._getframe(1).f_code.co_filename):
                watch.ledger.looked_at(self, watch.sites.here())
            return original.fget(self)

        return property(getter, original.fset, original.fdel)

    def freeze(original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(self: Tensor, requires_grad: bool = True) -> Any:
            watch.ledger.sets_needs(self, requires_grad, watch.sites.here())
            return original(self, requires_grad)

        return wrapped

    def set_needs(original: Any) -> property:
        def setter(self: Tensor, value: Any) -> None:
            watch.ledger.sets_needs(self, value, watch.sites.here())
            original.__set__(self, value)

        return property(original.__get__, setter)

    replaced(stack, Tensor, "requires_grad_", freeze)
    replaced(stack, Tensor, "requires_grad", set_needs)
    replaced(stack, Tensor, "data", get_data)
    replaced(stack, Tensor, "grad", get_grad)
