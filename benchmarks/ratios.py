"""`python -m benchmarks operators` and `programs`: many short workloads against PyTorch, sorted by their ratios.

In each round both libraries take a short turn, in processes that are stopped between turns. Only the fastest part of a
turn counts, in which no thread waited for a CPU. A workload's ratio compares the fastest turns; its spread is the range
of the ratios within rounds. Only workloads near the bounds get several rounds: work that is clearly faster than
PyTorch's or takes long gets one, and so does everything else while the run is behind schedule (`--minutes`). On a busy
machine use `--busy`, which gives each library one thread and counts only CPU time.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks import table
from benchmarks.measure import OURS, Enough, Result, Team
from benchmarks.operators.workloads import workloads as operators
from benchmarks.options import chosen_environment, parser
from benchmarks.programs import workloads as programs
from benchmarks.workload import Workload

THEIRS = "torch"
ROUNDS = 3
LEAST = 0.001  # seconds of a turn
PARTS = 3  # of a turn
CLEAR = 0.5  # a ratio below which one round is enough
DOUBTFUL = 0.1  # a ratio so low that PyTorch's threads may have waited for a CPU in all parts of a turn
LONG = 0.1  # seconds of a turn, above which one round is enough
PATIENCE = 20  # seconds that one workload may take before its first turn
MINUTES = 9.0  # that all workloads of a kind may take
KINDS: dict[str, Callable[[str, bool], list[Workload]]] = {"operators": operators, "programs": programs}
COMMITTED = Path(__file__).parent / "committed"
BEYOND = 1.2  # of the highest committed ratio: from there on --check looks again
AGAIN = 3  # times that --check measures what looks slower, with as many more rounds each
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
BOUNDS = 1.1, 1.5, 3.0


@dataclass(frozen=True)
class Ratio:
    """rushlight's time over PyTorch's: of the quickest turns, and the lowest and highest of a round; both times."""

    name: str
    ratio: float
    low: float
    high: float
    ours: float
    theirs: float

    @property
    def kind(self) -> tuple[str, ...]:
        """What a workload is, besides its call: direction, size, dtype, layout."""
        return tuple(self.name.split(" | ")[1:])


def ratio_of(result: Result) -> Ratio:
    """What a result shows."""
    ours, theirs = ([time for run in result.times[name] for time in run] for name in (OURS, THEIRS))
    rounds = [a / b for a, b in zip(ours, theirs, strict=True)]
    return Ratio(result.workload.name, min(ours) / min(theirs), min(rounds), max(rounds), min(ours), min(theirs))


def sparing(behind: bool) -> Enough:
    """Whether the rounds of a workload so far are enough; where the run is behind its time the first is."""

    def enough(times: dict[str, list[float]]) -> bool:
        ours, theirs = times.get(OURS), times.get(THEIRS)
        if not ours or not theirs or ours[-1] + theirs[-1] > LONG:
            return True
        ratio = min(ours) / min(theirs)
        return ratio >= DOUBTFUL and (behind or ratio < CLEAR)

    return enough


def measured(workloads: list[Workload], chosen: argparse.Namespace, rounds: int) -> tuple[list[Ratio], list[str]]:
    """The ratios of some workloads, the worst first, and what rushlight alone cannot do."""
    found, failed = [], []
    begin, each = time.monotonic(), 60 * chosen.minutes / max(len(workloads), 1)
    clock = "process_time" if chosen.busy else "perf_counter"
    environment = chosen_environment(chosen) | (ONE_THREAD if chosen.busy else {})
    with Team([THEIRS, OURS], environment, PATIENCE) as team:
        for number, workload in enumerate(workloads):
            result, enough = Result(workload), sparing(time.monotonic() - begin > (number + 1) * each)
            team.run(result, rounds, LEAST, clock, enough, PARTS)
            if OURS in result.times and THEIRS in result.times:
                found.append(ratio_of(result))
            elif THEIRS in result.times:
                failed.append(f"{workload.name}: {result.cannot[OURS]}")
    return sorted(found, key=lambda one: -one.ratio), failed


def merged(runs: list[list[Ratio]]) -> list[Ratio]:
    """The ratios of several runs, the worst first: the middle one, with the lowest and highest round of all."""
    found: dict[str, list[Ratio]] = {}
    for one in (one for run in runs for one in run):
        found.setdefault(one.name, []).append(one)
    middle = [sorted(several, key=lambda one: one.ratio)[len(several) // 2] for several in found.values()]
    spreads = [(min(one.low for one in several), max(one.high for one in several)) for several in found.values()]
    ratios = [replace(one, low=low, high=high) for one, (low, high) in zip(middle, spreads, strict=True)]
    return sorted(ratios, key=lambda one: -one.ratio)


def share(ratios: list[Ratio], bound: float) -> str:
    """How many are above a bound."""
    return f"{100 * sum(one.ratio > bound for one in ratios) / len(ratios):.1f} %"


def line(title: str, ratios: list[Ratio]) -> list[str]:
    """A line of the table of means."""
    mean = statistics.geometric_mean([one.ratio for one in ratios])
    return [title, str(len(ratios)), f"{mean:.2f}", *[share(ratios, bound) for bound in BOUNDS]]


def means(ratios: list[Ratio]) -> str:
    """The geometric means and the shares above the bounds: of all, and of each direction, size, dtype and layout."""
    rows = [line("all", ratios)]
    parts = [{one.kind[i] for one in ratios} for i in range(len(ratios[0].kind))]
    for i, values in enumerate(parts):
        rows += [line(value, [one for one in ratios if one.kind[i] == value]) for value in sorted(values)]
    for a, b in sorted({one.kind[:2] for one in ratios if len(one.kind) > 2}):
        rows.append(line(f"{a}, {b}", [one for one in ratios if one.kind[:2] == (a, b)]))
    heads = ["workloads", "number", "geometric mean", *[f"above {bound}" for bound in BOUNDS]]
    return table.markdown(heads, rows)


def listed(ratios: list[Ratio]) -> str:
    """The workloads with their ratios and times."""
    rows = [
        [
            one.name.replace(" | ", ", "),
            f"{one.ratio:.2f} ({one.low:.2f}–{one.high:.2f})",
            table.readable(one.ours),
            table.readable(one.theirs),
        ]
        for one in ratios
    ]
    return table.markdown(["workload", "ratio", "rushlight", "PyTorch"], rows)


def as_json(ratios: list[Ratio]) -> str:
    """The ratios of workloads, a line each."""
    lines = [
        f"{json.dumps(one.name)}: {json.dumps([round(x, 3) for x in (one.low, one.ratio, one.high)])}"
        for one in sorted(ratios, key=lambda one: one.name)
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def slower(ratios: list[Ratio], committed: dict[str, list[float]]) -> list[Ratio]:
    """Those whose every round was slower than the highest committed ratio allows."""
    return [one for one in ratios if one.name in committed and one.low > BEYOND * committed[one.name][2]]


def committed_file(kind: str, chosen: argparse.Namespace) -> Path:
    """Where the ratios of a kind are committed: those of a busy machine are others."""
    return COMMITTED / f"{kind}{'-busy' if chosen.busy else ''}.json"


def check(kind: str, chosen: argparse.Namespace) -> bool:
    """Whether no workload is slower than the committed ratios allow; what looks slower is measured again."""
    file = committed_file(kind, chosen)
    if not file.exists():
        print(f"{file} is not there: write it with --commit first")
        return False
    committed = json.loads(file.read_text())
    found = [one for one in KINDS[kind](chosen.only, chosen.quick) if one.name in committed]
    rounds = chosen.rounds
    ratios: list[Ratio] = []
    for _ in range(1 + AGAIN):
        ratios, failed = measured(found, chosen, rounds)
        ratios = slower(ratios, committed)
        names = {one.name for one in ratios}
        if failed:
            print("\n".join(failed))
            return False
        found = [workload for workload in found if workload.name in names]
        rounds += ROUNDS
    print(f"{kind}: {len(ratios)} slower than committed")
    if ratios:
        print(listed(ratios))
    return not ratios


def show(kind: str, chosen: argparse.Namespace) -> bool:
    """Measures, prints and perhaps writes ratios. Whether there was nothing that PyTorch alone can do."""
    workloads = KINDS[kind](chosen.only, chosen.quick)
    runs = [measured(workloads, chosen, chosen.rounds) for _ in range(chosen.runs)]
    ratios, failed = merged([ratios for ratios, _ in runs]), runs[0][1]
    text = "\n\n".join([means(ratios), listed(ratios if chosen.all else [x for x in ratios if x.ratio > BOUNDS[0]])])
    print("\n".join([text, "", *failed]))
    if chosen.markdown:
        chosen.markdown.write_text(text + "\n")
    if chosen.commit:
        COMMITTED.mkdir(exist_ok=True)
        committed_file(kind, chosen).write_text(as_json(ratios))
    return not failed


def options(words: list[str]) -> argparse.Namespace:
    """What the command line says."""
    made = parser("benchmarks", __doc__)
    made.add_argument("kinds", nargs="*", metavar="KIND", help="operators or programs (with --check: both)")
    made.add_argument("--only", default="", metavar="TEXT", help="workloads whose name contains this text")
    made.add_argument(
        "--quick", action="store_true", help="a sample: float32, contiguous, the smallest and the largest"
    )
    made.add_argument("--rounds", type=int, default=ROUNDS, help=f"turns of each library (default: {ROUNDS})")
    made.add_argument("--runs", type=int, default=1, help="how often all is measured, in new processes (default: 1)")
    made.add_argument(
        "--minutes", type=float, default=MINUTES, help=f"after which nothing is timed twice (default: {MINUTES:.0f})"
    )
    made.add_argument("--busy", action="store_true", help="one thread each, and the processor's time only")
    made.add_argument("--all", action="store_true", help=f"list all workloads, not only those above {BOUNDS[0]}")
    made.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables to this file")
    made.add_argument("--commit", action="store_true", help="write the ratios where --check looks for them")
    made.add_argument("--check", action="store_true", help="fail where ratios are beyond the committed ones")
    chosen = made.parse_args(words)
    if not set(chosen.kinds) <= set(KINDS):
        made.error(f"the kinds are {' and '.join(KINDS)}, not {' '.join(chosen.kinds)}")
    return chosen


def main(words: list[str]) -> int:
    """Does what the command line says; the exit status."""
    chosen = options(words)
    work = check if chosen.check else show
    done = [work(kind, chosen) for kind in chosen.kinds or KINDS]
    return 0 if all(done) else 1
