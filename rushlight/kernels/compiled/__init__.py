"""Kernels in Cython, for what NumPy cannot do in a few passes; each serves one NumPy form in `rushlight.kernels`.

A compiled kernel takes what is frequent: contiguous arrays of float32 or float64. Its NumPy form, which takes anything,
asks `load` for it, and does without where nothing was compiled or RUSHLIGHT_PURE_PYTHON=1 is set. `lanes.pxd` has the
vectors that the kernels compute with, and how one source serves several generations of CPUs.
"""

import os
from importlib import import_module
from types import ModuleType

__all__ = ["load", "names"]


def load(name: str) -> ModuleType | None:
    """The compiled module of this name; None where there is none, or none is wanted."""
    if os.environ.get("RUSHLIGHT_PURE_PYTHON"):
        return None
    try:
        return import_module(f"rushlight.kernels.compiled.{name}")
    except ImportError:
        return None


def names() -> list[str]:
    """The names of all kernels that there are, compiled or not."""
    here = os.path.dirname(__file__)
    return sorted(name.removesuffix(".pyx") for name in os.listdir(here) if name.endswith(".pyx"))
