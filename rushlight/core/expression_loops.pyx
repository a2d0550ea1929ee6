# distutils: extra_compile_args = -ffp-contract=off
# cython: boundscheck=False, wraparound=False, cdivision=True
"""The loops of expressions (`expressions.py`), made from the formulas of operators by `python -m loops`.

The loops take arrays without gaps; other inputs are copied to scratch memory first, a part at a time.
"""

from numpy cimport npy_intp

from rushlight.core.exponential_expressions cimport exponential_expression_loop
from rushlight.kernels.compiled.elements cimport (
    larger, magnitude, negated, root, rounded, sign_of, smaller, truncated, with_sign
)
from rushlight.kernels.compiled.lanes cimport real, wide

from rushlight.core.exponential_expressions import LOOPS as WITH_EXPONENTIALS

include "expression_loops.pxi"
include "expression_runs.pxi"

EXPRESSIONS = LOOPS.keys() | WITH_EXPONENTIALS.keys()


cdef Loop expression_loop(str expression, bint single):
    """The loop of an expression."""
    return (loop_of_expression if expression in LOOPS else exponential_expression_loop)(expression, single)
