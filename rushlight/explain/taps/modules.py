"""The calls of modules, and their modes."""

from contextlib import ExitStack
from typing import Any

from rushlight.explain.taps.replacing import replaced
from rushlight.nn.functional import dropping
from rushlight.nn.modules.base.hooks import register_module_forward_hook, register_module_forward_pre_hook
from rushlight.nn.modules.module import Module


def modules(stack: ExitStack, watch: Any) -> None:
    """The calls of modules."""

    def leave(module, args, out):
        watch.readings.leave(module)
        watch.keep_output(module, out)

    before = register_module_forward_pre_hook(lambda module, args: watch.readings.enter(module, args))
    after = register_module_forward_hook(leave, always_call=True)
    stack.callback(before.remove)
    stack.callback(after.remove)

    def mode(original):
        def wrapped(self, mode=True):
            watch.readings.set_mode(self, mode, watch.sites.here())
            return original(self, mode)

        return wrapped

    def drop(original):
        def wrapped(input, shape, p, training, inplace):
            watch.readings.dropping(p, training, watch.sites.here())
            return original(input, shape, p, training, inplace)

        return wrapped

    replaced(stack, Module, "train", mode)
    replaced(stack, dropping, "dropped", drop)
