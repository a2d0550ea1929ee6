"""The choice of BLAS kernels before NumPy is loaded, in new interpreters."""

import os
import subprocess
import sys

import pytest

from rushlight.machine import processor

CODE = """
import os
{first}
import rushlight
from rushlight.machine import blas, processor
print(processor.CHOSEN, blas.kernel(), processor.VARIABLE in os.environ)
"""
NEEDS_AVX512 = pytest.mark.skipif(not processor.has_avx512(), reason="needs a CPU with AVX-512")


def run(first="", **environment):
    clean = {name: value for name, value in os.environ.items() if name != processor.VARIABLE}
    process = subprocess.run(
        [sys.executable, "-c", CODE.format(first=first)],
        env=clean | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return process.stdout.split()


@NEEDS_AVX512
def test_the_best_kernels_are_chosen_and_the_environment_stays():
    chosen, kernel, variable = run()
    assert chosen == "True"
    assert kernel in ("SkylakeX", "unknown")
    assert variable == "False"


def test_what_the_user_set_stays():
    chosen, kernel, variable = run(OPENBLAS_CORETYPE="Haswell")
    assert chosen == "False"
    assert kernel in ("Haswell", "unknown")
    assert variable == "True"


def test_nothing_is_chosen_after_numpy():
    assert run(first="import numpy")[0] == "False"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("max 100000", "all"),
        ("100000 100000", 1),
        ("50000 100000", 1),
        ("150000 100000", 2),
        ("9900000 100000", "all"),
        ("nonsense", "all"),
    ],
)
def test_a_containers_quota_limits_threads(tmp_path, monkeypatch, content, expected):
    monkeypatch.setattr(processor, "QUOTA", str(tmp_path / "missing"))
    every = processor.allowed_cpus()
    (tmp_path / "cpu.max").write_text(content)
    monkeypatch.setattr(processor, "QUOTA", str(tmp_path / "cpu.max"))
    assert processor.allowed_cpus() == (every if expected == "all" else min(every, expected))
