"""The files for checkers of types beside the modules (.pyi): they name what the modules have."""

import ast
import subprocess
import sys
from importlib import import_module
from inspect import signature
from os import PathLike
from pathlib import Path

import pytest
from beside import beside

import rushlight
from rushlight import return_types

FOLDER = Path(rushlight.__file__).parent
STUBS = sorted(FOLDER.rglob("*.pyi"))
ONLY_FOR_TYPES = {"Results", "__getattr__"}


def named(stub):
    """The definitions of a stub by name."""
    found = {}
    for node in ast.parse(stub.read_text()).body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            found[node.name] = node
        elif isinstance(node, ast.AnnAssign):
            found[node.target.id] = node
    return found


def test_there_are_stubs():
    assert {stub.stem for stub in STUBS} >= {"graph", "operators", "return_types"}


@pytest.mark.parametrize("stub", STUBS, ids=lambda stub: stub.stem)
def test_every_name_is_in_the_module(stub):
    parts = stub.relative_to(FOLDER.parent).with_suffix("").parts
    module = import_module(".".join(part for part in parts if part != "__init__"))  # which would load the package twice
    assert [name for name in named(stub) if not hasattr(module, name) and name not in ONLY_FOR_TYPES] == []


def test_results_have_their_fields():
    stub = named(FOLDER / "return_types.pyi")
    classes = {name: node for name, node in stub.items() if isinstance(node, ast.ClassDef) and name != "Results"}
    made = {name: value for name, value in vars(return_types).items() if hasattr(value, "n_fields")}
    assert classes.keys() == made.keys()
    for name, node in classes.items():
        fields = [field.target.id for field in node.body]
        result = made[name](range(len(fields)))
        assert [getattr(result, field) for field in fields] == list(range(made[name].n_fields))


def test_files_are_named_by_paths_too():
    filename = named(FOLDER / "__init__.pyi")["from_file"].args.args[0]
    assert "_PathLike[_str]" in ast.unparse(filename.annotation)
    for kind in (rushlight.UntypedStorage, rushlight.FloatStorage):
        assert signature(kind.from_file).parameters["filename"].annotation == str | PathLike[str]


def test_generated_stubs_are_up_to_date():
    root = beside("stubs").parent
    done = subprocess.run([sys.executable, "-m", "stubs", "--check"], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
