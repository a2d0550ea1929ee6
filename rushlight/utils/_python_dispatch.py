"""Modes that override calls below autograd: `TorchDispatchMode` and related functions."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Self

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.core.interpreters import Within
from rushlight.dispatch.interpreter import OfMode, modes_here
from rushlight.tensors import Tensor, dispatches

__all__ = [
    "BaseTorchDispatchMode",
    "TorchDispatchMode",
    "is_in_torch_dispatch_mode",
    "is_traceable_wrapper_subclass",
    "is_traceable_wrapper_subclass_type",
    "transform_subclass",
]


class TorchDispatchMode(Within):
    """A context in which `__torch_dispatch__(func, types, args, kwargs)` is called instead of each operator.

    `func` is an overload of `torch.ops.aten`, or of `torch.ops.rushlight` for operators that aten lacks. The calls of
    backward passes inside the context go to it too, and those that make tensors. While it runs the mode itself is
    inactive, so that it can call `func`; outer modes still see those calls. Its return value is recorded as the result
    of the call.

    >>> import rushlight as torch
    >>> class Names(TorchDispatchMode):
    ...     def __torch_dispatch__(self, func, types, args=(), kwargs=None):
    ...         print(func)
    ...         return func(*args, **(kwargs or {}))
    >>> with Names():
    ...     x = torch.nn.functional.linear(torch.ones(1, 2), torch.ones(3, 2), torch.ones(3)).relu()
    aten.ones.default
    aten.ones.default
    aten.ones.default
    aten.t.default
    aten.addmm.default
    aten.relu.default
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        mode = super().__new__(cls)
        Within.__init__(mode, partial(OfMode, mode))  # here, as a subclass may not call `__init__`
        return mode

    def __init__(self, _dispatch_key: Any = None):
        if _dispatch_key is not None:
            raise NotImplementedError("rushlight has no keys of dispatch: leave _dispatch_key out")

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Handles a call; subclasses override it."""
        raise NotImplementedError("A mode defines __torch_dispatch__(self, func, types, args=(), kwargs=None).")

    answer = property(lambda self: self)

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> "TorchDispatchMode":
        """The older form of `cls(...)`: a mode to be entered."""
        return cls(*args, **kwargs)

    @classmethod
    def is_infra_mode(cls) -> bool:
        """Whether it is a mode of the compiler: False."""
        return False


class BaseTorchDispatchMode(TorchDispatchMode):
    """A mode that calls each function unchanged."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Calls the function."""
        return func(*args, **kwargs or {})


def _get_current_dispatch_mode() -> TorchDispatchMode | None:
    """The innermost active mode of this thread, or None."""
    modes = modes_here()
    return modes[-1].mode if modes else None


def _get_current_dispatch_mode_stack() -> list[TorchDispatchMode]:
    """The active modes of this thread, the innermost last."""
    return [one.mode for one in modes_here()]


def _len_torch_dispatch_stack() -> int:
    """The number of active modes in this thread."""
    return len(modes_here())


def is_in_torch_dispatch_mode(include_infra_modes: bool = True) -> bool:
    """Whether a mode is active in this thread."""
    return bool(modes_here())


@contextmanager
def _disable_current_modes() -> Iterator[list[TorchDispatchMode]]:
    """A context without the modes that are active in this thread."""
    entered = modes_here()
    for one in entered:
        one.inside = True
    try:
        yield [one.mode for one in entered]
    finally:
        for one in entered:
            one.inside = False


def is_traceable_wrapper_subclass_type(t: type) -> bool:
    """Whether a class of wrappers defines `__tensor_flatten__` and `__tensor_unflatten__`."""
    parts = ("__tensor_flatten__", "__tensor_unflatten__")
    return issubclass(t, Tensor) and t is not Tensor and dispatches(t) and all(hasattr(t, name) for name in parts)


def is_traceable_wrapper_subclass(t: object) -> bool:
    """Whether an object is a wrapper whose class defines `__tensor_flatten__` and `__tensor_unflatten__`.

    >>> import rushlight as torch
    >>> is_traceable_wrapper_subclass(torch.ones(2))
    False
    """
    return is_traceable_wrapper_subclass_type(type(t))


def transform_subclass(
    t: Any, callback: Callable[[str, Tensor], Tensor], outer_size: Any = None, outer_stride: Any = None
) -> Any:
    """A wrapper of the same class, with each inner tensor replaced by `callback(name, tensor)`."""
    names, context = t.__tensor_flatten__()
    inner = {name: callback(name, getattr(t, name)) for name in names}
    size = t.size() if outer_size is None else outer_size
    stride = t.stride() if outer_stride is None else outer_stride
    return type(t).__tensor_unflatten__(inner, context, size, stride)


def return_and_correct_aliasing(func: Any, args: Any, kwargs: Any, out: Any) -> Any:
    """The result of a call handled by a wrapper's class: for an in-place change the changed argument, else `out`.

    Views are recorded as views of their argument in any case.
    """
    return args[0] if str(func).split(".")[-2].endswith("_") else out


_explain_misses(globals())
