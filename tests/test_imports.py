"""Imports run one way: no file imports one that imports it, not in its functions either, which load what is heavy."""

import ast
import subprocess
import sys
from collections import defaultdict
from graphlib import TopologicalSorter
from pathlib import Path

import rushlight

ROOT = Path(rushlight.__file__).parents[1]
FILES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in (ROOT / "rushlight").rglob("*.py")
}


def imported(name, node):
    """The project's files that an import statement of a file names."""
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names if alias.name in FILES}
    package = name if FILES[name].name == "__init__.py" else name.rpartition(".")[0]
    above = package.rsplit(".", node.level - 1)[0] if node.level else ""
    module = f"{above}.{node.module}".strip(".") if node.module else above
    found = {f"{module}.{alias.name}" for alias in node.names}
    return {file if file in FILES else module for file in found} & FILES.keys()


def statements(tree):
    """The import statements of a file, and whether each is within a function; those for checkers of types left out."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node, False
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from ((n, True) for n in ast.walk(node) if isinstance(n, (ast.Import, ast.ImportFrom)))
        elif not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)):
            yield from statements(node)


def named_in_calls(tree):
    """The files of the project that calls of `import_module` name, except the whole package, where names are served."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "").endswith("import_module"):
            name = node.args[0]
            if isinstance(name, ast.Constant) and name.value in FILES.keys() - {"rushlight"}:
                yield name.value


def graph():
    """What each file imports when it is loaded; and (file, line, imported file) of each import within a function."""
    loading, inner = defaultdict(set), []
    for name, path in FILES.items():
        for node, late in statements(ast.parse(path.read_text(encoding="utf-8"))):
            if late:
                inner += [(name, node.lineno, file) for file in imported(name, node)]
            else:
                loading[name] |= imported(name, node) - {name}
    return loading, inner


LOADING, INNER = graph()


def loaded_with(name):
    """All files that are loaded with a file, the packages that they are in among them."""
    found, ahead = set(), [name]
    while ahead:
        file = ahead.pop()
        parents = {file.rsplit(".", n)[0] for n in range(1, file.count(".") + 1)}
        new = (LOADING[file] | parents) - found
        found |= new
        ahead += new
    return found


def test_no_circles():
    late = defaultdict(set)
    for name, _, file in INNER:
        late[name].add(file)
    for name, path in FILES.items():
        if path.name != "__init__.py":  # a package serves names of its files on first use
            late[name] |= set(named_in_calls(ast.parse(path.read_text(encoding="utf-8"))))
    TopologicalSorter({name: LOADING[name] | late[name] - {name} for name in FILES}).prepare()


def test_an_import_within_a_function_is_for_what_is_loaded_later():
    program = "import sys, rushlight; print(*sys.modules)"
    at_start = set(
        subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True).stdout.split()
    )
    assert "rushlight.core.graph" in at_start
    debts = [f"{name}:{line} {file}" for name, line, file in INNER if file in at_start | loaded_with(name)]
    assert debts == []


def test_an_import_within_a_function_has_its_reason_beside_it():
    lines = {(name, line) for name, line, _ in INNER}
    sources = {name: FILES[name].read_text(encoding="utf-8").splitlines() for name, _ in lines}
    assert [f"{name}:{line}" for name, line in lines if "  # " not in sources[name][line - 1]] == []


def test_the_core_imports_nothing_of_its_users():
    below = (
        "rushlight.core",
        "rushlight.kernels",
        "rushlight.layouts",
        "rushlight.dtypes",
        "rushlight.machine.blas",
        "rushlight.machine.memory",
        "rushlight.machine.threads",
        "rushlight.machine.processor",
        "rushlight.settings",
    )
    above = [
        f"{name} {file}"
        for name in FILES
        if name.startswith("rushlight.core.")
        for file in LOADING[name]
        if not file.startswith(below)
    ]
    assert above == []
