"""Numbers by which the compiler's files know kinds of places."""

# where a program's inputs are found in a call
ARGUMENT = 0
TENSOR = 1  # a tensor that is no argument
GRAD = 2  # the gradient of a tensor
EARLIER = 3  # a result of an earlier part of the call
NUMBER = 4
COTANGENT = 5
OUTPUT = -1  # a result of the call itself

# where a function reads what its result depends on
IN_DICT = 0
AT_INDEX = 1
LENGTH = 2
CELL = 3
ATTRIBUTE = 4
IN_MAPPING = 5
