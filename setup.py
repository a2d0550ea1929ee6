"""Compiles the core, and some kernels, with Cython; without a C compiler the core runs as it is, kernels as NumPy."""

import os
import shutil
import sysconfig
from pathlib import Path
from runpy import run_path
from zipfile import ZipFile

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

from build_backend import SHIPPED, compiles
from clones import write_out
from places import write_places

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
    "angle_loops.pyx",
    "elementary_loops.pyx",
    "exponential_loops.pyx",
    "special_loops.pyx",
    "exponential_expressions.pyx",
    "expression_loops.pyx",
    "loops.pyx",
    "rows.pyx",
    "formulas.pyx",
    "guards.py",
    "functions.py",
    "forward.py",
    "batched.py",
    "batching.py",
    "arrays.py",
    "levels.py",
    "link.py",
    "placing.py",
    "writing.py",
    "inplace.py",
]
AUTOGRAD = ["roots.py"]
EXPLAIN = ["finite.pyx", "sites.py", "origins.py", "observer.py", "passes.py"]
COMPILER = [  # what runs for each step of a recording, and at each replay
    "calls.py",
    "guards.py",
    "memories.py",
    "nodes.py",
    "program.py",
    "recorder.py",
    "replaying.py",
    "traced.py",
    "watching.py",
]
OVERRIDES = ["calls.py", "switches.py"]  # what runs at every call, once anything overrides functions
UNTYPED = [  # what most calls of operators go through: Python without types, which is faster compiled as it is
    Path("rushlight/layouts.py"),
    *(
        Path("rushlight", room, f"{name}.py")
        for room, names in {
            "core": "kinds narrow placing turned windows",
            "fft": "calls one_dimension pocketfft several_dimensions transforms",
            "kernels": (
                "convolution depthwise direct few_taps layouts normalization padding patches pointwise pooling "
                "products reductions"
            ),
            "linalg": "calls norms pieces solving vectors",
            "nn/functional": (
                "activation adaptive_pooling attention batch_normalization batching convolution distance dropping "
                "entropy folding fractional_pooling grid_sampling interpolation layer_normalization linear_entropy "
                "losses margin_losses margins normalization planes pool_checks pooling reductions sampling "
                "shuffling sizes standardization unpooling"
            ),
            "ops/arguments": "dims keys mismatch options promotion",
            "ops/changes": "changed_views filling",
            "ops/elementwise": "clamping complexes rounding",
            "ops/making": "creation nested ranges",
            "ops": "out",
            "ops/picking": "embedding embedding_bag flat gather indexed indexing masking one_hot",
            "ops/products": "contractions",
            "ops/randomness": "random_methods random_tensors",
            "ops/reductions": "counting differences extrema norms order reduction segments softmax sorting statistics",
            "random": "distributions examples integers normal",
            "ops/shapes": "broadcasting diagonals dimensions joining padding rearranging shape slicing splitting",
            "refusals": "dtypes",
        }.items()
        for name in names.split()
    ),
]
CODES = Path("rushlight/kernels/codes.py")
TYPED = [
    *(Path("rushlight/core", name) for name in CORE),
    *(Path("rushlight/autograd", name) for name in AUTOGRAD),
    *(Path("rushlight/explain", name) for name in EXPLAIN),
    *(Path("rushlight/compiler", name) for name in COMPILER),
    *(Path("rushlight/overrides", name) for name in OVERRIDES),
    *sorted(Path("rushlight/kernels/compiled").glob("*.pyx")),
]
SOURCES = [*TYPED, *UNTYPED]
NEEDED = {"sharing", "exponential", "ufuncs"}  # kernels that the core is compiled with
TYPES = [*Path("rushlight").rglob("*.px[di]")]  # what the sources share or include
# Loops become vector instructions; what debuggers need would make the modules six times as large.
FAST = [] if os.name == "nt" else ["-O3", "-fno-math-errno", "-fno-trapping-math", "-g0"]
SHORT = ["-O1"] if FAST else []  # code without types gains nothing more, and takes half the time to compile
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")


