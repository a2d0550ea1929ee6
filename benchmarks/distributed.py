"""`python -m benchmarks distributed`: communication and `DistributedDataParallel`, in rushlight and PyTorch.

The same program, `distributed_work.py`, is started on one and two processes by both, in turns.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from benchmarks import table
from benchmarks.contenders import installed
from benchmarks.options import parser
from rushlight.distributed.mpi import available
from rushlight.launch.start import mpiexec

WORK = str(Path(__file__).with_name("distributed_work.py"))
GLOO, BY_HAND = "PyTorch with gloo", "mpi4py by hand"
LIMITS = {  # "work over what it is compared with": what the ratio is to stay below
    "perceptron, DDP over none": 1.05,
    "wide perceptron, DDP over none": 1.05,
    f"sum of 100 MB over {BY_HAND}": 1.1,
    f"sum of 100 MB over {GLOO}": 0.8,
    f"sum of one number over {GLOO}": 0.8,
    f"perceptron, DDP over {GLOO}": 0.8,
    f"wide perceptron, DDP over {GLOO}": 0.8,
}
STARTERS = {
    "rushlight": ["-m", "rushlight", "launch", "--no-labels", "-n", "{n}", WORK],
    "torch": ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "{n}", WORK],
}


def figures(library: str, processes: int) -> dict[str, float]:
    """The seconds of each piece of work on so many new processes."""
    command = [sys.executable, *(part.format(n=processes) for part in STARTERS[library])]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(Path(__file__).parents[1])}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=True)
    return json.loads(done.stdout.strip().splitlines()[-1])


def has_mpi() -> bool:
    """Whether MPI is installed, its library and its launcher."""
    try:
        mpiexec()
    except RuntimeError:
        return False
    return available()


def ratios(runs: int) -> dict[str, list[float]]:
    """What is compared, by the names of `LIMITS`: a ratio for each run."""
    found: dict[str, list[float]] = {name: [] for name in LIMITS}
    for _ in range(runs):
        ours, theirs, alone = figures("rushlight", 2), figures("torch", 2), figures("rushlight", 1)
        for name in found:
            work, _, against = name.partition(" over ")
            if against == "none":
                found[name].append(alone[work] / alone[work.replace("DDP", "alone")])
            else:
                found[name].append(ours[work] / (ours["the same by hand"] if against == BY_HAND else theirs[work]))
    return found


def report(runs: int) -> str:
    """The table of ratios with what each is to stay below; why there is none, where something is not installed."""
    if not has_mpi() or installed(["torch"]) != ["torch"]:
        return "Many processes: not measured, for want of MPI (`rushlight[distributed]`) or PyTorch."
    rows = [[name, table.spread(found), f"{LIMITS[name]:g}"] for name, found in ratios(runs).items()]
    return table.markdown(["one and two processes, one thread each", "ratio", "at most"], rows)


def main(arguments: list[str]) -> None:
    """Prints the table."""
    made = parser("benchmarks distributed", __doc__ or "")
    made.add_argument("--runs", type=int, default=5, help="times that each program is started (default: 5)")
    made.add_argument("--write", action="store_true", help="write the table into docs/benchmarks.md")
    chosen = made.parse_args(arguments)
    text = report(chosen.runs)
    print(text)
    if chosen.write:
        table.write_page("distributed", text)


if __name__ == "__main__":
    main(sys.argv[1:])
