"""Writes loops in Cython from formulas and rules that are written in NumPy: `python -m loops`.

Optimizers' rules become `kernels/compiled/update_loops.pxi` (updates.py), expressions of operators' formulas become
`core/expression_loops.pxi` and, with exponentials, `core/exponential_expressions.pxi` (expressions.py).
"""
