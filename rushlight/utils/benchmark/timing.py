"""`Timer`: runs code repeatedly to measure its run time."""

import timeit
from collections.abc import Callable
from typing import Any

import rushlight
from rushlight.machine.threads import get_num_threads, set_num_threads
from rushlight.utils.benchmark.measurements import Measurement, TaskSpec

__all__ = ["Timer", "timer"]

timer = timeit.default_timer


class Timer:
    """Measures the run time of a statement with a number of threads, after a setup.

    >>> from rushlight.utils.benchmark import Timer
    >>> found = Timer("x + 1", globals={"x": 1}).timeit(100)
    >>> found.number_per_run, found.median > 0
    (100, True)
    """

    def __init__(
        self,
        stmt: str = "pass",
        setup: str = "pass",
        global_setup: str = "",
        timer: Callable[[], float] = timer,
        globals: dict[str, Any] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        env: str | None = None,
        num_threads: int = 1,
        language: Any = "python",
    ):
        if str(language).lower() not in ("python", "py", "language.python"):
            raise ValueError(f"rushlight measures Python only, not language={language}.")
        if global_setup:
            raise ValueError("global_setup is C++ only, most likely you wanted to use `setup` instead.")
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        names = {"torch": rushlight, **(globals or {})}
        self._timer = timeit.Timer(stmt=stmt, setup=setup, timer=timer, globals=names)
        self._task_spec = TaskSpec(stmt, setup, global_setup, label, sub_label, description, env, num_threads)

    def _run(self, number: int, repeats: int) -> list[float]:
        """The times of several runs."""
        before = get_num_threads()
        set_num_threads(self._task_spec.num_threads)
        try:
            return [max(self._timer.timeit(number), 1e-9) for _ in range(repeats)]
        finally:
            set_num_threads(before)

    def timeit(self, number: int = 1_000_000) -> Measurement:
        """One run of `number` executions, after a short warm-up."""
        self._run(max(number // 100, 2), 1)
        return Measurement(number, self._run(number, 1), self._task_spec)

    def repeat(self, repeat: int = -1, number: int = -1) -> None:
        """Raises NotImplementedError: see `Timer.blocked_autorange`."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def autorange(self, callback: Callable[..., Any] | None = None) -> None:
        """Raises NotImplementedError: see `Timer.blocked_autorange`."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def _block_size(self, min_run_time: float) -> int:
        """The number of executions that make a run long enough to be measured well."""
        number, wanted = 1, min(1e-3, min_run_time / 100)
        while self._run(number, 1)[0] < wanted and number < 10**8:
            number *= 10
        return number

    def blocked_autorange(
        self, callback: Callable[[int, float], None] | None = None, min_run_time: float = 0.2
    ) -> Measurement:
        """Repeats runs of equally many executions until they have taken `min_run_time` seconds in total.

        `callback(executions, time)` is called after each.
        """
        number = self._block_size(min_run_time)
        times: list[float] = []
        while not times or sum(times) < min_run_time:
            times += self._run(number, 1)
            if callback is not None:
                callback(number, times[-1])
        return Measurement(number, times, self._task_spec)

    def adaptive_autorange(
        self,
        threshold: float = 0.1,
        *,
        min_run_time: float = 0.01,
        max_run_time: float = 10.0,
        callback: Callable[[int, float], None] | None = None,
    ) -> Measurement:
        """Repeats runs until the spread of times is below `threshold` of the median, or `max_run_time` is over."""
        number = self._block_size(min_run_time)
        times: list[float] = []
        while sum(times) < max_run_time:
            times += self._run(number, 5)
            found = Measurement(number, times, self._task_spec)
            if callback is not None:
                callback(number, times[-1])
            if sum(times) >= min_run_time and found.meets_confidence(threshold):
                break
        return Measurement(number, times, self._task_spec)

    def collect_callgrind(
        self,
        number: int = 100,
        *,
        repeats: int | None = None,
        collect_baseline: bool = True,
        retain_out_file: bool = False,
    ) -> None:
        """Raises NotImplementedError: use valgrind itself to count instructions."""
        raise NotImplementedError("rushlight does not run valgrind: use timeit() or blocked_autorange().")
