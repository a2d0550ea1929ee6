"""Modules and the names in them: a function is never hidden by the module that it is in."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType

import pytest

import rushlight
from rushlight.absent import misses
from rushlight.interop import imports

SAME_IN_TORCH = {  # modules there too, and functions of those names beside them
    "rushlight.autograd.gradcheck",
    "rushlight.nn.utils.spectral_norm",
    "rushlight.nn.utils.weight_norm",
    "rushlight.vision.models.alexnet",
    "rushlight.vision.models.googlenet",
}
MODULES = [m for m in walk_packages(rushlight.__path__, "rushlight.") if not m.name.endswith("__main__")]
PACKAGES = ["rushlight", *(m.name for m in MODULES if m.ispkg)]


@pytest.mark.parametrize("package", PACKAGES)
def test_no_public_name_is_a_module_too(package):
    found = import_module(package)
    inside = [m.name for m in MODULES if m.name.rpartition(".")[0] == package and m.name not in SAME_IN_TORCH]
    values = {name: getattr(found, name.rpartition(".")[2], None) for name in inside}
    assert [name for name, value in values.items() if not isinstance(value, ModuleType | None)] == []


def test_checkers_of_types_see_what_is_loaded_on_demand():
    tree = ast.parse(Path(rushlight.__file__).with_suffix(".pyi").read_text())
    seen = {
        name.asname or name.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for name in node.names
    }
    seen |= {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    loaded = {name for name in (*rushlight._MODULES, *rushlight._HOMES) if not name.startswith("_")}
    assert loaded - seen == set()


LATE = """
import rushlight
from rushlight.ops.late_methods import FUNCTIONS, METHODS
before = set(dir(rushlight.Tensor)), set(dir(rushlight))
from rushlight.linalg import toplevel
assert before == (set(dir(rushlight.Tensor)), set(dir(rushlight)))
assert FUNCTIONS["linalg.toplevel"] == toplevel.__all__
assert all(hasattr(vars(rushlight.Tensor)[name], "refuses") for name in METHODS["linalg"])
"""


def test_what_is_loaded_late_enters_what_was_promised():
    subprocess.run([sys.executable, "-c", LATE], check=True, cwd=Path(rushlight.__file__).parents[1])


def test_a_late_method_of_a_subclass_calls_the_one_that_it_overrides():
    program = (
        "import rushlight\n"
        "class Counted(rushlight.Tensor):\n"
        "    def det(self):\n"
        "        return super().det() + 1\n"
        "print(Counted([[2.0]]).det().item(), rushlight.det.__module__)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=Path(rushlight.__file__).parents[1], capture_output=True)
    assert done.stdout.split() == [b"3.0", b"rushlight"]


IMPORT_ALL = """
import os, pkgutil, sys, rushlight
from importlib import import_module
from pathlib import Path
from rushlight.interop import serve_torch
serve_torch()
first, = sys.argv[1:]
import_module(first)
below = [m.name.partition(".")[2] for m in pkgutil.walk_packages(rushlight.__path__, "rushlight.")]
left = ["__main__", "interop"]
if os.environ.get("RUSHLIGHT_PURE_PYTHON"):  # compiled modules need other compiled ones
    files = Path(rushlight.__path__[0], "core").glob("*.pyx")
    left += [f"core.{file.stem}" for file in files if not file.with_suffix(".py").exists()]
    left += ["kernels.compiled."]
below = [name for name in below if not name.startswith(tuple(left))]
before = []
for name in below:
    module = import_module("rushlight." + name)
    before.append((module, {**vars(module)}))
for name in below:
    assert import_module("torch." + name) is import_module("rushlight." + name)
for module, values in before:
    assert [name for name, value in values.items() if vars(module)[name] is not value] == [], module
from torch.autograd.gradcheck import GradcheckError
assert issubclass(GradcheckError, RuntimeError)
assert callable(import_module("torch.autograd").gradcheck)
"""


@pytest.mark.parametrize("first", ["torch.autograd.gradcheck", "rushlight.autograd.gradcheck", "torch.profiler"])
def test_importing_modules_leaves_names_alone(first):
    done = subprocess.run([sys.executable, "-c", IMPORT_ALL, first], capture_output=True, text=True, timeout=600)
    assert done.stderr == ""


def counted(monkeypatch):
    """How often near names are looked for, which takes milliseconds."""
    looked = []
    monkeypatch.setattr(misses, "near_names", lambda name, known: looked.append(name) or ["near"])
    return looked


@pytest.mark.parametrize("package", ["", ".nn", ".optim", ".autograd", ".distributions"])
def test_near_names_are_looked_for_when_the_message_is_read(monkeypatch, package):
    looked = counted(monkeypatch)
    module = import_module(f"rushlight{package}")
    assert not hasattr(module, "nowhere")
    assert getattr(module, "nowhere", 3) == 3
    with pytest.raises(AttributeError) as error:
        _ = module.nowhere
    assert looked == []
    assert str(error.value).endswith("has no attribute 'nowhere' in rushlight. Did you mean near?")
    assert looked == ["nowhere"]


def test_near_modules_are_looked_for_when_the_message_is_read(monkeypatch):
    looked = counted(monkeypatch)
    monkeypatch.setattr(imports, "near_names", misses.near_names)
    finder = imports.Finder(["torch"])
    with pytest.raises(ModuleNotFoundError) as error:
        finder.find_spec("torch.nowhere")
    assert looked == []
    assert str(error.value) == "No module named 'torch.nowhere' in rushlight. Did you mean torch.near?"


def test_tracebacks_have_near_names():
    done = subprocess.run([sys.executable, "-c", "import rushlight; rushlight.matmull"], capture_output=True, text=True)
    words = "AttributeError: module 'torch' has no attribute 'matmull' in rushlight. Did you mean matmul"
    assert done.stderr.splitlines()[-1].startswith(words)


def test_names_on_demand_are_not_those_of_files():
    """`torch.nn.attention` is the package, though a file of `nn.modules` has the same name."""
    program = "import rushlight; print(rushlight.nn.attention.__name__, rushlight.nn.attention.flex_attention.__name__)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["rushlight.nn.attention", "rushlight.nn.attention.flex_attention"]
