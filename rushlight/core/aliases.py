"""Names of types that the annotations of many files use."""

from typing import Any, TypeAlias

# What formulas compute with: an array in most passes, a tensor in passes with `create_graph`. NumPy's functions and
# operators take both, which no type checker can express.
Array: TypeAlias = Any
