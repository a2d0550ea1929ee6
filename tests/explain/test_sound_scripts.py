"""Real programs are sound: run with an explanation, they print what they print without one, and nothing besides."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import rushlight as torch

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "tests" / "programs" / "scripts").glob("*.py"))
EXAMPLES = {  # with what makes them short, and what they need
    "ode.py": (["--quick", "--way", "grad"], ["tqdm", "matplotlib"]),
    "distributed/digits.py": (["--epochs", "1"], ["mlxtend"]),
}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_programs_are_silent(script):
    command = [sys.executable, "-m", "rushlight", "run", "--explain", str(script)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_are_silent(example, tmp_path):
    options, needed = EXAMPLES[example]
    for name in needed:
        pytest.importorskip(name)
    script = ROOT / "examples" / example
    command = [sys.executable, "-m", "rushlight", "run", "--explain", str(script), *options]
    done = subprocess.run(
        command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stderr
    assert "rushlight explains" not in done.stderr


def test_demo_is_silent(tmp_path):
    for name in ("mlxtend", "matplotlib", "tqdm"):
        pytest.importorskip(name)
    from rushlight.demo import demonstrate

    with torch.autograd.explain(file=False) as why:
        demonstrate(tmp_path / "picture.png", digits=300, epochs=1)
    assert not why.findings, "\n\n".join(map(str, why.findings))
