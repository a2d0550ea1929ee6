"""`python -m benchmarks.distributed`: communication and `DistributedDataParallel`, in rushlight and PyTorch.

The same program, `distributed_work.py`, is started on one and two processes by both, in turns.
"""

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

from benchmarks import table
from benchmarks.contenders import installed
from benchmarks.options import parser

WORK = str(Path(__file__).with_name("distributed_work.py"))
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


def spread(found: list[float]) -> str:
    """A median with its range."""
    return f"{statistics.median(found):.2f} ({min(found):.2f}–{max(found):.2f})"


def main() -> None:
    """Prints the table."""
    made = parser("benchmarks.distributed", __doc__ or "")
    made.add_argument("--runs", type=int, default=5, help="times that each program is started (default: 5)")
    chosen = made.parse_args()
    if installed(["rushlight", "torch"]) != ["rushlight", "torch"]:
        made.error("PyTorch is not installed")
    ours, theirs, alone = [], [], []
    for _ in range(chosen.runs):
        ours.append(figures("rushlight", 2))
        theirs.append(figures("torch", 2))
        alone.append(figures("rushlight", 1))
    rows = [
        [
            "DDP on one process over none, perceptron",
            spread([f["perceptron, DDP"] / f["perceptron, alone"] for f in alone]),
        ],
        [
            "DDP on one process over none, wide perceptron",
            spread([f["wide perceptron, DDP"] / f["wide perceptron, alone"] for f in alone]),
        ],
        ["sum of 100 MB over mpi4py by hand", spread([f["sum of 100 MB"] / f["the same by hand"] for f in ours])],
    ]
    for name in ("sum of 100 MB", "sum of one number", "perceptron, DDP", "wide perceptron, DDP"):
        ratios = [a[name] / b[name] for a, b in zip(ours, theirs, strict=True)]
        rows.append([f"{name}: over PyTorch with gloo", spread(ratios)])
    print(table.markdown(["two processes, one thread each", "ratio"], rows))
    print({name: f"{statistics.median(f[name] for f in ours):.2e} s" for name in ours[0]})


if __name__ == "__main__":
    main()
