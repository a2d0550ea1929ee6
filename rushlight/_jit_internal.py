"""`torch._jit_internal`: names of TorchScript's that libraries import; programs are not compiled, and run as Python."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.jit import export, ignore, is_scripting, unused

__all__ = [
    "BroadcastingList1",
    "BroadcastingList2",
    "BroadcastingList3",
    "Final",
    "boolean_dispatch",
    "export",
    "ignore",
    "is_scripting",
    "unused",
]

Function = TypeVar("Function", bound=Callable[..., Any])


class BroadcastingListCls:
    """Annotates an argument that is a number or a list: `BroadcastingList2[int]` stands for nothing at run time."""

    def __getitem__(self, types: Any) -> None:
        return None


BroadcastingList1 = BroadcastingListCls()
BroadcastingList2, BroadcastingList3 = BroadcastingListCls(), BroadcastingListCls()


def _copy_to_script_wrapper(fn: Function) -> Function:
    """The method itself: TorchScript would keep it on compiled modules."""
    fn._torchscript_modifier = "if this method is not scripted, copy the python method onto the scripted model"  # type: ignore[attr-defined]
    return fn


def _overload(func: Function) -> Function:
    """A declaration of an overload for TorchScript; the definition that follows takes its place."""
    return func


_overload_method = _overload


def boolean_dispatch(
    arg_name: str,
    arg_index: int,
    default: bool,
    if_true: Callable[..., Any],
    if_false: Callable[..., Any],
    module_name: str,
    func_name: str,
) -> Callable[..., Any]:
    """A function that calls one of two, according to an argument with a default.

    >>> halved, whole = (lambda x, pairs: len(x) // 2), (lambda x, pairs=False: len(x))
    >>> size = boolean_dispatch("pairs", 1, False, halved, whole, "", "size")
    >>> size("abcd"), size("abcd", True), size("abcd", pairs=True)
    (4, 2, 2)
    """

    def fn(*args: Any, **kwargs: Any) -> Any:
        chosen = kwargs.get(arg_name, args[arg_index] if arg_index < len(args) else default)
        return (if_true if chosen else if_false)(*args, **kwargs)

    doc = if_true.__doc__ or if_false.__doc__
    fn.__doc__, fn.__name__, fn.__module__ = doc, func_name or fn.__name__, module_name or fn.__module__
    return fn


_explain_misses(globals())
