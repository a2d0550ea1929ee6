"""A program being generated: each line is run on PyTorch at once, so that the next lines can fit its variables."""

import functools
import random
from collections.abc import Callable, Iterable

import torch

from verify.compare import asked

RARE = 0.04  # how often a line is written that probably fails: errors have to be the same, too


@functools.lru_cache(100_000)
def compiled(line: str):
    """A line of a program, compiled."""
    return compile(line, "<program>", "exec")


def run(line: str, space: dict) -> str:
    """Runs a line; the name of the exception that it raises, or nothing. One of two kinds counts as its first."""
    try:
        exec(compiled(line), space)
    except Exception as error:
        return next(kind for kind in type(error).__mro__ if len(kind.__bases__) == 1).__name__
    return ""


class Writer:
    """The lines of a program, with PyTorch's variables after them and the exceptions that they raised."""

    def __init__(self, seed: str):
        """Begins a program that its seed determines."""
        torch.set_default_dtype(torch.float32)
        self.random = random.Random(seed)
        self.space = {"torch": torch}
        self.lines: list[str] = []
        self.errors: list[str] = []
        self.names: list[str] = []
        self.made = 0
        self.line(f"torch.manual_seed({self.random.randrange(1000)})")

    def line(self, line: str) -> bool:
        """Adds a line. Whether it ran without an exception."""
        self.lines.append(line)
        self.errors.append(run(line, self.space))
        return not self.errors[-1]

    def new(self, expression: str, name: str = "") -> str:
        """Adds a line that gives a new variable its value; the variable's name, also where the line failed."""
        name = name or f"t{self.made}"
        self.made += 1
        if self.line(f"{name} = {expression}"):
            value = self.space[name]
            known = (self.space[n] for n in self.names)
            if isinstance(value, torch.Tensor) and not any(value is other for other in known):
                self.names.append(name)
        return name

    def rarely(self) -> bool:
        """Whether to do what probably fails."""
        return self.random.random() < RARE

    def often(self, probability: float) -> bool:
        """True with this probability."""
        return self.random.random() < probability

    def one(self, choices):
        """One of some choices."""
        return self.random.choice(choices)

    def some(self, choices: Iterable, at_least: int = 1) -> list:
        """Some of the choices, in their order."""
        choices = list(choices)
        count = self.random.randint(min(at_least, len(choices)), len(choices))
        return [choices[i] for i in sorted(self.random.sample(range(len(choices)), count))]

    def weighted(self, choices: dict):
        """One of the keys of a dictionary of weights."""
        return self.random.choices(list(choices), list(choices.values()))[0]

    def pick(self, suits: Callable[[torch.Tensor], bool] | None = None) -> str:
        """The name of a tensor, one that suits if there is one; later ones are picked more often."""
        names = self.names
        if suits is not None and not self.rarely():
            names = [name for name in names if asked(lambda name=name: suits(self.space[name])) is True] or names
        return names[max(self.random.randrange(len(names)), self.random.randrange(len(names)))]

    def tensor(self, name: str) -> torch.Tensor:
        """PyTorch's tensor of a name."""
        return self.space[name]

    def broadcastable(self, name: str) -> str:
        """A tensor that can be broadcast to the shape of another, or with it."""
        shape = self.space[name].shape

        def suits(tensor):
            pairs = zip(reversed(tensor.shape), reversed(shape), strict=False)
            return all(m == n or 1 in (m, n) for m, n in pairs)

        return self.pick(suits)
