"""Timing in turns: each round runs every contender once, so that all see the same machine."""

import gc
import importlib
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field

Step = Callable[[], object]
PAUSE = 0.06  # seconds before each contender's turn: until then the threads of the one before wait actively


@dataclass
class Workload:
    """One piece of work, with the function that prepares it for each contender.

    `steps` gives, by contender, a function that takes the contender's module and returns the step to time. `unit` is
    what one step is divided by (an operation, say) and `bound` the largest ratio to PyTorch that we allow ourselves.
    """

    name: str
    steps: dict[str, Callable[[object], Step]]
    per_step: int = 1
    bound: float | None = None


@dataclass
class Result:
    """The times of one workload in seconds for each unit of work, a list for each contender."""

    workload: Workload
    times: dict[str, list[float]] = field(default_factory=dict)

    def median(self, contender: str) -> float:
        """The median time of a contender."""
        return statistics.median(self.times[contender])

    def ratio(self, contender: str = "torch") -> float | None:
        """rushlight's time over another's: the median over rounds of the ratio within a round."""
        if contender not in self.times:
            return None
        pairs = zip(self.times["rushlight"], self.times[contender], strict=True)
        return statistics.median(ours / theirs for ours, theirs in pairs)


MODULES = {"rushlight": "rushlight", "torch": "torch", "jax": "jax", "autograd": "autograd", "numpy": "numpy"}


def contenders(wanted: list[str] | None) -> dict[str, object]:
    """The modules that are installed among those wanted (all by default)."""
    found = {}
    for name in wanted or MODULES:
        try:
            found[name] = importlib.import_module(MODULES[name])
        except ImportError:
            print(f"{name} is not installed: left out")
    gc.collect()
    gc.freeze()  # or the collector would look through all of these libraries again and again, for whoever makes objects
    return found


def time_once(step: Step, least: float) -> float:
    """Seconds of one call, from as many calls as fill `least` seconds."""
    calls, start = 0, time.perf_counter()
    while True:
        step()
        calls += 1
        elapsed = time.perf_counter() - start
        if elapsed >= least:
            return elapsed / calls


def measure(workload: Workload, modules: dict[str, object], rounds: int = 9, least: float = 0.05) -> Result:
    """Times a workload for all contenders that can run it, in turns."""
    steps = {name: make(modules[name]) for name, make in workload.steps.items() if name in modules}
    for step in steps.values():
        step()
    result = Result(workload, {name: [] for name in steps})
    for _ in range(rounds):
        for name, step in steps.items():
            gc.collect()
            time.sleep(PAUSE)
            step()
            result.times[name].append(time_once(step, least) / workload.per_step)
    return result
