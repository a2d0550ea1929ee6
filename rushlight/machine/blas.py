"""The BLAS libraries of NumPy and SciPy: which kernels they chose for this CPU, and how many threads they use."""

import ctypes
import os
from functools import cache
from typing import Any

import numpy as np

WIDE_KERNELS = {"SkylakeX", "Cooperlake", "SapphireRapids"}  # OpenBLAS's kernels for AVX-512
PLACES = ("../{}.libs", ".dylibs")  # where wheels keep OpenBLAS: beside the package or in it
MANY = 512  # rows of a matrix from which its decomposition is faster in several threads


@cache
def openblas(package: str = "numpy") -> ctypes.CDLL | None:
    """The OpenBLAS in NumPy's or SciPy's wheel; None if that was built with another library."""
    home = os.path.join(os.path.dirname(os.path.dirname(np.__file__)), package)
    for folder in filter(os.path.isdir, (os.path.join(home, place.format(package)) for place in PLACES)):
        for name in sorted(name for name in os.listdir(folder) if "openblas" in name):
            try:
                return ctypes.CDLL(os.path.join(folder, name))
            except OSError:
                continue
    return None


@cache
def symbol(name: str, restype: Any = ctypes.c_int, package: str = "numpy") -> Any:
    """A function of OpenBLAS, by one of its names in different builds; None if it has none of them."""
    library = openblas(package)
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


def settle_scipy(rows: int) -> None:
    """Has SciPy's BLAS take one thread for matrices of few rows or columns, where its threads wait for each other."""
    function = symbol("set_num_threads", package="scipy")
    if function is not None:
        function(1 if rows < MANY else get_num_threads())


def lapack_functions(names: Any, *matrices: np.ndarray) -> Any:
    """SciPy's LAPACK function of a name, or those of several, for the type of some matrices, and threads for them."""
    settle_scipy(min(matrices[0].shape[-2:]))
    return functions_for(names, *[matrix.dtype for matrix in matrices])


@cache
def functions_for(names: Any, *types: np.dtype) -> Any:
    """SciPy's LAPACK functions for matrices of some types."""
    from scipy.linalg.lapack import get_lapack_funcs

    return get_lapack_funcs(names, [np.empty((1, 1), kind) for kind in types])