def prebuilt_wheel():
    """A wheel in dist/ that has been built from the very sources that are here, for a Python like this; or None."""
    if os.environ.get("RUSHLIGHT_PURE_PYTHON"):
        return None
    compiled = {source.with_suffix(SUFFIX).as_posix() for source in SOURCES}
    for path in sorted(Path("dist").glob("rushlight-*.whl")):
        with ZipFile(path) as wheel:
            names = set(wheel.namelist())
            if compiled <= names and all(
                file.as_posix() in names and wheel.read(file.as_posix()) == file.read_bytes()
                for file in [CODES, *SOURCES, *TYPES]
            ):
                return path
    return None


def translate():
    """The C files of all sources, in their order."""
    if SHIPPED.is_dir():
        return [str(SHIPPED / source.with_suffix(".c")) for source in SOURCES]
    from Cython.Build import cythonize

    directives = {"language_level": 3, "boundscheck": False, "wraparound": True, "initializedcheck": False}
    files = []
    for sources in (TYPED, UNTYPED):
        directives["annotation_typing"] = sources is TYPED
        modules = [Extension(name_of(source), [str(source)]) for source in sources]
        translated = cythonize(modules, build_dir="build/cython", compiler_directives=directives)
        files += [module.sources[0] for module in translated]
    for file in files:
        write_out(file)
        write_places(file)
    return files


class BuildModules(build_ext):
    """Takes the compiled modules from a wheel that fits, or compiles them."""

    def finalize_options(self):
        """Compiles as many modules at a time as there are CPUs."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def build_extensions(self):
        """Fills in the C files, and compiles them."""
        import numpy

        for module, source in zip(self.extensions, translate(), strict=True):
            module.sources = [source]
            module.include_dirs = [numpy.get_include()]
        super().build_extensions()

    def run(self):
        """Compiles, or says why not and leaves the Python files to run as they are."""
        try:
            if WHEEL:
                unpack(WHEEL, "." if self.inplace else self.build_lib)
            else:
                super().run()
        except Exception as error:
            print(f"rushlight: the core stays uncompiled and runs as plain Python ({error})")


def unpack(wheel, folder):
    """Takes the compiled modules out of a wheel."""
    with ZipFile(wheel) as files:
        files.extractall(folder, [name for name in files.namelist() if name.endswith(SUFFIX)])


class WithCFiles(sdist):
    """A source distribution with the C files: who builds from it needs no Cython."""

    def make_release_tree(self, base_dir, files):
        """Adds the C files."""
        super().make_release_tree(base_dir, files)
        for source, made in zip(SOURCES, translate(), strict=True):
            target = Path(base_dir, SHIPPED, source.with_suffix(".c"))
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(made, target)


def name_of(source):
    """The name of the module that a source becomes."""
    return ".".join(source.with_suffix("").parts)


def own_flags(source):
    """What a source asks of the compiler in its first line, which is lost with shipped C files."""
    if source in UNTYPED:
        return SHORT
    first = source.read_text("utf-8").partition("\n")[0]
    asked = first.removeprefix("# distutils: extra_compile_args =")
    return asked.split() if FAST and asked != first else []


def modules():
    """The modules to compile; their C files and include folders are filled in when they are built."""
    numbers = [(f"RUSHLIGHT_{name}", str(value)) for name, value in run_path(str(CODES)).items() if name.isupper()]
    return [
        Extension(
            name_of(source),
            [str(source)],
            extra_compile_args=FAST + own_flags(source),
            define_macros=[("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION"), *numbers],
            depends=[CODES.as_posix()],
            optional="kernels" in source.parts and source.stem not in NEEDED,
        )
        for source in SOURCES
    ]


WHEEL = prebuilt_wheel()
COMPILED = WHEEL is not None or compiles()
if WHEEL:
    print(f"rushlight: takes the compiled modules of {WHEEL}")
elif not COMPILED:
    print("rushlight: there is no C compiler, or none is wanted: the core runs as plain Python, some times slower")
setup(ext_modules=modules() if COMPILED else [], cmdclass={"build_ext": BuildModules, "sdist": WithCFiles})
