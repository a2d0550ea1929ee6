"""Names of types that annotations of many files use."""

from typing import Any, TypeAlias

# What formulas compute with: an array in most passes, a tensor where derivatives are differentiated again.
# NumPy's functions and operators take both, which no checker of types can express.
Array: TypeAlias = Any
