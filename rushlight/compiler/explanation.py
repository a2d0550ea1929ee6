"""What was recorded of a compiled function: `torch.compiler.explain`."""

import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

from rushlight.autograd.drawing import Picture
from rushlight.compiler.compiled import Compiled, Variant
from rushlight.compiler.guards import Place
from rushlight.compiler.measuring import Measured
from rushlight.compiler.picturing import pictured
from rushlight.compiler.program import Program
from rushlight.compiler.recording import Recording

BACKWARD = "the backward pass"
CALLS = 3  # calls until a function has its recording
TRIALS = 5  # calls that are timed
KINDS = (
    "argument",
    "tensor",
    "gradient",
    "result of the part before",
    "number",
    "cotangent",
)  # the kinds of places of inputs
BUSY = "a profiler is at work, or another thread, so that nothing is recorded"


class Explanation:
    """The report of `explain`, as text, and as a `picture`.

    Its parts are `programs` with the `parts` made of them, `guards`, `trouble` and `times` (microseconds). For a
    function that runs in pieces around a line, `pieces` has the report of each.
    """

    def __init__(self, compiled: Compiled, parts: dict[Variant, list[Measured]], times: dict[str, float]):
        variant = next((one for one in compiled.variants if any(part.times for part in parts[one])), None)
        if variant is None and compiled.variants:
            variant = compiled.variants[-1]
        self.name: str = name_of(compiled)
        self.trouble: str | None = compiled.given_up or (
            None if variant is not None else "; ".join(dict.fromkeys(compiled.reasons)) or BUSY
        )
        self.times = times
        self.parts: list[Measured] = []
        self.guards: list[str] = []
        self.left: Counter[str] = Counter()
        self.pieces: list[Explanation] = [Explanation(piece, parts, {}) for piece in compiled.pieces.parts]
        if compiled.given_up is not None:
            self.parts = [part for piece in self.pieces for part in piece.parts]
        elif variant is not None:
            self.parts = parts[variant]
            self.look_at(variant)

    @property
    def programs(self) -> list[Program]:
        """The recorded programs: parts of the call, and the backward pass of its results if they have one."""
        return [part.program for part in self.parts]

    @property
    def graph_count(self) -> int:
        """The number of recorded programs, without backward passes."""
        return len(self.calls)

    @property
    def graph_break_count(self) -> int:
        """The number of lines between recorded programs that run as they are."""
        return max(0, self.graph_count - 1)

    @property
    def op_count(self) -> int:
        """The number of steps of the recorded programs, without backward passes."""
        return sum(len(part.program.steps) for part in self.calls)

    @property
    def calls(self) -> list[Measured]:
        """The parts of the call, without backward passes."""
        return [part for part in self.parts if part.name != BACKWARD]

    @property
    def picture(self) -> Picture:
        """A drawing of inputs, instructions with lines and times, and results: `mermaid`, `dot`, `svg` and `render`."""
        return pictured(self.parts)

    def look_at(self, variant: Variant) -> None:
        """Adds the report on a recording."""
        recording = variant.recording
        args, kwargs = recording.structure
        given = ", ".join([*map(str, args), *(f"{key}={value}" for key, value in kwargs.items())])
        self.guards.append(f"arguments: {given or 'none'}")
        self.guards += read_places(variant.prepared.guard.places)
        self.guards.append(f"{len(variant.others)} tensors from elsewhere, and which gradients are there")
        for stretch in recording.stretches:
            self.left["tensors overwritten"] += len(stretch.program.writes)
            self.left["gradients set"] += sum(effect.kind in ("new", "none") for effect in stretch.effects)
            self.left["steps of optimizers"] += stretch.call is not None

    def __str__(self) -> str:
        if self.pieces:
            return "\n\n".join([f"{self.name} runs in parts: {self.trouble}", *map(str, self.pieces)])
        if not self.parts:
            return f"{self.name} runs as it is: {self.trouble}"
        lines = [f"{self.name}: a program of {sum(len(program.steps) for program in self.programs)} steps"]
        for part in self.parts:
            lines += ["", f"{part.name} was recorded", *by_line(part), *by_instruction(part)]
        lines += ["", "replayed while these are the same", *(f"  {guard}" for guard in self.guards)]
        left = [f"  {count} {what}" for what, count in self.left.items() if count]
        lines += ["left behind", *left] if left else []
        if self.times:
            lines += ["time of a call", *(f"  {what} {time:,.0f} µs" for what, time in self.times.items())]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_svg_(self) -> str | None:
        return self.picture.svg if self.parts else None


def name_of(compiled: Compiled) -> str:
    """The name of the function."""
    return str(getattr(compiled.function, "__qualname__", type(compiled.function).__name__))


def read_places(places: list[Place]) -> Iterator[str]:
    """The places that a function reads, grouped by the type of what they hold."""
    named: dict[str, list[str]] = {}
    for place in places:
        if isinstance(place.key, str) and not place.key.startswith("__"):
            named.setdefault(type(place.value).__name__, []).append(place.key)
    for kind, names in named.items():
        distinct = dict.fromkeys(names)
        shown = counted([name for name in names if name in list(distinct)[:8]])
        yield f"places with a {kind}: {shown}{', ...' if len(distinct) > 8 else ''}"
    if others := len(places) - sum(map(len, named.values())):
        yield f"{others} other places, such as elements and lengths of lists"


