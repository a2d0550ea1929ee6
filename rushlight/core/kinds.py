"""The kinds of dtypes, as NumPy's letters, and their largest numbers."""

import numpy as np

LARGEST = {np.dtype(kind): float(np.finfo(kind).max) for kind in (np.float16, np.float32, np.float64)}
"""The largest number of each real floating-point type; `narrow` adds its own."""


INDICES = np.dtype(np.int64), np.dtype(np.int32)
"""The dtypes that most functions accept as indices."""


def kind_of(dtype: np.dtype) -> str:
    """A dtype's `kind`: "b", "u", "i", "f" or "c". NumPy calls ml_dtypes' floating-point types "V", for void."""
    kind = dtype.kind
    return "f" if kind == "V" else kind


def is_half(dtype: np.dtype) -> bool:
    """Whether a dtype is a floating-point type of 16 bits: float16, or bfloat16."""
    return dtype.itemsize == 2 and kind_of(dtype) == "f"
