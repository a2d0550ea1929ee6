"""The arithmetic of tensors: Python's operators, as C slots where the core is compiled."""

from rushlight.core.graph import TensorBase
from rushlight.core.operators import binary, unary

ADD = SUB = RSUB = MUL = DIV = NEG = None


def use(add, sub, rsub, mul, div, neg):
    """Tells the arithmetic its operators, once the table has them."""
    global ADD, SUB, RSUB, MUL, DIV, NEG
    ADD, SUB, RSUB, MUL, DIV, NEG = add, sub, rsub, mul, div, neg


class Arithmetic(TensorBase):
    """A tensor that can be added, subtracted, multiplied, divided and negated."""

    def __add__(self, other):
        return binary(ADD, self, other)

    def __radd__(self, other):
        return binary(ADD, self, other)

    def __sub__(self, other):
        return binary(SUB, self, other)

    def __rsub__(self, other):
        return binary(RSUB, self, other)

    def __mul__(self, other):
        return binary(MUL, self, other)

    def __rmul__(self, other):
        return binary(MUL, self, other)

    def __truediv__(self, other):
        return binary(DIV, self, other)

    def __neg__(self):
        return unary(NEG, self)
