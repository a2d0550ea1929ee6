"""Logic of truth values, and of the bits of integers."""

import numpy as np

from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.operators import binary as call_binary
from rushlight.core.operators import unary as call_unary
from rushlight.dtypes import arithmetic
from rushlight.ops.promotion import only
from rushlight.ops.table import TABLE, binary, named, unary
from rushlight.tensor import Tensor

__all__ = [
    "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift", "bitwise_xor",
    "logical_and", "logical_not", "logical_or", "logical_xor",
]  # fmt: skip


def as_they_are(*operands):
    """No promotion: truth values of tensors of any dtypes."""
    return [operand._array if isinstance(operand, TensorBase) else operand for operand in operands]


logical_and = binary(
    "logical_and",
    np.logical_and,
    doc="Whether both elements are non-zero.",
    promote=as_they_are,
    numbers=False,
)
logical_or = binary(
    "logical_or",
    np.logical_or,
    doc="Whether one of the elements is non-zero.",
    promote=as_they_are,
    numbers=False,
)
logical_xor = binary(
    "logical_xor",
    np.logical_xor,
    doc="Whether exactly one of the elements is non-zero.",
    promote=as_they_are,
    numbers=False,
)
logical_not = unary("logical_not", np.logical_not, doc="Whether each element is 0.", promote=arithmetic)
bitwise_not = unary(
    "bitwise_not",
    np.invert,
    doc="Each element with its bits inverted; of bools, `not`.",
    promote=only("biu", "bitwise_not_cpu"),
)


def bitwise(name, ufunc, kernel, kinds, doc):
    """Enters an operator on bits; its public function takes a number in the place of either operand."""
    apply = binary(name, ufunc, doc=doc, promote=only(kinds, kernel))

    def function(input, other, *, out=None):
        if not isinstance(input, TensorBase) and isinstance(other, TensorBase) and isinstance(input, int):
            input = new_tensor(np.asarray(input, other._array.dtype))
        return apply(input, other, out=out)

    return named(function, name, doc)


def shifted(ufunc, beyond):
    """A shift, with `beyond(x)` for counts below 0 and for those that leave no bit."""

    def shift(x, count, out=None):
        bits = x.dtype.itemsize * 8
        result = np.where((count < 0) | (count >= bits), beyond(x), ufunc(x, np.clip(count, 0, bits - 1)))
        if out is None:
            return result
        out[...] = result
        return out

    return shift


left = shifted(np.left_shift, np.zeros_like)
right = shifted(np.right_shift, lambda x: np.where(x < 0, -1, 0).astype(x.dtype))
bitwise_and = bitwise(
    "bitwise_and", np.bitwise_and, "bitwise_and_cpu", "biu", "The bits set in both elements."
)
bitwise_or = bitwise(
    "bitwise_or", np.bitwise_or, "bitwise_or_cpu", "biu", "The bits set in one of the elements."
)
bitwise_xor = bitwise(
    "bitwise_xor", np.bitwise_xor, "bitwise_xor_cpu", "biu", "The bits set in exactly one element."
)
bitwise_left_shift = bitwise(
    "bitwise_left_shift", left, "lshift_cpu", "iu", "Each element with its bits moved up."
)
bitwise_right_shift = bitwise(
    "bitwise_right_shift", right, "rshift_cpu", "iu", "Each element with its bits moved down."
)


def invert(self):
    """`~tensor`."""
    if self._array.dtype.kind not in "biu":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return call_unary(TABLE["bitwise_not"], self)


def use_operator(entry, name, function):
    """Makes an entry Python's operator of a name, in its three forms."""
    setattr(Tensor, f"__{name}__", lambda self, other: call_binary(entry, self, other))
    setattr(Tensor, f"__r{name}__", lambda self, other: function(other, self))
    setattr(Tensor, f"__i{name}__", getattr(Tensor, f"{entry.name}_"))


Tensor.__invert__ = invert
use_operator(TABLE["bitwise_and"], "and", bitwise_and)
use_operator(TABLE["bitwise_or"], "or", bitwise_or)
use_operator(TABLE["bitwise_xor"], "xor", bitwise_xor)
use_operator(TABLE["bitwise_left_shift"], "lshift", bitwise_left_shift)
use_operator(TABLE["bitwise_right_shift"], "rshift", bitwise_right_shift)
