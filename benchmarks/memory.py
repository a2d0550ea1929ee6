"""`python -m benchmarks.memory`: the peak memory of a training step in rushlight, compiled too, and PyTorch (Linux).

`--programs` measures the programs of `python -m benchmarks programs` instead, at their medium size.
"""

import statistics
import sys

from benchmarks import table
from benchmarks.contenders import CONTENDERS, installed
from benchmarks.measure import PATIENCE
from benchmarks.options import chosen_environment, parser
from benchmarks.process import Process
from benchmarks.programs import LIBRARIES, SIZES, workloads
from benchmarks.themes.convolution import reference_network
from benchmarks.themes.perceptron import perceptron
from benchmarks.themes.transformer import transformer_block
from benchmarks.workload import Workload

NAMES = ("rushlight", "rushlight, walker", "torch", "torch, blocks kept")
MIB = 1 << 20
STEPS = 5
TRAINING = (  # a small one of the kind, and the one that is measured
    (reference_network(2, 2), reference_network(32, 300)),
    (reference_network(2, 2), reference_network(5, 300)),
    (perceptron(8, 2), perceptron()),
    (transformer_block(1), transformer_block()),
)
WHAT = (
    "Peak resident memory during {steps} steps beyond what the process held before them (library, inputs, weights), in "
    "MiB: the median of {runs} processes, with the lowest and the highest. Steps of the compiled form are replays; all "
    "that it kept of the recording counts."
)


def peaks(name: str, pair: tuple[Workload, Workload], environment: dict[str, str], runs: int) -> list[float]:
    """The peak in MiB in so many new processes."""
    found = []
    for _ in range(runs):
        process = Process(name, environment)
        try:
            found.append(process.ask("peak", *pair, STEPS, patience=PATIENCE) / MIB)
        finally:
            process.end()
    print(f"{pair[1].name}, {CONTENDERS[name].title}: {cell(found)}", file=sys.stderr, flush=True)
    return found


def programs() -> list[tuple[Workload, Workload]]:
    """Each program at its smallest and its largest size."""
    found = workloads()
    return list(zip(found[:: len(SIZES)], found[len(SIZES) - 1 :: len(SIZES)], strict=True))


def cell(found: list[float]) -> str:
    """A median with its range."""
    return f"{statistics.median(found):.1f} ({min(found):.1f}–{max(found):.1f})"


def main() -> None:
    """Prints the table."""
    made = parser("benchmarks.memory", __doc__)
    made.add_argument("--runs", type=int, default=5, help="processes for each number (default: 5)")
    what = made.add_mutually_exclusive_group()
    what.add_argument("--programs", action="store_true", help="the programs of all kinds, at their medium size")
    what.add_argument("--write", action="store_true", help="write the table into docs/benchmarks.md")
    chosen = made.parse_args()
    if sys.platform != "linux":
        made.error("the peak memory of a part of a program can be read on Linux only")
    if installed(NAMES) != list(NAMES):
        made.error("PyTorch is not installed")
    names, pairs = (LIBRARIES, programs()) if chosen.programs else (NAMES, TRAINING)
    rows = []
    for pair in pairs:
        found = [peaks(name, pair, chosen_environment(chosen), chosen.runs) for name in names]
        ratio = statistics.median(found[0]) / statistics.median(found[names.index("torch")])
        rows.append([pair[1].name.replace(" | ", ", "), *map(cell, found), f"{ratio:.2f}"])
    heads = ["peak memory", *(CONTENDERS[name].title for name in names), "ratio to PyTorch"]
    text = f"{WHAT.format(steps=STEPS, runs=chosen.runs)}\n\n{table.markdown(heads, rows)}"
    print(text)
    if chosen.write:
        table.write_page("memory", text)


if __name__ == "__main__":
    main()
