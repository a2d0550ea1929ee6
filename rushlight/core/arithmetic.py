"""The arithmetic of tensors: Python's operators, as C slots where the core is compiled."""

from rushlight.core.graph import TensorBase
from rushlight.core.operators import binary, pair, plain_product, unary

ADD = SUB = RSUB = MUL = DIV = NEG = MV = MM = None
MATMUL = None  # the function for products of any other operands


def use(add, sub, rsub, mul, div, neg):
    """Tells the arithmetic its operators, once the table has them."""
    global ADD, SUB, RSUB, MUL, DIV, NEG
    ADD, SUB, RSUB, MUL, DIV, NEG = add, sub, rsub, mul, div, neg


def use_products(matmul, mv, mm):
    """Tells the arithmetic its matrix products."""
    global MATMUL, MV, MM
    MATMUL, MV, MM = matmul, mv, mm


class Arithmetic(TensorBase):
    """A tensor that can be added, subtracted, multiplied, divided and negated."""

    def __hash__(self):
        return id(self)

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

    def __matmul__(self, other):
        if not isinstance(other, TensorBase):
            return NotImplemented
        dims = plain_product(self, other)
        if dims == 0:
            return MATMUL(self, other)
        return pair(MV if dims == 1 else MM, self, other)

    def __neg__(self):
        return unary(NEG, self)
