"""The draws that the tests compare with PyTorch: for each, ours and PyTorch's call for n numbers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rushlight.random import Generator
from rushlight.random import distributions as ours
from rushlight.random.integers import randint, random_, randperm
from rushlight.random.multinomial import multinomial

SEEDS = (0, 1, 2**40 + 7)
SIZES = (1, 15, 16, 17, 31, 32, 3, 100, 2)
LONG_SIZES = (1000, 70001)


@dataclass(frozen=True)
class Case:
    name: str
    ours: Callable[[Generator, int], np.ndarray]
    theirs: Callable[[Any, Any, int], Any]  # (torch, generator, n) -> Tensor


def filled(function: str, dtype: str, *arguments: float) -> Case:
    """A distribution of ours against the in-place method of an empty PyTorch tensor."""
    draw = getattr(ours, function)
    return Case(
        f"{function}-{dtype}" + "".join(f"-{x}" for x in arguments),
        lambda g, n: draw(g, (n,), np.dtype(dtype), *arguments),
        lambda torch, g, n: getattr(torch.empty(n, dtype=getattr(torch, dtype)), f"{function}_")(
            *arguments, generator=g
        ),
    )


def bounded(dtype: str, low: int, high: int | None) -> Case:
    return Case(
        f"randint-{dtype}-{low}-{high}",
        lambda g, n: randint(g, (n,), np.dtype(dtype), low, high),
        lambda torch, g, n: torch.empty(n, dtype=getattr(torch, dtype)).random_(low, high, generator=g),
    )


def unbounded(dtype: str) -> Case:
    return Case(
        f"random-{dtype}",
        lambda g, n: random_(g, (n,), np.dtype(dtype)),
        lambda torch, g, n: torch.empty(n, dtype=getattr(torch, dtype)).random_(generator=g),
    )


def permutation(dtype: str) -> Case:
    return Case(
        f"randperm-{dtype}",
        lambda g, n: randperm(g, n, np.dtype(dtype)),
        lambda torch, g, n: torch.randperm(n, dtype=getattr(torch, dtype), generator=g),
    )


def bernoulli_each(dtype: str) -> Case:
    """Bernoulli numbers from an array of probabilities."""

    def odds(n: int) -> np.ndarray:
        return np.linspace(0, 1, n, dtype=dtype)

    return Case(
        f"bernoulli-each-{dtype}",
        lambda g, n: ours.bernoulli(g, (n,), np.dtype(dtype), odds(n)),
        lambda torch, g, n: torch.bernoulli(torch.from_numpy(odds(n)), generator=g),
    )


def categories(dtype: str, rows: int, replacement: bool, every: int) -> Case:
    """Multinomial draws of one category in `every`, from weights that are no round numbers."""

    def weights(n: int) -> np.ndarray:
        flat = np.sqrt(np.arange(1, n * max(rows, 1) + 1)).astype(dtype)
        return flat.reshape(rows, n) if rows else flat

    return Case(
        f"multinomial-{dtype}-{rows}-{replacement}-{every}",
        lambda g, n: multinomial(g, weights(n), max(n // every, 1), replacement),
        lambda torch, g, n: torch.multinomial(
            torch.from_numpy(weights(n)), max(n // every, 1), replacement, generator=g
        ),
    )


CASES = [
    *(filled("uniform", dtype) for dtype in ("float16", "float32", "float64", "complex64", "complex128")),
    *(filled("uniform", dtype, -0.1, 0.3) for dtype in ("float16", "float32", "float64", "complex64")),
    filled("uniform", "float64", -1e300, 1e300),
    *(filled("normal", dtype) for dtype in ("float16", "float32", "float64", "complex64", "complex128")),
    *(filled("normal", dtype, 1.3, 0.7) for dtype in ("float16", "float32", "float64", "complex64")),
    filled("normal", "float32", 0.0, 0.02),
    *(filled("log_normal", dtype, 0.3, 0.7) for dtype in ("float16", "float32", "float64")),
    *(filled("exponential", dtype, 1.7) for dtype in ("float16", "float32", "float64")),
    *(filled("cauchy", dtype, 0.3, 1.7) for dtype in ("float16", "float32", "float64")),
    *(filled("geometric", dtype, 0.3) for dtype in ("float16", "float32", "float64", "uint8", "int64")),
    *(filled("bernoulli", dtype, 0.3) for dtype in ("float16", "float32", "float64", "bool", "int32")),
    *(bernoulli_each(dtype) for dtype in ("float16", "float32", "float64")),
    *(bounded(dtype, 3, 90) for dtype in ("uint8", "int8", "int16", "int32", "int64", "uint16", "uint64")),
    *(bounded(dtype, -3, 1000) for dtype in ("float16", "float32", "float64", "int32")),
    *(bounded("int64", low, high) for low, high in ((0, 2**28 - 1), (0, 2**28), (-(2**62), 2**62), (5, None))),
    *(bounded(dtype, -(2**63), None) for dtype in ("int64", "float32", "float64")),
    *(bounded(dtype, 5, None) for dtype in ("float16", "float32", "float64", "int16", "uint32")),
    bounded("bool", 0, 2),
    *(unbounded(dtype) for dtype in ("float16", "float32", "float64", "bool", "uint8", "int16", "int32", "int64")),
    *(permutation(dtype) for dtype in ("int64", "int32", "uint8", "float32")),
    *(
        Case(
            f"dropout-{dtype}-{p}",
            lambda g, n, dtype=dtype, p=p: ours.dropout_mask(g, (n,), np.dtype(dtype), p),
            lambda torch, g, n, dtype=dtype, p=p: dropout(torch, g, n, dtype, p),
        )
        for dtype in ("float16", "float32", "float64")
        for p in (0.1, 0.5, 0.0, 1.0)
    ),
    *(
        categories(dtype, rows, replacement, every)
        for dtype in ("float32", "float64")
        for rows in (0, 3)
        for replacement, every in ((True, 1), (False, 3), (False, 10**6))
    ),
    categories("float16", 0, True, 2),
]


def dropout(torch: Any, generator: Any, n: int, dtype: str, p: float) -> Any:
    """PyTorch's dropout of ones, which draws from the default generator, drawn from another."""
    torch.default_generator.set_state(generator.get_state())
    mask = torch.nn.functional.dropout(torch.ones(n, dtype=getattr(torch, dtype)), p)
    generator.set_state(torch.default_generator.get_state())
    return mask
