"""`python -m benchmarks [WORD ...]`: times workloads whose names contain a word (default: all), prints a table.

`operators`, `programs` and `--check` run `benchmarks.ratios`; `distributed`, which is part of the default, runs
`benchmarks.distributed`.
"""

import json
import sys
from pathlib import Path

from benchmarks import distributed, ratios, table
from benchmarks.contenders import CONTENDERS, installed
from benchmarks.measure import Result, measure
from benchmarks.options import chosen_environment, parser
from benchmarks.themes import WORKLOADS

WHAT = (
    "Times are medians of {runs} runs of {rounds} turns. Ratios are rushlight's time over PyTorch's: the median of the "
    "runs, and in brackets the lowest and the highest; a run's ratio is the median over its rounds."
)


def options():
    """What the command line says."""
    made = parser("benchmarks", __doc__)
    made.add_argument("words", nargs="*", help="words, of which a workload's name must contain one")
    made.add_argument("--against", nargs="+", choices=list(CONTENDERS), help="contenders (default: all installed)")
    made.add_argument("--runs", type=int, default=5, help="runs, each with new processes (default: 5)")
    made.add_argument("--rounds", type=int, default=5, help="turns of each contender in a run (default: 5)")
    made.add_argument("--json", type=Path, metavar="FILE", help="write all times to this file")
    made.add_argument("--write", action="store_true", help="write the table into docs/benchmarks.md")
    return made.parse_args()


def as_json(results: list[Result], descriptions: dict[str, str], settings: str) -> str:
    """All that was measured."""
    workloads = {
        result.workload.name: {
            "bound": result.workload.bound,
            "seconds": result.times,
            "ratios": {name: result.ratios(name) for name in result.times if "rushlight" in result.times},
            "cannot": result.cannot,
        }
        for result in results
    }
    machine = {"cpu": table.cpu(), "settings": settings, "contenders": descriptions}
    return json.dumps({"machine": machine, "workloads": workloads}, indent=1, ensure_ascii=False)


def main() -> None:
    """Runs the benchmarks named on the command line, or all."""
    chosen = options()
    names = installed(chosen.against or CONTENDERS)
    workloads = [w for w in WORKLOADS if not chosen.words or any(word in w.name for word in chosen.words)]
    environment = chosen_environment(chosen)
    results, descriptions = measure(workloads, names, environment, chosen.runs, chosen.rounds)
    header = table.header(descriptions, environment, WHAT.format(runs=chosen.runs, rounds=chosen.rounds))
    text = f"{header}\n\n{table.table(results, names)}"
    print(text)
    if not chosen.words:
        print(f"\n{distributed.report(chosen.runs)}")
    if chosen.json:
        chosen.json.write_text(as_json(results, descriptions, table.settings(environment)) + "\n")
    if chosen.write:
        table.write_page("benchmarks", text)


if __name__ == "__main__":
    if {*ratios.KINDS, "--check"} & set(sys.argv[1:]):
        sys.exit(ratios.main(sys.argv[1:]))
    if sys.argv[1:2] == ["distributed"]:
        sys.exit(distributed.main(sys.argv[2:]))
    main()
