"""Scripts that record results run by their path alone: they import what lies beside them or is installed."""

import ast
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOMS = {path.stem for path in HERE.iterdir()} - {"verify"}  # the package at the root, which scripts add to the path


def imported(path: Path) -> set[str]:
    """First parts of the names that a file imports, those of files beside the scripts included."""
    tree = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    names = {name for node in tree for name in named(node)}
    beside = [path.parent / f"{name}.py" for name in names] + [path.parent / name / "__init__.py" for name in names]
    return names.union(*(imported(file) for file in beside if file.exists()))


def named(node: ast.AST) -> list[str]:
    """What an import statement imports, relative imports left out."""
    if isinstance(node, ast.Import):
        return [alias.name.partition(".")[0] for alias in node.names]
    return [node.module.partition(".")[0]] if isinstance(node, ast.ImportFrom) and not node.level else []


@pytest.mark.parametrize("path", sorted(HERE.rglob("record_*.py")) + sorted(HERE.rglob("record.py")), ids=str)
def test_a_script_finds_what_it_imports(path):
    assert not {name for name in imported(path) & ROOMS if not list(path.parent.glob(f"{name}*"))}
