"""NumPy's BLAS library: which kernels it chose for this CPU, and how many threads it uses."""

import ctypes
import os
from functools import cache
from typing import Any

import numpy as np

WIDE_KERNELS = {"SkylakeX", "Cooperlake", "SapphireRapids"}  # OpenBLAS's kernels for AVX-512
PLACES = ("../numpy.libs", ".dylibs")  # where NumPy's wheels keep OpenBLAS: beside the package or in it


@cache
def openblas() -> ctypes.CDLL | None:
    """The OpenBLAS in NumPy's wheel; None if NumPy was built with another library."""
    home = os.path.dirname(np.__file__)
    for folder in filter(os.path.isdir, (os.path.join(home, place) for place in PLACES)):
        for name in sorted(name for name in os.listdir(folder) if "openblas" in name):
            try:
                return ctypes.CDLL(os.path.join(folder, name))
            except OSError:
                continue
    return None


def symbol(name: str, restype: Any = ctypes.c_int) -> Any:
    """A function of OpenBLAS, by one of its names in different builds; None if it has none of them."""
    library = openblas()
    for full_name in (f"scipy_openblas_{name}64_", f"scipy_openblas_{name}", f"openblas_{name}64_", f"openblas_{name}"):
        if library is not None and hasattr(library, full_name):
            function = getattr(library, full_name)
            function.restype = restype
            return function
    return None


def address(name: str) -> int:
    """Where a function of OpenBLAS begins that takes integers of 64 bits; 0 if there is none."""
    for full_name in (f"scipy_{name}64_", f"{name}64_"):
        function = getattr(openblas(), full_name, None)
        if function is not None:
            return ctypes.cast(function, ctypes.c_void_p).value or 0
    return 0


def kernel() -> str:
    """The kernels that OpenBLAS chose, by the name of a CPU, such as `SkylakeX`; "unknown" for another library."""
    function = symbol("get_corename", ctypes.c_char_p)
    return "unknown" if function is None else function().decode()


def library() -> str:
    """The BLAS that NumPy was built with, and its version."""
    found = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return f"{found['name']} {found['version']}"


def get_num_threads() -> int:
    """The number of threads of matrix products; for a BLAS other than OpenBLAS the number of CPU cores."""
    function = symbol("get_num_threads")
    return (os.cpu_count() or 1) if function is None else function()


def set_num_threads(num: int) -> None:
    """Sets the number of threads of matrix products, if the BLAS is OpenBLAS."""
    function = symbol("set_num_threads")
    if function is not None:
        function(num)
