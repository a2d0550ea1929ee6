"""What became of a compiled function: `torch.compiler.explain`."""

import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

from rushlight.compiler.compiled import Compiled, Variant
from rushlight.compiler.lowering import Unsuitable, lowered
from rushlight.compiler.passes import improved
from rushlight.compiler.planning import planned
from rushlight.compiler.program import Program, Step

TRIALS = 5  # calls that are timed


class Explanation:
    """What `explain` found, as text: `programs`, `guards`, `trouble` and `times` (microseconds) by themselves."""

    def __init__(self, compiled: Compiled, times: dict[str, float]):
        variant = compiled.variants[-1] if compiled.variants else None
        self.name: Any = getattr(compiled.function, "__qualname__", type(compiled.function).__name__)
        self.trouble: str | None = compiled.given_up or (
            None if variant is not None else "; ".join(dict.fromkeys(compiled.reasons))
        )
        self.times = times
        self.programs: list[Program] = []
        self.guards: list[str] = []
        self.left: Counter[str] = Counter()
        if variant is not None and compiled.given_up is None:
            self.look_at(variant)

    def look_at(self, variant: Variant) -> None:
        """Takes what is told from a recording."""
        recording = variant.recording
        self.programs = [stretch.program for stretch in recording.stretches]
        if recording.backward is not None:
            self.programs.append(recording.backward.program)
        args, kwargs = recording.structure
        self.guards.append(f"arguments: {', '.join([*map(str, args), *(f'{k}={v}' for k, v in kwargs.items())])}")
        kinds = Counter(type(place.holder).__name__ for place in variant.prepared.guard.places)
        self.guards += [f"{count} places in objects of the type {kind}" for kind, count in kinds.most_common()]
        self.guards.append(f"{len(variant.others)} tensors from elsewhere, and which gradients are there")
        for stretch in recording.stretches:
            self.left["tensors overwritten"] += len(stretch.program.writes)
            self.left["gradients set"] += sum(effect.kind in ("new", "none") for effect in stretch.effects)
            self.left["steps of optimizers"] += stretch.call is not None

    def __str__(self) -> str:
        if not self.programs:
            return f"{self.name} runs as it is: {self.trouble}"
        lines = [f"{self.name}: a program of {sum(len(program.steps) for program in self.programs)} steps"]
        for program in self.programs:
            lines += ["", *by_line(program), *planned_memory(program)]
        lines += ["", "replayed while these are the same", *(f"  {guard}" for guard in self.guards)]
        left = [f"  {count} {what}" for what, count in self.left.items() if count]
        lines += ["left behind", *left] if left else []
        lines += ["time of a call", *(f"  {what} {time:,.0f} µs" for what, time in self.times.items())]
        return "\n".join(lines)

    __repr__ = __str__


def by_line(program: Program) -> list[str]:
    """The steps of a program, those of one line of the source together."""
    groups: dict[str, list[Step]] = {}
    for step in program.steps:
        groups.setdefault(step.where, []).append(step)
    lines = []
    for where, steps in groups.items():
        path, _, line = where.rpartition(":")
        names = Counter(str(step) for step in steps)
        what = ", ".join(name if count == 1 else f"{count} {name}" for name, count in names.items())
        lines.append(f"  {Path(path).name + ':' + line if path else 'elsewhere'}: {what}")
    return lines or ["  no steps"]


def planned_memory(program: Program) -> list[str]:
    """What the walker makes of a program."""
    try:
        plan = planned(improved(lowered(program)))
    except Unsuitable as error:
        return [f"  run step by step: {error}"]
    kinds = Counter(type(instruction).__name__.lower() for instruction in plan.code)
    what = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    return [f"  planned as {what or 'nothing'}; {plan.size:,} bytes of memory"]


def timed(call: Callable[[], Any]) -> float:
    """The time of the quickest of some calls, in microseconds."""
    times = []
    for _ in range(TRIALS):
        start = perf_counter()
        call()
        times.append(perf_counter() - start)
    return 1e6 * min(times)


def explain(fn: Callable[..., Any]) -> Callable[..., Explanation]:
    """A function that calls `fn` some times with its arguments, and tells what its recording looks like.

    It tells the steps by line of the source, what has to stay the same for a replay, what a replay leaves behind, what
    the walker makes of the program, and how long a call and a replay take. The calls are real ones: they change what
    the function changes. Where nothing can be recorded it tells why.

    >>> import rushlight as torch
    >>> def f(x):
    ...     return torch.sin(x) * 2
    >>> told = torch.compiler.explain(f)(torch.ones(3))
    >>> [str(step) for step in told.programs[0].steps]
    ['sin', 'mul']
    """
    function = fn.uncompiled if isinstance(fn, Compiled) else fn

    def explained(*args: Any, **kwargs: Any) -> Explanation:
        compiled = Compiled(function, timed=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            for _ in range(3):
                compiled(*args, **kwargs)
        times = {"as it is": timed(lambda: function(*args, **kwargs))}
        if compiled.variants:
            times["replayed"] = timed(lambda: compiled(*args, **kwargs))
        return Explanation(compiled, times)

    return explained
