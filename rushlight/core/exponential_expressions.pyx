# cython: boundscheck=False, wraparound=False, cdivision=True
"""The loops of expressions with exponentials, which are the faster for products that are added without being rounded."""

from numpy cimport npy_intp

from rushlight.core.exponentials cimport exponential_of
from rushlight.kernels.compiled.elements cimport (
    larger, magnitude, negated, root, sign_of, smaller, truncated, with_sign
)
from rushlight.kernels.compiled.lanes cimport real, wide

include "exponential_expressions.pxi"
include "expression_runs.pxi"


cdef Loop exponential_expression_loop(str expression, bint single):
    """The loop of an expression."""
    return loop_of_expression(expression, single)
