"""What hooks do to gradients: make them zero or bad, write into them, or flip some signs."""

from inspect import getclosurevars, unwrap
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.graph import TensorBase
from rushlight.core.kinds import kind_of
from rushlight.explain.bad_values import array_of
from rushlight.explain.finite import is_bad
from rushlight.explain.origins import info_of
from rushlight.explain.passes import is_zero
from rushlight.explain.sites import code_of

ndarray = np.ndarray


class ByHooks:
    """What each hook did: the hook's code and the line of the pass; for zeros, the tensor of zeros that it used."""

    def __init__(self) -> None:
        self.zeroed: list[tuple[Any, ...]] = []
        self.spoilt: list[tuple[Any, ...]] = []
        self.turned: list[tuple[Any, ...]] = []
        self.changed: list[tuple[Any, ...]] = []

    def note(self, hooks: Any, site: Any, before: Array, given: Array, after: Array, returned: bool) -> None:
        """Compares a gradient before and after a hook, which returned another (`returned`) or changed the given one."""
        code = next((code for h in hooks if (code := code_of(h)) is not None), None)
        if code is None:
            return
        result, event = array_of(after), (code, site)
        if type(result) is ndarray and is_bad(result) and not is_bad(before):
            self.spoilt.append(event)
        elif is_zero(before):
            return
        elif after is not None and is_zero(result):
            self.zeroed.append((*event, None if self.zeroed else zero_factor(hooks)))
        elif not returned and not np.array_equal(before, given, equal_nan=True):
            self.changed.append(event)
        elif turns(before, result):
            self.turned.append(event)


def zero_factor(hooks: Any) -> tuple[str, Any] | None:
    """The variable in a hook's closure or globals that is a tensor of zeros: its name, and where it was made."""
    for hook in hooks:
        if not hasattr(inner := unwrap(getattr(hook, "func", hook)), "__code__"):
            continue
        outer = getclosurevars(inner)
        for name, value in {**outer.globals, **outer.nonlocals}.items():
            if isinstance(value, TensorBase) and value._array.size and is_zero(value._array):
                info = info_of(value)
                return name, None if info is None else info.site
    return None


def turns(before: Any, after: Any) -> bool:
    """Whether a hook flipped some signs but not all, and left all absolute values unchanged.

    Clipping, scaling, masking and reversing gradients do not do that.
    """
    if type(after) is not ndarray or after.shape != before.shape or kind_of(after.dtype) != "f":
        return False
    there = np.abs(before) > 0
    if not np.allclose(np.abs(after), np.abs(before), rtol=1e-4, atol=0):
        return False
    turned = np.mean(np.sign(after[there]) != np.sign(before[there]))
    return bool(0.05 < turned < 0.95) and before.size > 3
