"""Timing in turns: in each round every library runs once, so that all of them run under the same conditions."""

import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from benchmarks.process import Cannot, Process
from benchmarks.workload import Workload

OURS = "rushlight"
PATIENCE = 120  # seconds that a workload may take to be prepared, and compiled
LEAST = 0.05  # seconds that a turn takes at least
Enough = Callable[[dict[str, list[float]]], bool]  # of the times of each contender, round by round


def never(_: dict[str, list[float]]) -> bool:
    """All rounds are wanted."""
    return False


@dataclass
class Result:
    """The times of one workload in seconds for each unit of work: by contender, run and round."""

    workload: Workload
    times: dict[str, list[list[float]]] = field(default_factory=dict)
    cannot: dict[str, str] = field(default_factory=dict)

    def median(self, name: str) -> float:
        """The median time of a contender."""
        return statistics.median(time for run in self.times[name] for time in run)

    def ratios(self, name: str) -> list[float]:
        """rushlight's time over another's, for each run: the median over rounds of the ratio within a round."""
        runs = zip(self.times[OURS], self.times[name], strict=True)
        return [statistics.median(a / b for a, b in zip(ours, theirs, strict=True)) for ours, theirs in runs]


class Team:
    """The processes of some contenders, started as they are first needed; a context that ends them."""

    def __init__(self, names: list[str], environment: dict[str, str], patience: float = PATIENCE):
        """Starts nobody yet. Who is not ready for a workload after `patience` seconds cannot do it."""
        self.names, self.environment, self.patience = names, environment, patience
        self.processes: dict[str, Process] = {}
        self.descriptions: dict[str, str] = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes.values():
            process.end()

    def process(self, name: str) -> Process:
        """A contender's process; a new one where it ended."""
        if name not in self.processes or self.processes[name].ended:
            self.processes[name] = Process(name, self.environment)
            self.descriptions[name] = self.processes[name].description
        return self.processes[name]

    def ready(self, workload: Workload, cannot: dict[str, str]) -> dict[str, Process]:
        """The processes that are prepared for a workload. Who cannot do it is noted with the reason."""
        found = {}
        for name in self.names:
            if name in workload.forms and name not in cannot:
                try:
                    self.process(name).ask("prepare", workload, patience=self.patience)
                    found[name] = self.processes[name]
                except Cannot as reason:
                    cannot[name] = str(reason)
        return found

    def run(
        self,
        result: Result,
        rounds: int,
        least: float = LEAST,
        clock: str = "perf_counter",
        enough: Enough = never,
        parts: int = 1,
    ) -> None:
        """Adds one run of a workload to its result; who could not do it once is not asked again.

        Each turn takes `least` seconds at least, by one of the clocks of Python's `time`; the quickest of its parts
        counts. After a round the run ends where the times of all rounds so far are enough.
        """
        processes = self.ready(result.workload, result.cannot)
        times = {name: [] for name in processes}
        for _ in range(rounds):
            for name, process in processes.items():
                times[name].append(process.ask("time", least, clock, parts) / result.workload.per_step)
            if enough(times):
                break
        for name in result.cannot:
            result.times.pop(name, None)
        for name, run in times.items():
            result.times.setdefault(name, []).append(run)


def measure(
    workloads: list[Workload], names: list[str], environment: dict[str, str], runs: int, rounds: int
) -> tuple[list[Result], dict[str, str]]:
    """The results of some workloads, and what the contenders say about themselves. Each run has new processes."""
    results = [Result(workload) for workload in workloads]
    descriptions = {}
    for number in range(1, runs + 1):
        with Team(names, environment) as team:
            for result in results:
                print(f"run {number} of {runs}: {result.workload.name}", file=sys.stderr, flush=True)
                team.run(result, rounds)
            descriptions |= team.descriptions
    return results, descriptions