def short(where: str) -> str:
    """A line of the source without its directory."""
    path, _, line = where.rpartition(":")
    return f"{Path(path).name}:{line}" if path else "elsewhere"


def counted(names: list[Any]) -> str:
    """Names with the number of their occurrences."""
    return ", ".join(name if count == 1 else f"{count} {name}" for name, count in Counter(names).items())


def by_line(part: Measured) -> list[str]:
    """The inputs of a program and its steps, grouped by line of the source."""
    groups: dict[str, list[str]] = {}
    for step in part.program.steps:
        groups.setdefault(short(step.where), []).append(str(step))
    lines = [f"  given: {counted(part.inputs)}"] if part.inputs else []
    return lines + [f"  {where}: {counted(names)}" for where, names in groups.items()] or ["  no steps"]


def by_instruction(part: Measured) -> list[str]:
    """The instructions that the backend makes of a program, with their times and lines, and the memory."""
    if part.plan is None:
        return [f"run step by step: {part.trouble}"]
    kinds = counted([type(instruction).__name__.lower() for instruction in part.plan.code])
    lines = [f"planned as {kinds or 'nothing'}; {part.plan.memory:,} bytes of memory"]
    for one in part.instructions():
        time = "" if one.time is None else f"{1e6 * one.time:8,.1f} µs  "
        lines.append(f"  {time}{one.what} {one.kind}  {', '.join(map(short, one.lines))}")
    return lines


def timed(call: Callable[[], Any]) -> float:
    """The shortest time of several calls, in microseconds."""
    times = []
    for _ in range(TRIALS):
        start = perf_counter()
        call()
        times.append(perf_counter() - start)
    return 1e6 * min(times)


def measured(variant: Variant, backend: str) -> list[Measured]:
    """The programs of a recording, which from now on measure the times of their instructions."""
    recording: Recording = variant.recording
    names = {id(place.value): place.key for place in variant.prepared.guard.places if isinstance(place.key, str)}

    def named(place: Any) -> str:
        kind, what = place
        if kind == 0:
            return f"argument {what}"
        return f"gradient of {named(what)}" if kind == 2 else names.get(id(what), KINDS[kind])

    parts = []
    for number, stretch in enumerate(recording.stretches):
        inputs = [
            f"{named(place)} {value}" for place, value in zip(stretch.places, stretch.program.inputs, strict=True)
        ]
        name = "the call" if len(recording.stretches) == 1 else f"part {number + 1} of the call"
        parts.append(Measured(name, stretch.program, inputs, backend, stretch.execute, recording.generators))
        stretch.execute = parts[-1]
    for backward in recording.backwards:
        inputs = [
            f"{named(place)} {value}" for place, value in zip(backward.sources, backward.program.inputs, strict=True)
        ]
        parts.append(Measured(BACKWARD, backward.program, inputs, backend, backward.execute, []))
        backward.execute = parts[-1]
    return parts


def explain(fn: Callable[..., Any]) -> Callable[..., Explanation]:
    """Makes a function that calls `fn` several times with its arguments, and reports on its recording.

    The report has the steps by line of the source, the instructions that they became (fused groups, products, calls)
    with their lines and times, the memory of the plan, what must stay the same for a replay, what a replay leaves
    behind, and the times of a call and a replay; `picture` draws it. The calls are real: they change what the function
    changes. If nothing can be recorded the report says why.

    >>> import rushlight as torch
    >>> def f(x):
    ...     return torch.sin(x) * 2
    >>> told = torch.compiler.explain(f)(torch.ones(3))
    >>> [str(step) for step in told.programs[0].steps]
    ['sin', 'mul']
    >>> [one.what for one in told.parts[0].instructions()]
    ['sin, multiply']
    """
    function = fn.uncompiled if isinstance(fn, Compiled) else fn
    backend = fn.backend if isinstance(fn, Compiled) else "walker"

    def explained(*args: Any, **kwargs: Any) -> Explanation:
        compiled = Compiled(function, backend=backend, timed=False)
        parts: dict[Variant, list[Measured]] = {}
        lines: set[int] = set()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            for _ in range(CALLS):
                compiled(*args, **kwargs)
            while lines != compiled.pieces.lines:  # a line in a piece is found when that is called
                lines = set(compiled.pieces.lines)
                for _ in range(CALLS):
                    compiled(*args, **kwargs)
            times = {"as it is": timed(lambda: function(*args, **kwargs))}
            variants = [variant for one in (compiled, *compiled.pieces.parts) for variant in one.variants]
            if variants:
                times["replayed"] = timed(lambda: compiled(*args, **kwargs))
                parts = {variant: measured(variant, backend) for variant in variants}
                for _ in range(TRIALS):
                    compiled(*args, **kwargs)
        return Explanation(compiled, parts, times)

    return explained
