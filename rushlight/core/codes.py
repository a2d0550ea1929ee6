"""Numbers by which the files of the core know flags, kinds and ways.

A compiled file declares the ones that it uses in its .pxd, and so has them as C numbers.
"""

# flags of a node
RESHAPE = 1  # an input was broadcast: its cotangent is summed back to the input's shape
CAST = 2  # an input had another dtype than the result: its cotangent is cast back
CONJUGATE = 4  # complex and holomorphic: the formula is applied between two conjugations
BATCHED = 8  # an argument was batched: the formula runs on tensors, which handle batches
NARROW = 16  # an array is of a narrow type: the formula runs in float32 (see `narrow`)

# kinds of saved values
ARGUMENT = 0  # an argument as it was given: a tensor, a number, an option
ARGUMENTS = 1  # a list of tensors that was one argument
RESULT = 2  # an output of the operation
SHAPE = 3  # the shape of an argument
SHAPES = 4  # the shapes of a list of tensors
COLUMNS = 5  # whether an argument is stored in column-major order
STRIDES = 6  # an argument's strides, in elements

# how views were made
DEFAULT = 0
MULTI = 1  # by an operation with several views
UNRECORDED = 2
CUSTOM = 3  # in a custom function
INFERRED = 4  # in inference mode

# when the layout of a result is checked
NEVER = 0
DISORDER = 1  # if it is not contiguous
OPERANDS = 2  # also if an operand is not
ALWAYS = 3

# ways to call an operator
ONE = 0  # with one operand
TWO = 1  # with two
ANY = 2  # with any arguments
BARE = 3  # on bare arrays

LAST_OF_NUMPY = 255  # dtypes added by packages have larger numbers: narrow types (see `narrow`)
HALF = 23  # NumPy's number of float16
