"""The kinds of mistakes: each with a program that makes it, the program mended, and how it is found."""

from rushlight.explain.kinds import (
    changes,
    functions,
    growth,
    losses,
    missing,
    modes,
    norms,
    not_finite,
    refused,
    second_passes,
    steps,
    unrecorded,
    unused,
    zero,
)

__all__ = [
    "changes",
    "functions",
    "growth",
    "losses",
    "missing",
    "modes",
    "norms",
    "not_finite",
    "refused",
    "second_passes",
    "steps",
    "unrecorded",
    "unused",
    "zero",
]
