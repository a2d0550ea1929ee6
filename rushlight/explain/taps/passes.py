"""Events in backward passes besides the formulas of operators."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np

from rushlight.autograd import differentiate, function
from rushlight.core import hooks
from rushlight.core.graph import TensorBase
from rushlight.core.hooks import Hooks
from rushlight.explain.bad_values import array_of
from rushlight.explain.origins import info_at, info_of, merged, tell
from rushlight.explain.taps.replacing import replaced
from rushlight.tensors import Tensor


def tap_passes(stack: ExitStack, watch: Any) -> None:
    """Reports custom functions, results of `grad`, and what hooks do to gradients."""

    def connect(original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(node: Any, tensors: Sequence[Tensor | None], outputs: Any) -> Any:
            results = original(node, tensors, outputs)
            live = [t for t in tensors if t is not None]
            info = info_at(watch.sites.here(), node.name(), watch.clock)
            for t in live:
                one = info_of(t)
                if one is not None:
                    info.cuts = merged(info.cuts, one.cuts)
                    info.birth = info.birth or one.birth
            node.told = info
            return results

        return wrapped

    def run_grad(original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(outputs: Any, inputs: Any, grads: Any, keep_graph: bool, create_graph: bool) -> Any:
            results = original(outputs, inputs, grads, keep_graph, create_graph)
            watch.ledger.asked_for(inputs)
            if create_graph:
                watch.ledger.differentiates(outputs)
            else:
                site = watch.sites.here()
                cut = watch.cut(site, "grad", "autograd.grad", [t for t in outputs if isinstance(t, TensorBase)])
                for result in results:
                    if result is not None:
                        info = info_at(site, "grad", watch.clock)
                        info.cuts = (cut,)
                        tell(result, info)
            return results

        return wrapped

    def apply(original: Any) -> Any:
        def wrapped(cls: Any, *args: Any, **kwargs: Any) -> Any:
            if not kwargs:
                watch.readings.custom(cls, args)
            return original.__func__(cls, *args, **kwargs)

        return classmethod(wrapped)

    replaced(stack, function, "connected", connect)
    replaced(stack, function.Function, "apply", apply)
    replaced(stack, differentiate, "run_grad", run_grad)
    changed_by_hooks(stack, watch)


def changed_by_hooks(stack: ExitStack, watch: Any) -> None:
    """Reports what hooks do to gradients."""
    returned = []  # by the hooks that are running

    def check(original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(result: Any, value: Any, hook: Callable[..., Any]) -> Any:
            returned.append(result)
            return original(result, value, hook)

        return wrapped

    def on_tensor(original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(self: Any, grad: Any, index: int, recorded: bool) -> Any:
            if grad is None or not self.outputs.get(index):
                return original(self, grad, index, recorded)
            before = np.copy(array_of(grad))
            returned.clear()
            result = original(self, grad, index, recorded)
            watch.ledger.hooked(self.outputs[index].values(), before, array_of(grad), result, bool(returned))
            return result

        return wrapped

    replaced(stack, Hooks, "on_tensor", on_tensor)
    replaced(stack, hooks, "check_replacement", check)
