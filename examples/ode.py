"""Solves u'' = -u, u(0) = 1, u'(0) = 0 on [0, 2π] with a network, whose derivatives are computed in two ways.

    python examples/ode.py [--way grad|jacfwd|both] [--quick] [--output ode.png]

The network has two hidden layers of 32 tanh units; 1 + t²/(1 + t²) · network(t) satisfies the initial
conditions for any network, so only the residual u'' + u has to be minimized. The second derivative is computed by two
backward passes (`autograd.grad` with `create_graph`) or by nested forward mode, for each point
(`func.vmap(func.jacfwd(func.jacfwd(u)))`). The loss and its gradients are compiled: all calls after the first replay
one program. The picture shows the fit, cos t, and the residual.
"""

import argparse
import math
import pathlib
import time
from collections.abc import Callable

from tqdm import trange

import rushlight as torch


class Solution(torch.nn.Module):
    """u(t) for any number of times t, with u(0) = 1 and u'(0) = 0."""

    def __init__(self):
        super().__init__()
        self.network = torch.nn.Sequential(
            torch.nn.Linear(1, 32), torch.nn.Tanh(), torch.nn.Linear(32, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1)
        )

    def forward(self, t):
        """The network, with times scaled to [-1, 1] and multiplied by a factor with a double zero at 0."""
        values = self.network((t / math.pi - 1).unsqueeze(-1)).squeeze(-1)
        return 1 + t**2 / (1 + t**2) * values


def residual_by_grad(u: Callable, t):
    """u'' + u by two backward passes."""
    t = t.clone().requires_grad_()
    values = u(t)
    (slope,) = torch.autograd.grad(values.sum(), t, create_graph=True)
    (curvature,) = torch.autograd.grad(slope.sum(), t, create_graph=True)
    return curvature + values


def residual_by_jacfwd(u: Callable, t):
    """u'' + u by forward mode, batched over the points."""
    return torch.func.vmap(torch.func.jacfwd(torch.func.jacfwd(u)))(t) + u(t)


WAYS = {"grad": residual_by_grad, "jacfwd": residual_by_jacfwd}


def fit(way: str, steps: int, points: int) -> Solution:
    """A solution whose mean squared residual was minimized by L-BFGS."""
    torch.manual_seed(0)
    u = Solution().double()
    t = torch.linspace(0, 2 * math.pi, points, dtype=torch.float64)
    optimizer = torch.optim.LBFGS(u.parameters(), max_iter=10, history_size=50, line_search_fn="strong_wolfe")

    @torch.compile
    def loss():
        optimizer.zero_grad()
        value = WAYS[way](u, t).square().mean()
        value.backward()
        return value

    bar = trange(steps, desc=way)
    for _ in bar:
        bar.set_postfix(loss=f"{optimizer.step(loss).item():.1e}")
    return u


def draw(solutions: dict[str, Solution], path: pathlib.Path) -> None:
    """A plot of the fits with the exact solution, and of the residuals."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    t = torch.linspace(0, 2 * math.pi, 200, dtype=torch.float64)
    figure, (above, below) = pyplot.subplots(2, 1, sharex=True, figsize=(7, 6), layout="constrained")
    above.plot(t, t.cos(), color="0.7", linewidth=5, label="cos t")
    for way, u in solutions.items():
        above.plot(t, u(t).detach(), "--", label=f"network, by {way}")
        below.plot(t, WAYS[way](u, t).detach(), label=way)
    above.set(ylabel="u(t)", title="u'' = -u, u(0) = 1, u'(0) = 0")
    above.legend()
    below.set(xlabel="t", ylabel="residual u'' + u")
    below.legend()
    figure.savefig(path, dpi=120)


def main(arguments: list[str] | None = None) -> dict[str, float]:
    """Fits, prints and plots; returns the largest error of each way."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--way", choices=[*WAYS, "both"], default="both")
    parser.add_argument("--quick", action="store_true", help="few steps, for a try")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("ode.png"))
    options = parser.parse_args(arguments)
    steps, points = (5, 20) if options.quick else (60, 64)
    t = torch.linspace(0, 2 * math.pi, 1000, dtype=torch.float64)
    solutions, errors = {}, {}
    for way in WAYS if options.way == "both" else [options.way]:
        start = time.perf_counter()
        solutions[way] = fit(way, steps, points)
        errors[way] = (solutions[way](t) - t.cos()).abs().max().item()
        print(f"{way}: largest error against cos t {errors[way]:.1e}, {time.perf_counter() - start:.1f} s")
    draw(solutions, options.output)
    print(f"picture: {options.output}")
    return errors


if __name__ == "__main__":
    main()
