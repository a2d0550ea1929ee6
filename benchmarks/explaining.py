"""`python -m benchmarks.explaining`: the cost of `torch.autograd.explain`, for each program.

Each program runs with and without it in turns; the ratio is the median over the turns, and may be 3 at most. The last
column compares the program's best time after all explanations with that before the first: nothing may remain active.
"""

import argparse
import statistics
import time
from collections.abc import Callable

from benchmarks.table import markdown, readable

Run = Callable[[], None]


def unary(torch) -> Run:
    """Recorded operations of one small tensor."""
    x = torch.randn(4, requires_grad=True)
    return lambda: [x.tanh() for _ in range(200)] and None


def binary(torch) -> Run:
    """Recorded operations of two small tensors."""
    x, y = torch.randn(4, requires_grad=True), torch.randn(4)
    return lambda: [x * y for _ in range(200)] and None


def plain(torch) -> Run:
    """Operations that are not recorded."""
    x, y = torch.randn(4), torch.randn(4)
    return lambda: [x * y for _ in range(200)] and None


def chain(torch) -> Run:
    """A long graph, and its pass."""
    x = torch.randn(4, requires_grad=True)

    def run():
        y = x
        for _ in range(100):
            y = y * 0.99 + 0.1
        y.sum().backward()

    return run


def formulas(torch) -> Run:
    """A fit by hand: a formula, its pass, a change in place."""
    w, x, y = torch.randn(3, requires_grad=True), torch.randn(10, 3), torch.randn(10)

    def run():
        for _ in range(10):
            w.grad = None
            ((x @ w - y) ** 2).mean().backward()
            with torch.no_grad():
                w.sub_(0.01 * w.grad)

    return run


def perceptron(torch) -> Run:
    """Steps of Adam for a small perceptron."""
    nn = torch.nn
    model, x = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1)), torch.randn(16, 8)
    return steps(torch.optim.Adam(model.parameters()), lambda: model(x).pow(2).mean())


def recurrent(torch) -> Run:
    """Steps of SGD for a recurrent cell."""
    cell, xs = torch.nn.GRUCell(4, 8), torch.randn(10, 2, 4)

    def loss():
        state = torch.zeros(2, 8)
        for x in xs:
            state = cell(x, state)
        return state.pow(2).mean()

    return steps(torch.optim.SGD(cell.parameters(), lr=1e-3), loss)


def convolution(torch) -> Run:
    """Steps of SGD for a small convolutional network."""
    nn = torch.nn
    model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 3))
    x, labels = torch.randn(8, 1, 8, 8), torch.randint(0, 3, (8,))
    return steps(torch.optim.SGD(model.parameters(), lr=1e-3), lambda: nn.functional.cross_entropy(model(x), labels))


def steps(optimizer, loss) -> Run:
    """Three steps of an optimizer."""

    def run():
        for _ in range(3):
            optimizer.zero_grad()
            loss().backward()
            optimizer.step()

    return run


PROGRAMS = (unary, binary, plain, chain, formulas, perceptron, recurrent, convolution)


def seconds(run: Run) -> float:
    """How long a program takes."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def best(run: Run, turns: int) -> float:
    """The shortest time of a program, run by itself turn after turn."""
    return min(seconds(run) for _ in range(turns))


def measured(torch, run: Run, turns: int) -> tuple[float, float]:
    """The time of a program by itself, and its ratio to that while it is explained: medians."""
    run()
    alone, ratios = [], []
    for _ in range(turns):
        before = seconds(run)
        with torch.autograd.explain(file=False):
            run()
            explained = seconds(run)
        alone.append(before)
        ratios.append(explained / before)
    return statistics.median(alone), statistics.median(ratios)


def main() -> None:
    """Prints the table."""
    made = argparse.ArgumentParser(prog="benchmarks.explaining", description=__doc__)
    made.add_argument("--turns", type=int, default=41, help="turns of each program (default: 41)")
    turns = made.parse_args().turns
    import rushlight as torch

    runs = [program(torch) for program in PROGRAMS]
    for run in runs:
        run()
    before = [best(run, turns) for run in runs]
    rows = []
    for program, run, first in zip(PROGRAMS, runs, before, strict=True):
        alone, ratio = measured(torch, run, turns)
        after = best(run, turns) / first
        rows.append([str(program.__doc__).rstrip("."), readable(alone), f"{ratio:.2f}", f"{after:.2f}"])
    print(markdown(["program", "alone", "explained, ratio", "alone, after it / before it"], rows))


if __name__ == "__main__":
    main()
