"""`python -m benchmarks [NAME ...]`: runs the workloads whose names contain one of the words, and prints a table."""

import argparse
import json
import pathlib

from benchmarks import arrays, chain, functions, networks, startup, training
from benchmarks.harness import MODULES, Result, contenders, measure

THEMES = (chain, networks, training, arrays, functions, startup)
WORKLOADS = [workload for theme in THEMES for workload in theme.WORKLOADS]


def readable(seconds: float) -> str:
    """A time with three digits and a unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def row(result: Result, modules: dict[str, object]) -> str:
    """A line of the table: every contender's time, and rushlight's ratio to PyTorch beside its bound."""
    times = [readable(result.median(name)) if name in result.times else "" for name in modules]
    ratio, bound = result.ratio(), result.workload.bound
    cells = [result.workload.name, *times, "" if ratio is None else f"{ratio:.2f}", "" if bound is None else str(bound)]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Runs the benchmarks named on the command line, or all."""
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help="words that the names of workloads must contain")
    parser.add_argument("--against", nargs="+", choices=list(MODULES), help="contenders (default: all installed)")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", type=pathlib.Path, help="write all times to this file")
    options = parser.parse_args()
    modules = contenders(options.against)
    heads = ["median time", *modules, "rushlight / torch", "at most"]
    print(f"| {' | '.join(heads)} |\n|{' --- |' * len(heads)}")
    results = []
    for workload in WORKLOADS:
        if not options.names or any(word in workload.name for word in options.names):
            results.append(measure(workload, modules, options.rounds))
            print(row(results[-1], modules), flush=True)
    if options.json:
        options.json.write_text(json.dumps({r.workload.name: r.times for r in results}, indent=1))


if __name__ == "__main__":
    main()
