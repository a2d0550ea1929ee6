"""Runs a program of this folder on several processes."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from rushlight.launch.start import mpiexec

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}


def has_mpi() -> bool:
    """Whether MPI is installed."""
    try:
        mpiexec()
    except RuntimeError:
        return False
    return find_spec("mpi4py") is not None


def has_mpich() -> bool:
    """Whether the MPI that is installed is MPICH, or one that has come of it."""
    told = has_mpi() and subprocess.run([mpiexec(), "--version"], capture_output=True, text=True).stdout
    return bool(told) and "Open MPI" not in told


needs_mpich = pytest.mark.skipif(not has_mpich(), reason="processes that start processes need MPICH")
needs_mpi = pytest.mark.skipif(not has_mpi(), reason="needs MPI: pip install 'rushlight[distributed]'")


def command_for(processes: int, program: str, *arguments: str) -> list[str]:
    """The command that runs a program on some processes."""
    way = ["launch", "--no-labels", "-n", str(processes)] if processes else ["run"]
    return [sys.executable, "-m", "rushlight", *way, str(HERE / "programs" / program), *arguments]


def run(processes: int, program: str, *arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess:
    """Runs a program on some processes with `rushlight launch`; on 0 with `rushlight run`, without MPI's launcher."""
    command = command_for(processes, program, *arguments)
    return subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=600)


def passes(processes: int, program: str, *arguments: str, folder: Path | None = None) -> str:
    """Runs a program that has to end well; gives its output."""
    done = run(processes, program, *arguments, folder=folder)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert done.stdout.count("passed") == max(processes, 1), done.stdout
    return done.stdout
