"""The arithmetic of tensors: Python's operators, as C slots where the core is compiled."""

from rushlight.core.graph import TensorBase
from rushlight.core.operators import binary, pair, plain_product, unary


class Slots:
    """The operators behind Python's arithmetic, each set when it is entered.

    `matmul` handles all products but the plain ones.
    """

    __slots__ = ("add", "div", "matmul", "mm", "mul", "mv", "neg", "rsub", "sub")


SLOTS = Slots()


def fill(slot, value):
    """Puts an operator into its slot. AttributeError for a slot that does not exist."""
    setattr(SLOTS, slot, value)


class Arithmetic(TensorBase):
    """A tensor that can be added, subtracted, multiplied, divided and negated."""

    def __hash__(self):
        return id(self)

    def __add__(self, other):
        return binary(SLOTS.add, self, other)

    def __radd__(self, other):
        return binary(SLOTS.add, self, other)

    def __sub__(self, other):
        return binary(SLOTS.sub, self, other)

    def __rsub__(self, other):
        return binary(SLOTS.rsub, self, other)

    def __mul__(self, other):
        return binary(SLOTS.mul, self, other)

    def __rmul__(self, other):
        return binary(SLOTS.mul, self, other)

    def __truediv__(self, other):
        return binary(SLOTS.div, self, other)

    def __matmul__(self, other):
        if not isinstance(other, TensorBase):
            return NotImplemented
        dims = plain_product(self, other)
        if dims == 0:
            return SLOTS.matmul(self, other)
        return pair(SLOTS.mv if dims == 1 else SLOTS.mm, self, other)

    def __neg__(self):
        return unary(SLOTS.neg, self)
