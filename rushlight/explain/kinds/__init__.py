"""The kinds of mistakes: each with a program that makes it, the program mended, and how it is found."""

from rushlight.explain.kinds import (
    functions,
    growth,
    losses,
    missing,
    modes,
    not_finite,
    refused,
    steps,
    unrecorded,
    zero,
)

__all__ = ["functions", "growth", "losses", "missing", "modes", "not_finite", "refused", "steps", "unrecorded", "zero"]
