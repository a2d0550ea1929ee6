"""Compiles the core with Cython where that is possible; without a C compiler the same files run as they are."""

import os

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

CORE = ["graph.py", "operators.py", "arithmetic.py", "engine.py", "modes.py", "loops.pyx"]


class BuildIfPossible(build_ext):
    """Builds the core, and goes on without it when there is no compiler."""

    def run(self):
        """Compiles, or says why not and leaves the Python files to run as they are."""
        try:
            super().run()
        except Exception as error:
            print(f"rushlight: the core stays uncompiled and runs as plain Python ({error})")


def extensions():
    """The core's modules, or none where Cython is missing or RUSHLIGHT_PURE_PYTHON is set."""
    if os.environ.get("RUSHLIGHT_PURE_PYTHON"):
        return []
    try:
        import numpy
        from Cython.Build import cythonize
    except ImportError:
        return []
    modules = [
        Extension(f"rushlight.core.{name.split('.')[0]}", [f"rushlight/core/{name}"],
                  include_dirs=[numpy.get_include()],
                  define_macros=[("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION")])
        for name in CORE
    ]  # fmt: skip
    directives = {"language_level": 3, "boundscheck": False, "wraparound": True, "initializedcheck": False}
    return cythonize(modules, build_dir="build/cython", compiler_directives=directives)


setup(ext_modules=extensions(), cmdclass={"build_ext": BuildIfPossible})
