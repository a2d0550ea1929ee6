"""Samples of distributions, and the log probabilities that are computed."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

from rushlight.distributions.distribution import Distribution
from rushlight.explain.taps.replacing import replaced


def tap_draws(stack: ExitStack, watch: Any) -> None:
    """Reports samples without history that rsample could give one, and values whose log probability is computed."""

    def draw(original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(self: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(self, *args, **kwargs)
            if self.has_rsample:
                watch.ledger.ways.draws(result)
            return result

        return wrapped

    def move(original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(self: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(self, *args, **kwargs)
            watch.ledger.ways.moves(result)
            return result

        return wrapped

    def score(original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(self: Any, value: Any, *args: Any, **kwargs: Any) -> Any:
            watch.ledger.ways.scores(value)
            watch.ledger.ways.follows(value, watch.sites.here())
            result = original(self, value, *args, **kwargs)
            watch.ledger.ways.gives_likelihood(result)
            return result

        return wrapped

    for cls in classes(Distribution):
        for name, make in (("sample", draw), ("rsample", move), ("log_prob", score)):
            if name in vars(cls):
                replaced(stack, cls, name, make)


def classes(base: Any) -> Iterator[Any]:
    """A class and its subclasses."""
    yield base
    for cls in base.__subclasses__():
        yield from classes(cls)
