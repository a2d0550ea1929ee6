"""Optimizers, schedules, gradient clipping and gradient scalers."""

import sys
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import Any

from rushlight.amp.grad_scaler import GradScaler
from rushlight.core.lines import is_users
from rushlight.explain.taps.replacing import replaced
from rushlight.nn.modules.module import Module
from rushlight.nn.utils import clip_grad
from rushlight.optim.lr_scheduler import LRScheduler, ReduceLROnPlateau
from rushlight.optim.optimizer import (
    Optimizer,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from rushlight.tensors import Tensor


def tap_training(stack: ExitStack, watch: Any) -> None:
    """Reports everything that changes gradients and parameters between passes."""
    for add in (optimizers, schedules, clipping, scaling):
        add(stack, watch.ledger, watch.sites)


def optimizers(stack: ExitStack, ledger: Any, sites: Any) -> None:
    """Reports when optimizers are made, take steps, and zero gradients; also modules that zero gradients."""

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(self: Optimizer, *args: Any, **kwargs: Any) -> None:
            original(self, *args, **kwargs)
            ledger.made(self, sites.here())

        return wrapped

    def zero(original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
            ledger.zeroed(self, sites.here())
            return original(self, *args, **kwargs)

        return wrapped

    def zero_module(original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(self: Module, *args: Any, **kwargs: Any) -> Any:
            ledger.module_zeroed(self, sites.here())
            return original(self, *args, **kwargs)

        return wrapped

    replaced(stack, Optimizer, "__init__", make)
    replaced(stack, Optimizer, "zero_grad", zero)
    replaced(stack, Module, "zero_grad", zero_module)
    before = register_optimizer_step_pre_hook(lambda optimizer, *_: ledger.before_step(optimizer, sites.here()))
    after = register_optimizer_step_post_hook(lambda optimizer, *_: ledger.after_step(optimizer))
    stack.callback(before.remove)
    stack.callback(after.remove)


def schedules(stack: ExitStack, ledger: Any, sites: Any) -> None:
    """Reports when schedules are made, and their steps."""

    def schedule(original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(self: LRScheduler | ReduceLROnPlateau, *args: Any, **kwargs: Any) -> Any:
            if is_users(sys._getframe(1).f_code.co_filename):
                ledger.scheduling(self, sites.here())
            return original(self, *args, **kwargs)

        return wrapped

    def make_schedule(original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(self: LRScheduler | ReduceLROnPlateau, *args: Any, **kwargs: Any) -> None:
            original(self, *args, **kwargs)
            ledger.schedules(self, sites.here())

        return wrapped

    replaced(stack, LRScheduler, "__init__", make_schedule)
    replaced(stack, LRScheduler, "step", schedule)
    replaced(stack, ReduceLROnPlateau, "step", schedule)


def clipping(stack: ExitStack, ledger: Any, sites: Any) -> None:
    """Reports gradient clipping."""

    def clip(original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(parameters: Tensor | Iterable[Tensor]) -> Any:
            parameters = [parameters] if isinstance(parameters, Tensor) else list(parameters)
            ledger.clipping(parameters, sites.here())
            return original(parameters)

        return wrapped

    replaced(stack, clip_grad, "gradients_of", clip)


def scaling(stack: ExitStack, ledger: Any, sites: Any) -> None:
    """Reports the scaling of losses, and the unscaling of gradients."""

    def scale(original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(self: GradScaler, outputs: Any) -> Any:
            ledger.scaled = self.get_scale() != 1
            return original(self, outputs)

        return wrapped

    def unscale(original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(self: GradScaler, *args: Any, **kwargs: Any) -> Any:
            ledger.scaled = False
            return original(self, *args, **kwargs)

        return wrapped

    replaced(stack, GradScaler, "scale", scale)
    replaced(stack, GradScaler, "unscale_", unscale)
    replaced(stack, GradScaler, "update", unscale)
