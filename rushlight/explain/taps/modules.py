"""Modules: where they are constructed and called, and their modes."""

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from rushlight.explain.taps.replacing import replaced
from rushlight.nn.functional import dropping
from rushlight.nn.modules.base.hooks import register_module_forward_hook, register_module_forward_pre_hook
from rushlight.nn.modules.module import Module
from rushlight.tensors import Tensor


def tap_modules(stack: ExitStack, watch: Any) -> None:
    """Reports when modules are constructed, called, or change their mode, and when dropout runs."""

    def leave(module: Module, args: Any, out: Any) -> None:
        watch.readings.leave(module)
        watch.keep_output(module, out)

    before = register_module_forward_pre_hook(lambda module, args: watch.readings.enter(module, args))
    after = register_module_forward_hook(leave, always_call=True)
    stack.callback(before.remove)
    stack.callback(after.remove)

    def mode(original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(self: Module, mode: bool = True) -> Any:
            watch.readings.set_mode(self, mode, watch.sites.here())
            return original(self, mode)

        return wrapped

    def drop(original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(input: Tensor, shape: Sequence[int], p: float, training: bool, inplace: bool) -> Any:
            watch.readings.dropping(p, training, watch.sites.here())
            left, watch.left = watch.left, ()  # the mask is not computed from the program's numbers
            try:
                return original(input, shape, p, training, inplace)
            finally:
                watch.left = left

        return wrapped

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(self: Module, *args: Any, **kwargs: Any) -> Any:
            watch.readings.builds(self, sys._getframe(1))
            return original(self, *args, **kwargs)

        return wrapped

    def load(original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(self: Module, state_dict: Mapping[str, Any], *args: Any, **kwargs: Any) -> Any:
            watch.readings.loading(self, state_dict, watch.sites.here(), watch.clock)
            return original(self, state_dict, *args, **kwargs)

        return wrapped

    replaced(stack, Module, "load_state_dict", load)
    replaced(stack, Module, "__init__", make)
    replaced(stack, Module, "train", mode)
    replaced(stack, dropping, "dropped", drop)
