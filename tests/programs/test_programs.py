"""Programs as PyTorch's users write them run unchanged and print what PyTorch printed, but for rounding."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = sorted(Path(__file__).with_name("scripts").glob("*.py"))
NUMBER = re.compile(r"\s*(-?\d+\.\d*(?:e[+-]\d+)?)")  # with the space before it, whose width goes by the sign


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_prints_what_pytorch_printed(script):
    command = [sys.executable, "-m", "rushlight", "run", str(script)]
    done = subprocess.run(command, cwd=script.parents[3], capture_output=True, text=True, timeout=600)
    expected = script.with_suffix(".txt").read_text()
    assert done.stderr == ""
    assert NUMBER.sub(" #", done.stdout) == NUMBER.sub(" #", expected)
    found, recorded = ([float(number) for number in NUMBER.findall(text)] for text in (done.stdout, expected))
    assert found == pytest.approx(recorded, rel=1e-3, abs=1e-4)
