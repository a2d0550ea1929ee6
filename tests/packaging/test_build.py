"""What setup.py and build_backend.py do where there is no compiler, and where a wheel has been built already."""

import os
import shutil
import subprocess
import sys
import sysconfig
from zipfile import ZipFile

import pytest
from beside import beside

pytest.importorskip("setuptools", minversion="77")
ROOT = beside("setup.py").parent
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
NO_COMPILER = {"CC": "no-such-compiler", "CXX": "no-such-compiler", "PATH": ""}

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the compiler of Windows is not found by PATH or CC")


@pytest.fixture
def project(tmp_path):
    """The files that a build reads, with a Cython that may not be used."""
    for name in ("setup.py", "build_backend.py", "clones.py", "places.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    left_out = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
    shutil.copytree(ROOT / "rushlight", tmp_path / "rushlight", ignore=left_out)
    (tmp_path / "Cython").mkdir()
    (tmp_path / "Cython" / "__init__.py").write_text("raise ImportError('nothing is to be translated')")
    return tmp_path


def python(project, *arguments):
    """The output of Python in the project's folder, without a compiler."""
    environment = {**os.environ, **NO_COMPILER, "PYTHONPATH": str(project)}
    environment.pop("RUSHLIGHT_PURE_PYTHON", None)  # builds are tried, whichever form runs the tests
    done = subprocess.run([sys.executable, *arguments], cwd=project, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_without_a_compiler_nothing_is_fetched_or_translated(project):
    ask = "import build_backend; print(build_backend.get_requires_for_build_wheel())"
    assert python(project, "-c", ask) == "[]\n"
    assert "there is no C compiler" in python(project, "setup.py", "build_ext", "--inplace")
    assert not list(project.rglob(f"*{SUFFIX}"))


@pytest.mark.parametrize("changed", [False, True])
def test_the_modules_of_a_wheel_are_taken_where_they_are_of_the_same_sources(project, changed):
    sources = [path for path in project.rglob("rushlight/**/*") if path.suffix in (".py", ".pyx", ".pxd", ".pxi")]
    (project / "dist").mkdir()
    with ZipFile(project / "dist" / "rushlight-0.1.0-a-fitting-wheel.whl", "w") as wheel:
        for path in sources:
            wheel.write(path, path.relative_to(project))
        for name in {path.relative_to(project).with_suffix(SUFFIX).as_posix() for path in sources}:
            wheel.writestr(name, "compiled")
    if changed:
        (project / "rushlight" / "core" / "graph.pxd").write_text("# another one")
    python(project, "setup.py", "-q", "build_ext", "--inplace")
    taken = project / "rushlight" / "core" / f"graph{SUFFIX}"
    assert taken.exists() is not changed


def test_what_a_source_asks_of_the_compiler_reaches_it(project):
    print_flags = """
import setuptools, build_backend
build_backend.compiles = lambda: True
setuptools.setup = lambda ext_modules, **_: print({m.name: m.extra_compile_args for m in ext_modules})
import setup
"""
    flags = eval(python(project, "-c", print_flags))
    kernels = "rushlight.kernels.compiled"
    assert "-ffp-contract=off" in flags[f"{kernels}.updates"]
    assert "-fassociative-math" in flags[f"{kernels}.softmax"]
    assert flags["rushlight.core.graph"] == flags[f"{kernels}.gemm"]


def test_whatever_declares_its_types_is_compiled(project):
    text = (project / "setup.py").read_text("utf-8")
    declared = {path.stem for path in project.rglob("rushlight/core/*.pxd") if path.stem != "__init__"}
    sources = [path.name for path in project.rglob("rushlight/core/*.py*") if path.stem in declared]
    compiled = [name for name in sources if name.endswith((".py", ".pyx"))]
    assert "graph.py" in compiled
    assert [name for name in compiled if f'"{name}"' not in text and f'"{name}x"' not in text] == []
