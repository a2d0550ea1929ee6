"""Compiles the core, and some kernels, with Cython; without a C compiler the core runs as it is, kernels as NumPy."""

import os
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

CORE = [
    "graph.py",
    "entries.py",
    "recording.py",
    "interpreters.py",
    "operators.py",
    "arithmetic.py",
    "engine.py",
    "modes.py",
    "context.pyx",
    "formulas.pyx",
    "guards.py",
]
SOURCES = [Path("rushlight/core", name) for name in CORE] + sorted(Path("rushlight/kernels/compiled").glob("*.pyx"))
# Loops become vector instructions; what debuggers need would make the modules six times as large.
FAST = [] if os.name == "nt" else ["-O3", "-fno-math-errno", "-fno-trapping-math", "-g0"]


class BuildIfPossible(build_ext):
    """Builds the core, and goes on without it when there is no compiler."""

    def finalize_options(self):
        """Compiles as many modules at a time as there are CPUs."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def run(self):
        """Compiles, or says why not and leaves the Python files to run as they are."""
        try:
            super().run()
        except Exception as error:
            print(f"rushlight: the core stays uncompiled and runs as plain Python ({error})")


def extensions():
    """The modules to compile, or none where Cython is missing or RUSHLIGHT_PURE_PYTHON is set."""
    if os.environ.get("RUSHLIGHT_PURE_PYTHON"):
        return []
    try:
        import numpy
        from Cython.Build import cythonize
    except ImportError:
        return []
    modules = [
        Extension(".".join(source.with_suffix("").parts), [str(source)], include_dirs=[numpy.get_include()],
                  extra_compile_args=FAST, define_macros=[("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION")],
                  optional="kernels" in source.parts and source.stem != "sharing")
        for source in SOURCES
    ]  # fmt: skip
    directives = {"language_level": 3, "boundscheck": False, "wraparound": True, "initializedcheck": False}
    return cythonize(modules, build_dir="build/cython", compiler_directives=directives)


setup(ext_modules=extensions(), cmdclass={"build_ext": BuildIfPossible})
