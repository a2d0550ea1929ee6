"""`python -m benchmarks.growth`: plots time against size for rushlight and PyTorch."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.contenders import CONTENDERS, installed
from benchmarks.measure import Result, Team
from benchmarks.options import chosen_environment, parser
from benchmarks.themes import chain, convolution, perceptron
from benchmarks.workload import Workload

PLOT = Path(__file__).parent.parent / "docs" / "growth.png"
COLOURS = {"rushlight": "#d1495b", "torch": "#30638e"}


@dataclass(frozen=True)
class Series:
    """Workloads of one kind and growing size."""

    title: str
    label: str
    sizes: tuple[int, ...]
    workload: Callable[[int], Workload]


SERIES = (
    Series(
        "chain of z = (z / x) · y, backward",
        "links of the chain, two operations each",
        (10, 30, 100, 300, 1000, 3000, 10_000),
        chain.differentiated,
    ),
    Series(
        "perceptron 1000-width-10, batch 16, step of SGD",
        "width of the hidden layer",
        tuple(2**power for power in range(3, 12)),
        perceptron.perceptron,
    ),
    Series(
        "reference network, 5 channels, training step",
        "samples in a batch",
        tuple(4**power for power in range(6)),
        lambda batch: convolution.reference_network(5, batch),
    ),
    Series(
        "3×3 convolution 8 → 16 channels, batch 32, backward",
        "side of an image in pixels",
        (8, 12, 16, 24, 32, 48, 64),
        convolution.layer,
    ),
)


def measured(series: Series, environment: dict[str, str], rounds: int) -> list[Result]:
    """The results of a series, in one run."""
    results = []
    with Team(installed(COLOURS), environment) as team:
        for size in series.sizes:
            print(f"{series.title}: {size}", file=sys.stderr, flush=True)
            results.append(Result(series.workload(size)))
            team.run(results[-1], rounds)
    return results


def draw(axes, series: Series, results: list[Result]) -> None:
    """A panel: the median time of each size, and the range of its rounds as a band."""
    for name in results[0].times:
        colour = COLOURS[name]
        times = [[1e3 * t * result.workload.per_step for t in result.times[name][0]] for result in results]
        medians = [1e3 * result.median(name) * result.workload.per_step for result in results]
        axes.fill_between(series.sizes, [min(t) for t in times], [max(t) for t in times], color=colour, alpha=0.2)
        axes.plot(series.sizes, medians, "o-", color=colour, label=CONTENDERS[name].title, markersize=4)
    axes.set(xscale="log", yscale="log", title=series.title, xlabel=series.label, ylabel="milliseconds")
    axes.set_xticks(series.sizes, [f"{size:,}" for size in series.sizes])
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    axes.legend()


def main() -> None:
    """Measures and draws the four panels."""
    made = parser("benchmarks.growth", __doc__)
    made.add_argument("--rounds", type=int, default=7, help="turns of each contender at each size (default: 7)")
    made.add_argument(
        "--output", type=Path, default=PLOT, metavar="FILE", help="the picture (default: docs/growth.png)"
    )
    chosen = made.parse_args()
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(2, 2, figsize=(11, 8), layout="constrained")
    for axes, series in zip(panels.flat, SERIES, strict=True):
        draw(axes, series, measured(series, chosen_environment(chosen), chosen.rounds))
    figure.suptitle("Time of a step against size: median, and the range of the rounds")
    figure.savefig(chosen.output, dpi=110)
    print(f"written: {chosen.output}")


if __name__ == "__main__":
    main()
