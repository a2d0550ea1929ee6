"""The namespace of the Python array API standard, 2024.12: what `x.__array_namespace__()` gives.

Its names are NumPy's, and so are the functions, which come from `rushlight.numpy_functions`. Dtypes and promotion are
PyTorch's; docs/arrays.md lists where these contradict the standard.
"""

from math import e, inf, nan, pi

from rushlight.array_api import fft, linalg
from rushlight.array_api.creation import (
    arange,
    asarray,
    empty,
    empty_like,
    eye,
    from_dlpack,
    full,
    full_like,
    linspace,
    ones,
    ones_like,
    zeros,
    zeros_like,
)
from rushlight.array_api.functions import *
from rushlight.array_api.functions import __all__ as _functions
from rushlight.array_api.inspection import __array_namespace_info__
from rushlight.array_api.types import DTYPES as _DTYPES
from rushlight.array_api.types import can_cast, finfo, iinfo, isdtype, result_type

globals().update(_DTYPES)
newaxis = None
__array_api_version__ = "2024.12"

__all__ = [
    *_functions,
    *_DTYPES,
    "__array_api_version__",
    "__array_namespace_info__",
    "arange",
    "asarray",
    "can_cast",
    "e",
    "empty",
    "empty_like",
    "eye",
    "fft",
    "finfo",
    "from_dlpack",
    "full",
    "full_like",
    "iinfo",
    "inf",
    "isdtype",
    "linalg",
    "linspace",
    "nan",
    "newaxis",
    "ones",
    "ones_like",
    "pi",
    "result_type",
    "zeros",
    "zeros_like",
]
