"""Functions that are replaced while something is explained: those through which values leave the graph, modes are set
and optimizers work without a call of an operator. Nothing of this is there while nothing is explained.
"""

import sys
from collections.abc import Callable
from contextlib import ExitStack
from types import FunctionType
from typing import Any
from weakref import ref

import numpy as np

import rushlight
from rushlight.amp.grad_scaler import GradScaler
from rushlight.autograd import differentiate, function, grad_mode
from rushlight.core import hooks
from rushlight.core.graph import TensorBase
from rushlight.core.hooks import Hooks
from rushlight.core.kinds import kind_of
from rushlight.core.lines import is_users
from rushlight.explain.bad_values import array_of
from rushlight.explain.origins import info_at, info_of, merged, tell
from rushlight.nn import functional
from rushlight.nn.functional import dropping
from rushlight.nn.modules.base.hooks import register_module_forward_hook, register_module_forward_pre_hook
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter
from rushlight.nn.utils import clip_grad
from rushlight.ops.making import conversion, from_data
from rushlight.optim.lr_scheduler import LRScheduler, ReduceLROnPlateau
from rushlight.optim.optimizer import (
    Optimizer,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from rushlight.tensors import Tensor

FACTORIES = (
    "tensor as_tensor from_numpy asarray load full full_like rand rand_like randn randn_like zeros zeros_like ones "
    "ones_like arange linspace normal"
).split()


def replaced(stack: ExitStack, owner: Any, name: str, make: Callable[..., Any]) -> None:
    """Puts what `make` makes of a function in its place, until the stack is left."""
    own = vars(owner).get(name)
    original = getattr(owner, name) if own is None else own

    def put_back():
        if own is None:
            delattr(owner, name)
        else:
            setattr(owner, name, own)

    made = make(original)
    if isinstance(made, FunctionType):
        made.in_place_of = original  # type: ignore[attr-defined]  # for who asks for the functions themselves
    setattr(owner, name, made)
    stack.callback(put_back)


def tap(watch: Any) -> ExitStack:
    """Lets a watch know of all that operators do not tell; leaving the stack ends it."""
    stack = ExitStack()
    for add in (values, data, modes, steps, passes, changed_by_hooks, modules):
        add(stack, watch)
    return stack


def values(stack: ExitStack, watch: Any) -> None:
    """Values that leave the graph as tensors, in other types, as numbers and arrays."""
    as_tensors(stack, watch)
    as_numbers(stack, watch)


def as_tensors(stack: ExitStack, watch: Any) -> None:
    """Values that go on as tensors without their history."""

    def detach(original):
        def wrapped(self):
            result = original(self)
            watch.left_graph(self, "detach", result)
            return result

        return wrapped

    def convert(original):
        def wrapped(input, dtype, *args, **kwargs):
            result = original(input, dtype, *args, **kwargs)
            if kind_of(dtype) in "biu" and result is not input:
                watch.left_graph(input, "integer", result, f"a cast to {dtype}")
            return result

        return wrapped

    def encode(original):
        def wrapped(tensor, *args, **kwargs):
            result = original(tensor, *args, **kwargs)
            watch.left_graph(tensor, "integer", result, "one_hot()")
            return result

        return wrapped

    def parameter(original):
        def wrapped(self, data=None, *args, **kwargs):
            original(self, data, *args, **kwargs)
            if isinstance(data, TensorBase) and data.requires_grad:
                watch.left_graph(data, "Parameter", self)

        return wrapped

    replaced(stack, Parameter, "__init__", parameter)
    replaced(stack, Tensor, "detach", detach)
    replaced(stack, conversion, "convert", convert)

    def divergence(original):
        def wrapped(input, target, *args, log_target=False, **kwargs):
            watch.readings.of_divergence(input, watch.sites.here())
            return original(input, target, *args, log_target=log_target, **kwargs)

        return wrapped

    replaced(stack, functional, "one_hot", encode)
    replaced(stack, functional, "kl_div", divergence)


def as_numbers(stack: ExitStack, watch: Any) -> None:
    """Values that are handed out as numbers or arrays, and tensors that are made of such."""

    def number(how):
        def make(original):
            def wrapped(self, *args, **kwargs):
                if not watch.here.still:
                    watch.left_graph(self, how)
                return original(self, *args, **kwargs)

            return wrapped

        return make

    def new_array(original):
        def wrapped(data, dtype):
            for item in data if isinstance(data, (list, tuple)) else (data,):
                if isinstance(item, TensorBase):
                    watch.left_graph(item, "torch.tensor")
            with watch.here.quiet():
                return original(data, dtype)

        return wrapped

    def factory(original):
        def wrapped(*args, **kwargs):
            result = original(*args, **kwargs)
            watch.made(result)
            return result

        return wrapped

    for name in FACTORIES:
        replaced(stack, rushlight, name, factory)
    for name in ("item", "tolist", "numpy"):
        replaced(stack, Tensor, name, number(name))
    replaced(stack, from_data, "new_array", new_array)


def data(stack: ExitStack, watch: Any) -> None:
    """`.data`, which shares the memory unseen, and `.grad`, which users look at."""

    def get_data(original):
        def getter(self):
            result = original.fget(self)
            watch.left_graph(self, "data", result)
            info_of(result).source = ref(self)
            return result

        return property(getter, original.fset, original.fdel)

    def get_grad(original):
        def getter(self):
            if is_users(sys._getframe(1).f_code.co_filename):
                watch.ledger.looked_at(self, watch.sites.here())
            return original.fget(self)

        return property(getter, original.fset, original.fdel)

    def freeze(original):
        def wrapped(self, requires_grad=True):
            watch.ledger.sets_needs(self, requires_grad, watch.sites.here())
            return original(self, requires_grad)

        return wrapped

    def set_needs(original):
        def setter(self, value):
            watch.ledger.sets_needs(self, value, watch.sites.here())
            original.__set__(self, value)

        return property(original.__get__, setter)

    replaced(stack, Tensor, "requires_grad_", freeze)
    replaced(stack, Tensor, "requires_grad", set_needs)
    replaced(stack, Tensor, "data", get_data)
    replaced(stack, Tensor, "grad", get_grad)


def modes(stack: ExitStack, watch: Any) -> None:
    """Who switches recording off, and who puts it back."""

    def enter(original):
        def wrapped(self, *args):
            answer = original(self, *args)
            frame = sys._getframe(1)
            decorated = frame.f_locals.get("function") if frame.f_code.co_name == "wrapper" else None
            off = not self.mode if not isinstance(self, grad_mode.inference_mode) else self.mode
            site = watch.sites.definition(decorated) if decorated is not None else watch.sites.here()
            own = decorated is not None or is_users(frame.f_code.co_filename)
            watch.here.modes.append((self, site if off else None, off and own))
            if off and isinstance(self, grad_mode.inference_mode):
                watch.inference = site
            return answer

        return wrapped

    def leave(original):
        def wrapped(self, *exception):
            entered = watch.here.modes
            for i in range(len(entered) - 1, -1, -1):
                if entered[i][0] is self:
                    del entered[i]
                    break
            return original(self, *exception)

        return wrapped

    for cls in (grad_mode.GradMode, grad_mode.inference_mode):
        replaced(stack, cls, "__enter__", enter)
        replaced(stack, cls, "__exit__", leave)


def steps(stack: ExitStack, watch: Any) -> None:
    """What optimizers, schedules and clipping do."""
    ledger, sites = watch.ledger, watch.sites

    def make(original):
        def wrapped(self, *args, **kwargs):
            original(self, *args, **kwargs)
            ledger.made(self, sites.here())

        return wrapped

    def zero(original):
        def wrapped(self, *args, **kwargs):
            ledger.zeroed(self, sites.here())
            return original(self, *args, **kwargs)

        return wrapped

    def zero_module(original):
        def wrapped(self, *args, **kwargs):
            ledger.module_zeroed(self, sites.here())
            return original(self, *args, **kwargs)

        return wrapped

    def schedule(original):
        def wrapped(self, *args, **kwargs):
            if is_users(sys._getframe(1).f_code.co_filename):
                ledger.scheduling(self, sites.here())
            return original(self, *args, **kwargs)

        return wrapped

    def make_schedule(original):
        def wrapped(self, *args, **kwargs):
            original(self, *args, **kwargs)
            ledger.schedules(self, sites.here())

        return wrapped

    def clip(original):
        def wrapped(parameters):
            parameters = [parameters] if isinstance(parameters, Tensor) else list(parameters)
            ledger.clipping(parameters, sites.here())
            return original(parameters)

        return wrapped

    def scale(original):
        def wrapped(self, outputs):
            ledger.scaled = self.get_scale() != 1
            return original(self, outputs)

        return wrapped

    def unscale(original):
        def wrapped(self, *args, **kwargs):
            ledger.scaled = False
            return original(self, *args, **kwargs)

        return wrapped

    replaced(stack, GradScaler, "scale", scale)
    replaced(stack, GradScaler, "unscale_", unscale)
    replaced(stack, GradScaler, "update", unscale)
    replaced(stack, Optimizer, "__init__", make)
    replaced(stack, Optimizer, "zero_grad", zero)
    replaced(stack, Module, "zero_grad", zero_module)
    replaced(stack, LRScheduler, "__init__", make_schedule)
    replaced(stack, LRScheduler, "step", schedule)
    replaced(stack, ReduceLROnPlateau, "step", schedule)
    replaced(stack, clip_grad, "gradients_of", clip)
    before = register_optimizer_step_pre_hook(lambda optimizer, *_: ledger.before_step(optimizer, sites.here()))
    after = register_optimizer_step_post_hook(lambda optimizer, *_: ledger.after_step(optimizer))
    stack.callback(before.remove)
    stack.callback(after.remove)


def passes(stack: ExitStack, watch: Any) -> None:
    """Custom functions, and the results of `grad`."""

    def connect(original):
        def wrapped(node, tensors, outputs):
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

    def run_grad(original):
        def wrapped(outputs, inputs, grads, keep_graph, create_graph):
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

    def apply(original):
        def wrapped(cls, *args, **kwargs):
            if not kwargs:
                watch.readings.custom(cls, args)
            return original.__func__(cls, *args, **kwargs)

        return classmethod(wrapped)

    replaced(stack, function, "connected", connect)
    replaced(stack, function.Function, "apply", apply)
    replaced(stack, differentiate, "run_grad", run_grad)


def changed_by_hooks(stack: ExitStack, watch: Any) -> None:
    """What hooks do to gradients."""
    returned = []  # by the hooks that are called just now

    def check(original):
        def wrapped(result, value, hook):
            returned.append(result)
            return original(result, value, hook)

        return wrapped

    def on_tensor(original):
        def wrapped(self, grad, index, recorded):
            if grad is None or not self.outputs.get(index):
                return original(self, grad, index, recorded)
            before = np.copy(array_of(grad))
            returned.clear()
            result = original(self, grad, index, recorded)
            watch.ledger.hooked(self.outputs[index].values(), before, array_of(grad), result, bool(returned))
            return result

        return wrapped

    replaced(stack, Hooks, "on_tensor", on_tensor)
    replaced(stack, hooks, "checked", check)


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
