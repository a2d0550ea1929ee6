"""Numbers that kernels share with the Python code that calls them.

`setup.py` hands them to the C compiler, so that kernels have them as constants: see `compiled/codes.pxd`.
"""

# kinds of reductions
SUM = 0
NUMBERS = 1  # the sum, ignoring NaN
PRODUCT = 2
LARGEST = 3  # NaN where there is one
SMALLEST = 4
SQUARES = 5  # the sum of squares
SIZES = 6  # the sum of absolute values

MOST_DIMS = 64  # of NumPy's arrays
MOST_STEPS = 32  # formulas with more steps, or more constants, stay Python functions
ALIGNMENT = 64  # bytes: where arrays start in the memory of a compiled program
MOST_INPUTS = 8  # of an expression
