"""`python -m benchmarks distributed`: communication and `DistributedDataParallel`, in rushlight and PyTorch.

The same program, `distributed_work.py`, is started on one and two processes by both, in turns.
"""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from benchmarks import table
from benchmarks.contenders import installed
from benchmarks.options import parser
from benchmarks.process import ROOT, Cannot
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
STARTED = {"ours": ("rushlight", 2), "theirs": ("torch", 2), "alone": ("rushlight", 1)}
PATIENCE = 300.0  # seconds until a program that has not ended is ended; on idle cores it takes a few


def figures(library: str, processes: int, patience: float = PATIENCE) -> dict[str, float]:
    """The seconds of each piece of work on so many new processes; Cannot, with the reason, where there are none."""
    command = [sys.executable, *(part.format(n=processes) for part in STARTERS[library])]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True, process_group=0) as process:
        try:
            told, errors = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            raise Cannot(f"not done after {patience:g} s") from None
        finally:
            end_group(process.pid)
    if process.returncode:
        raise Cannot(f"ended with {process.returncode}: {last_line(errors)}")
    try:
        return json.loads(last_line(told))
    except json.JSONDecodeError:
        raise Cannot(f"no figures: {last_line(told)}") from None


def end_group(leader: int) -> None:
    """Ends what is left of the processes that a launcher has started, and itself."""
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        return


def last_line(text: str) -> str:
    """The last line of what a program has said."""
    return (text.strip() or "nothing said").splitlines()[-1]


def has_mpi() -> bool:
    """Whether MPI is installed, its library and its launcher."""
    try:
        mpiexec()
    except RuntimeError:
        return False
    return available()


def needed(name: str) -> tuple[str, str]:
    """What is started for a row of `LIMITS`: what gives the work's time, and what that of the other."""
    against = name.partition(" over ")[2]
    return {"none": ("alone", "alone"), BY_HAND: ("ours", "ours"), GLOO: ("ours", "theirs")}[against]


def ratio(name: str, told: dict[str, dict[str, float]]) -> float:
    """What is compared in a row of `LIMITS`, by the figures of what was started."""
    work, _, against = name.partition(" over ")
    other = {"none": work.replace("DDP", "alone"), BY_HAND: "the same by hand", GLOO: work}[against]
    first, second = needed(name)
    return told[first][work] / told[second][other]


def ratios(runs: int) -> tuple[dict[str, list[float]], dict[str, str]]:
    """What is compared, by the names of `LIMITS`, a ratio for each run; and why some of `STARTED` gave none."""
    found: dict[str, list[float]] = {name: [] for name in LIMITS}
    cannot: dict[str, str] = {}
    for number in range(1, runs + 1):
        told: dict[str, dict[str, float]] = {}
        for one in [one for one in STARTED if one not in cannot]:
            print("run {} of {}: {}, processes {}".format(number, runs, *STARTED[one]), file=sys.stderr, flush=True)
            try:
                told[one] = figures(*STARTED[one])
            except Cannot as error:
                cannot[one] = str(error)
        for name, row in found.items():
            if told.keys() >= set(needed(name)):
                row.append(ratio(name, told))
    return found, cannot


def report(runs: int) -> str:
    """The table of ratios with what each is to stay below; why there is none, where something is not installed."""
    if not has_mpi() or installed(["torch"]) != ["torch"]:
        return "Many processes: not measured, for want of MPI (`rushlight[distributed]`) or PyTorch."
    found, cannot = ratios(runs)
    rows = [[name, table.spread(row) if row else "not measured", f"{LIMITS[name]:g}"] for name, row in found.items()]
    reasons = ["- {}, processes {}: {}".format(*STARTED[one], why) for one, why in cannot.items()]
    made = table.markdown(["one and two processes, one thread each", "ratio", "at most"], rows)
    return "\n".join([made, *([""] if reasons else []), *reasons])


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
