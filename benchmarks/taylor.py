"""`python -m benchmarks.taylor`: the cost of derivatives of order 1, 2, ... by `func.jet`, nested `jvp`, nested `grad`.

The function is a sum of a network's outputs, 1-32-32-1 with tanh, at 100 points; times are in evaluations of it.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial

import rushlight as torch
from rushlight.func import jet, jvp


def network() -> Callable:
    """The function whose derivatives are taken."""
    torch.manual_seed(0)
    layers = [torch.nn.Linear(1, 32), torch.nn.Tanh(), torch.nn.Linear(32, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1)]
    model = torch.nn.Sequential(*layers).double().requires_grad_(False)
    return lambda t: model(t[:, None])[:, 0]


def by_jet(function: Callable, t, order: int):
    """All derivatives up to an order in one pass."""
    return jet(function, (t,), ([torch.ones_like(t)] + [torch.zeros_like(t)] * (order - 1),))[1][-1]


def by_jvp(function: Callable, t, order: int):
    """Forward mode in forward mode."""
    for _ in range(order):
        function = (lambda f: lambda t: jvp(f, (t,), (torch.ones_like(t),))[1])(function)
    return function(t)


def by_grad(function: Callable, t, order: int):
    """Backward passes through backward passes."""
    t = t.clone().requires_grad_()
    value = function(t)
    for _ in range(order):
        (value,) = torch.autograd.grad(value.sum(), t, create_graph=True)
    return value


def seconds(call: Callable, repeats: int) -> float:
    """The median time of a call."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(prog="benchmarks.taylor", description=__doc__)
    parser.add_argument("--orders", type=int, default=6, help="the highest order")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    function, t = network(), torch.linspace(0, 1, 100, dtype=torch.float64)
    unit = seconds(lambda: function(t), 50)
    ways = {"jet": by_jet, "nested jvp": by_jvp, "nested grad": by_grad}
    print(f"| order | {' | '.join(ways)} |\n|{' --- |' * (len(ways) + 1)}")
    for order in range(1, options.orders + 1):
        times = [seconds(partial(way, function, t, order), options.repeats) for way in ways.values()]
        print(f"| {order} | {' | '.join(f'{s / unit:.0f}' for s in times)} |", flush=True)


if __name__ == "__main__":
    main()
