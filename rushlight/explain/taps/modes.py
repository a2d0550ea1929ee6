"""Switching recording off."""

import sys
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from rushlight.autograd import grad_mode
from rushlight.core.lines import is_users
from rushlight.explain.taps.replacing import replaced


def tap_modes(stack: ExitStack, watch: Any) -> None:
    """Reports where recording is switched off and on again."""

    def enter(original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(self: Any, *args: Any) -> Any:
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

    def leave(original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(self: Any, *exception: Any) -> Any:
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
