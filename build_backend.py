"""setuptools' backend, which asks for Cython and NumPy only where there is a compiler to use them."""

import os
import tempfile
from pathlib import Path

from setuptools import Distribution
from setuptools.build_meta import *  # noqa: F403 (a backend is a module with these functions)
from setuptools.command.build_ext import build_ext

SHIPPED = Path("generated")  # the C files of a source distribution; in a checkout Cython makes them


def get_requires_for_build_wheel(config_settings=None):
    """What pip installs before it builds a wheel."""
    if not compiles():
        return []
    return ["numpy>=2.3"] if SHIPPED.is_dir() else ["cython>=3.1", "numpy>=2.3"]


get_requires_for_build_editable = get_requires_for_build_wheel


def get_requires_for_build_sdist(config_settings=None):
    """What pip installs before it makes a source distribution, which has the C files."""
    return [] if SHIPPED.is_dir() else ["cython>=3.1", "numpy>=2.3"]


def compiles():
    """Whether the core is to be compiled, and can be: whether a C file that includes Python's headers compiles."""
    if os.environ.get("RUSHLIGHT_PURE_PYTHON"):
        return False
    from distutils.ccompiler import new_compiler  # setuptools' own
    from distutils.sysconfig import customize_compiler

    command = build_ext(Distribution())
    command.finalize_options()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "empty.c")
        source.write_text("#include <Python.h>\n")
        try:
            compiler = new_compiler()
            customize_compiler(compiler)
            compiler.compile([str(source)], output_dir=folder, include_dirs=command.include_dirs)
        except Exception:
            return False
    return True
