"""Logical operators, and bitwise operators on integers."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.core.advice import advised
from rushlight.core.aliases import Array
from rushlight.core.formulas import Formula, evaluate
from rushlight.core.graph import TensorBase
from rushlight.core.operators import binary as call_binary
from rushlight.core.operators import unary as call_unary
from rushlight.dtypes import arithmetic
from rushlight.ops.arguments.promotion import missing, only, refused
from rushlight.ops.table import TABLE, Binary, Unary, binary, unary
from rushlight.tensors import Tensor

__all__ = [
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
]


def as_they_are(*operands: Tensor) -> list[Array] | Array:
    """No type promotion: logical operators accept tensors of different dtypes."""
    return [operand._array if isinstance(operand, TensorBase) else operand for operand in operands]


def of_truths(logical: Callable[..., Any], bitwise: Callable[..., Any]) -> Callable[..., Any]:
    """A logical function; of floats it compares with 0, for which there are vector instructions."""

    def function(x: Array, y: Array) -> Any:
        return bitwise(x != 0, y != 0) if x.dtype.kind == "f" and y.dtype.kind == "f" else logical(x, y)

    return function


logical_and: Binary = binary(
    "logical_and",
    of_truths(np.logical_and, np.bitwise_and),
    doc="""Whether both elements are non-zero.

    >>> import rushlight as torch
    >>> torch.logical_and(torch.tensor([True, True]), torch.tensor([True, False]))
    tensor([ True, False])
    """,
    promote=as_they_are,
    numbers="",
)
logical_or: Binary = binary(
    "logical_or",
    of_truths(np.logical_or, np.bitwise_or),
    doc="""Whether one of the elements is non-zero.

    >>> import rushlight as torch
    >>> torch.logical_or(torch.tensor([True, False]), torch.tensor([False, False]))
    tensor([ True, False])
    """,
    promote=as_they_are,
    numbers="",
)
logical_xor: Binary = binary(
    "logical_xor",
    of_truths(np.logical_xor, np.bitwise_xor),
    doc="""Whether exactly one of the elements is non-zero.

    >>> import rushlight as torch
    >>> torch.logical_xor(torch.tensor([True, True]), torch.tensor([True, False]))
    tensor([False,  True])
    """,
    promote=as_they_are,
    numbers="",
)
logical_not: Unary = unary(
    "logical_not",
    lambda x: x == 0 if x.dtype.kind == "f" else np.logical_not(x),
    doc="""Whether each element is 0.

    >>> import rushlight as torch
    >>> torch.logical_not(torch.tensor([True, False]))
    tensor([False,  True])
    """,
    promote=arithmetic,
)


FLOATS = "fV"  # kinds of NumPy dtypes; those of ml_dtypes have kind "V"


def of_integers(function: Callable[..., Any], kernel: str) -> Callable[..., Any]:
    """`function`, plus PyTorch's error for floats, which get here without promotion."""

    def forward(x: Array, *others: Array, out: Array | None = None) -> Array:
        if x.dtype.kind in FLOATS:
            raise refused(missing(kernel, x.dtype), (x, *others))
        return function(x, *others)

    return forward


bitwise_not: Unary = unary(
    "bitwise_not",
    of_integers(np.invert, "bitwise_not_cpu"),
    doc="""Each element with its bits inverted; for bools, `not`.

    >>> import rushlight as torch
    >>> torch.bitwise_not(torch.tensor([0, 5]))
    tensor([-1, -6])
    """,
    promote=only("biu", "bitwise_not_cpu"),
)


def bitwise(
    name: str, ufunc: Any, kernel: str, kinds: str, doc: str, compute: Callable[..., Any] | None = None
) -> Binary:
    """Registers a bitwise operator."""
    forward = of_integers(compute or ufunc, kernel)
    return binary(name, forward, doc=doc, promote=only(kinds, kernel), numbers="either")


def shifted(ufunc: Any, beyond: Callable[..., Any]) -> Callable[..., Any]:
    """A shift, with `beyond(x)` as the result for negative counts and for counts that shift out every bit."""
    by_number = Formula(ufunc, 2)

    def shift(x: Array, count: Array) -> Array:
        bits = x.dtype.itemsize * 8
        if not getattr(count, "ndim", 0) and 0 <= int(count) < bits:
            return evaluate(by_number, x, count, None, None)
        return np.where((count < 0) | (count >= bits), beyond(x), ufunc(x, np.clip(count, 0, bits - 1)))

    return shift


def sign_bits(x: Array) -> Array:
    """-1 for negative integers, 0 for the others."""
    return np.where(x < 0, -1, 0).astype(x.dtype)


bitwise_and: Binary = bitwise(
    "bitwise_and",
    np.bitwise_and,
    "bitwise_and_cpu",
    "biu",
    """The bits set in both elements.

    >>> import rushlight as torch
    >>> torch.bitwise_and(torch.tensor([5, 6]), torch.tensor([4, 3]))
    tensor([4, 2])
    """,
)
bitwise_or: Binary = bitwise(
    "bitwise_or",
    np.bitwise_or,
    "bitwise_or_cpu",
    "biu",
    """The bits set in either.

    >>> import rushlight as torch
    >>> torch.bitwise_or(torch.tensor([5, 6]), torch.tensor([4, 3]))
    tensor([5, 7])
    """,
)
bitwise_xor: Binary = bitwise(
    "bitwise_xor",
    np.bitwise_xor,
    "bitwise_xor_cpu",
    "biu",
    """The bits set in only one element.

    >>> import rushlight as torch
    >>> torch.bitwise_xor(torch.tensor([5, 6]), torch.tensor([4, 3]))
    tensor([1, 5])
    """,
)
bitwise_left_shift: Binary = bitwise(
    "bitwise_left_shift",
    np.left_shift,
    "lshift_cpu",
    "iu",
    """Each element shifted left by `other` bits.

    >>> import rushlight as torch
    >>> torch.bitwise_left_shift(torch.tensor([1, 5]), 2)
    tensor([ 4, 20])
    """,
    shifted(np.left_shift, np.zeros_like),
)
bitwise_right_shift: Binary = bitwise(
    "bitwise_right_shift",
    np.right_shift,
    "rshift_cpu",
    "iu",
    """Each element shifted right by `other` bits.

    >>> import rushlight as torch
    >>> torch.bitwise_right_shift(torch.tensor([8, 5]), 2)
    tensor([2, 1])
    """,
    shifted(np.right_shift, sign_bits),
)


def invert(self: Tensor) -> Tensor:
    """`~tensor`."""
    if self._array.dtype.kind not in "biu":
        raise TypeError(advised("~ (operator.invert) is only implemented on integer and Boolean-type tensors"))
    return call_unary(TABLE["bitwise_not"], self)


def use_operator(entry: Any, name: str, function: Callable[..., Any]) -> None:
    """Makes an entry one of Python's operators: `__and__`, `__rand__` and `__iand__`, for example."""
    setattr(Tensor, f"__{name}__", lambda self, other: call_binary(entry, self, other))
    setattr(Tensor, f"__r{name}__", lambda self, other: function(other, self))
    setattr(Tensor, f"__i{name}__", getattr(Tensor, f"{entry.name}_"))


Tensor.__invert__ = invert
use_operator(TABLE["bitwise_and"], "and", bitwise_and)
use_operator(TABLE["bitwise_or"], "or", bitwise_or)
use_operator(TABLE["bitwise_xor"], "xor", bitwise_xor)
use_operator(TABLE["bitwise_left_shift"], "lshift", bitwise_left_shift)
use_operator(TABLE["bitwise_right_shift"], "rshift", bitwise_right_shift)
