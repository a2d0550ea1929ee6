"""The first bad value: which operation made a NaN or infinity from finite operands, and what these contained."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.graph import TensorBase
from rushlight.core.kinds import kind_of
from rushlight.explain.finite import is_bad
from rushlight.explain.origins import Birth, info_of
from rushlight.tensors import Tensor

GIVEN = ("data", "masked_fill", "masked_fill_tensor", "fill", "where")  # they often set infinities on purpose

TAME = frozenset(
    [
        "abs",
        "add",
        "add_scaled",
        "atan",
        "cat",
        "clamp",
        "clamp_min",
        "clamp_max",
        "cos",
        "native_dropout",
        "erf",
        "expand",
        "gelu",
        "hardtanh",
        "leaky_relu",
        "neg",
        "pile",
        "relu",
        "reshape_copy",
        "sigmoid",
        "sign",
        "silu",
        "sin",
        "slice",
        "sub",
        "tanh",
        "t",
    ]
)  # operators that make no bad values from good ones


def is_given(birth: Birth) -> bool:
    """Whether a bad value is an infinity that was set on purpose, such as in a mask."""
    return birth.value == "inf" and birth.name in GIVEN


def value_in(array: Array) -> str:
    """The kind of bad value in an array: "nan" or "inf"."""
    return "nan" if np.isnan(array).any() else "inf"


def birth_in(array: Array, site: Any, name: str) -> Birth | None:
    """The `Birth` for bad values that an array already contains."""
    return Birth(site, name, value_in(array)) if is_bad(array) else None


def born(info: Any, op: Any, args: Any, tensors: Sequence[Tensor], known: Any, array: Array) -> Birth | None:
    """The `Birth` of a result's bad values: that of an operand, or a new one for this operation."""
    value = value_in(array)
    inherited = sorted((one.birth for one in known if one is not None and one.birth is not None), key=by_age)
    for birth in inherited:
        if birth.value == "nan":
            return birth
    for birth in inherited:
        if value == "inf" or birth.name not in GIVEN:
            return birth
    for tensor, one in zip(tensors, known, strict=True):
        if one is not None and one.birth is None and not tensor._needs:
            one.birth = birth_in(tensor._array, info.site, "data")
            if one.birth is not None and (value == "inf" or one.birth.value == "nan"):
                return one.birth
        elif (one is None or one.name in ("made", "blank")) and tensor._needs and is_bad(tensor._array):
            return birth_in(tensor._array, info.site, "parameter")
    return Birth(info.site, op.name, value, found_in(op.name, args, value))


def by_age(birth: Birth) -> int:
    """The sort key of births: the oldest first."""
    return birth.number


def found_in(name: str, args: Any, value: str) -> str:
    """What the operands contain that makes a result bad, in words."""
    arrays = [a._array for a in args if isinstance(a, TensorBase) and kind_of(a._array.dtype) in "fiu"]
    if not arrays or not arrays[0].size or type(arrays[0]) is not np.ndarray:
        return ""
    first, last = arrays[0], arrays[-1]
    if value == "inf" and max(largest(a) for a in arrays) > 1e4:
        return "large"
    if name in ("log", "log2", "log10", "log1p", "sqrt", "rsqrt", "reciprocal", "pow", "xlogy"):
        low = first.min() + (1 if name == "log1p" else 0)
        return "zero" if low == 0 else "negative" if low < 0 else ""
    if name.startswith("div") or name in ("fmod", "remainder"):
        return "zero" if len(arrays) < 2 or (last == 0).any() else ""
    if name in ("std", "var", "std_mean", "var_mean"):
        return "one"
    if name in ("softmax", "log_softmax"):
        return "nothing" if np.isneginf(first).any() else ""
    if name == "mean" or name.startswith("mean"):
        return "" if first.size else "nothing"
    return ""


def largest(array: Array) -> float:
    """The largest absolute value of the elements."""
    return float(np.abs(array.astype(np.float64, copy=False)).max(initial=0))


def born_backward(node: Any, grads: Sequence[Array | None]) -> Birth:
    """The `Birth` for a node whose gradients are bad though it received finite ones."""
    info = info_of(node)
    value = "nan" if any(g is not None and np.isnan(array_of(g)).any() for g in grads) else "inf"
    name = node.op.name if node.op is not None else node.name()
    hidden = info is not None and info.birth is not None  # the forward result was bad too, but the loss is not
    return Birth(None if info is None else info.site, name, value, "", True, hidden)


def array_of(grad: Any) -> Array:
    """The array of a gradient."""
    return grad._array if isinstance(grad, TensorBase) else grad
