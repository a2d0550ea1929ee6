"""`rushlight launch`: starts a script on several processes with MPI's `mpiexec`."""

import argparse
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

RESTARTS = "TORCHELASTIC_RESTART_COUNT"  # environment variable: how often the processes have been restarted
LABELS = "RUSHLIGHT_LABEL_OUTPUT"  # environment variable: each line of output begins with rank and time
MORE_THAN_CORES = {  # Open MPI starts more processes than cores only if told so; MPICH always does
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
}
INSTALL = "pip install 'rushlight[distributed]' (mpi4py, and MPICH where the machine has no MPI)"


def mpiexec() -> str:
    """The path of `mpiexec`: next to this Python, else on the PATH. RuntimeError if there is none."""
    found = shutil.which("mpiexec", path=str(Path(sys.executable).parent)) or shutil.which("mpiexec")
    if found is None:
        raise RuntimeError(f"There is no mpiexec on this machine. Install MPI: {INSTALL}.")
    return found


def hosts_option(starter: str) -> str:
    """The name of the option of an `mpiexec` for its list of machines."""
    told = subprocess.run([starter, "--version"], capture_output=True, text=True).stdout
    return "--host" if "Open MPI" in told else "-hosts"


def positive(text: str) -> int:
    """A number of processes. ValueError for less than one."""
    number = int(text)
    if number < 1:
        raise ValueError(f"{number} processes")
    return number


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `rushlight launch` to a parser."""
    cores = os.cpu_count()
    parser.add_argument("-n", "--processes", type=positive, default=cores, metavar="N", help="number of processes")
    parser.add_argument("--hosts", metavar="A,B", help="machines to start them on (default: this one)")
    parser.add_argument("--no-labels", action="store_true", help="do not print rank and time before each line")
    parser.add_argument("-m", "--module", action="store_true", help="treat the script as the name of a module")
    parser.add_argument("script", help="a PyTorch script, unchanged")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="arguments for the script (sys.argv)")


def launch(options: argparse.Namespace, restarts: int = 0, variables: dict[str, str] | None = None) -> int:
    """Runs a script with rushlight in place of PyTorch on several processes, by `mpiexec`; returns its exit status.

    `variables` are set in their environment. If it fails, all processes are restarted, up to `restarts` times. For the
    last attempt this process becomes `mpiexec` itself. Without `mpiexec` it prints an error and returns 2.
    """
    try:
        starter = mpiexec()
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 2
    where = [hosts_option(starter), options.hosts] if options.hosts else []
    program = ["-m", options.script] if options.module else [options.script]
    labels = {} if options.no_labels else {LABELS: "1"}
    environment = {**MORE_THAN_CORES, **os.environ, **(variables or {}), **labels}
    environment.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // options.processes)))
    command = [
        starter,
        *where,
        "-n",
        str(options.processes),
        sys.executable,
        "-m",
        "rushlight",
        "run",
        *program,
        *options.arguments,
    ]
    sys.stdout.flush()
    for attempt in range(restarts):
        environment[RESTARTS] = str(attempt)
        status = attempted(command, environment)
        if status is not None:
            return status
        print(f"rushlight: started again, {attempt + 1} of {restarts} times", file=sys.stderr, flush=True)
    environment[RESTARTS] = str(restarts)
    os.execve(starter, command, environment)


def attempted(command: list[str], environment: dict[str, str]) -> int | None:
    """Runs a command to its end; returns its exit status, or None if it failed by itself.

    Signals that ask this process to end are passed on; a failure after that is final.
    """
    told: list[int] = []

    def pass_on(received: int, frame: Any) -> None:
        told.append(received)
        child.send_signal(received)

    with subprocess.Popen(command, env=environment) as child:
        handlers = {number: signal.signal(number, pass_on) for number in (signal.SIGINT, signal.SIGTERM)}
        status = child.wait()
        for number, handler in handlers.items():
            signal.signal(number, handler)
    return status if status == 0 or told else None
