"""Kernels in Cython, for what takes NumPy many passes; each belongs to a NumPy version in `rushlight.kernels`.

A compiled kernel takes the frequent case: contiguous arrays of float32 or float64. Its NumPy version, which takes
anything, gets it by `load`, and works without it if nothing was compiled or RUSHLIGHT_PURE_PYTHON=1 is set. `lanes.pxd`
defines the vectors that kernels compute with, and how one source is compiled for several generations of CPUs.
"""

import os
from importlib import import_module
from types import ModuleType

__all__ = ["load", "names"]


def load(name: str) -> ModuleType | None:
    """The compiled module of a name; None if it does not exist or is disabled."""
    if os.environ.get("RUSHLIGHT_PURE_PYTHON"):
        return None
    try:
        return import_module(f"rushlight.kernels.compiled.{name}")
    except ImportError:
        return None


def names() -> list[str]:
    """The names of all kernels, compiled or not."""
    here = os.path.dirname(__file__)
    return sorted(name.removesuffix(".pyx") for name in os.listdir(here) if name.endswith(".pyx"))
