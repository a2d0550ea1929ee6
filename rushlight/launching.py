"""`rushlight launch`: starts a script on several processes with MPI's `mpiexec`."""

import argparse
import os
import shutil
import sys
from pathlib import Path

LABELS = "RUSHLIGHT_LABEL_OUTPUT"  # in the environment: each line of output begins with rank and time
INSTALL = "pip install 'rushlight[distributed]' (mpi4py, and MPICH where the machine has no MPI)"


def mpiexec() -> str:
    """The path of `mpiexec`: that beside this Python, else that on the path. RuntimeError where there is none."""
    found = shutil.which("mpiexec", path=str(Path(sys.executable).parent)) or shutil.which("mpiexec")
    if found is None:
        raise RuntimeError(f"There is no mpiexec on this machine. Install MPI: {INSTALL}.")
    return found


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `rushlight launch` is told."""
    parser.add_argument("-n", "--processes", type=int, default=os.cpu_count(), metavar="N", help="how many processes")
    parser.add_argument("--hosts", metavar="A,B", help="the machines to start them on, instead of this one alone")
    parser.add_argument("--no-labels", action="store_true", help="print lines without rank and time before them")
    parser.add_argument("-m", "--module", action="store_true", help="the script is the name of a module")
    parser.add_argument("script", help="a PyTorch script, unchanged")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="what the script gets in sys.argv")


def launch(options: argparse.Namespace) -> int:
    """Runs a script with rushlight in PyTorch's place on several processes: this process becomes `mpiexec`.

    Returns 2 where there is none, which is said.
    """
    try:
        starter = mpiexec()
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 2
    where = ["-hosts", options.hosts] if options.hosts else []
    program = ["-m", options.script] if options.module else [options.script]
    environment = dict(os.environ) if options.no_labels else {**os.environ, LABELS: "1"}
    environment.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // options.processes)))
    command = [
        starter, *where, "-n", str(options.processes),
        sys.executable, "-m", "rushlight", "run", *program, *options.arguments,
    ]  # fmt: skip
    sys.stdout.flush()
    os.execve(starter, command, environment)
